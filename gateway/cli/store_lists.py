"""Shows stores in the shell: all of them, or one with its columns and replicas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from rich.console import Console

from stategate.gateway.cli.client import ResultColumn
from stategate.gateway.cli.display import print_table, tsv_line

Json: TypeAlias = Any
"""A value that orjson returns."""

_STORES = (
    ResultColumn("name", "text"),
    ResultColumn("kind", "text"),
    ResultColumn("key", "text"),
    ResultColumn("partitions", "integer"),
    ResultColumn("running", "integer"),
    ResultColumn("epoch", "bigint"),
)
_COLUMNS = tuple(ResultColumn(name, "text") for name in ("column", "type", "part"))
_REPLICAS = (
    ResultColumn("partition", "integer"),
    ResultColumn("role", "text"),
    ResultColumn("state", "text"),
    ResultColumn("epoch", "bigint"),
    ResultColumn("error", "text"),
)


def list_stores(out: Console, stores: Sequence[Mapping[str, Json]]) -> None:
    """Print stores as a table; in a pipe, as tab-separated lines."""
    rows = [_store_row(store) for store in stores]
    if out.is_terminal:
        print_table(out, _STORES, rows)
        return
    for row in ([column.name for column in _STORES], *rows):
        out.file.write(tsv_line(row) + "\n")


def print_store(out: Console, store: Mapping[str, Json]) -> None:
    """Print one store: its columns, then its replicas."""
    keys = {column["name"] for column in store.get("key", [])}
    rows = [
        (each["name"], each["type"], "key" if each["name"] in keys else None)
        for each in store.get("columns", [])
    ]
    print_table(out, _COLUMNS, rows)
    names = [column.name for column in _REPLICAS]
    replicas = [[each.get(name) for name in names] for each in store.get("replicas", [])]
    print_table(out, _REPLICAS, replicas)


def _store_row(store: Mapping[str, Json]) -> list[Json]:
    key = ", ".join(str(column["name"]) for column in store.get("key", []))
    names = ("partitions", "running", "committed_epoch")
    return [store.get("name"), store.get("kind"), key, *(store.get(name) for name in names)]
