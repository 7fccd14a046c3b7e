"""Formats what a state log holds, for `stategate log show`."""

from __future__ import annotations

import datetime
import sys
from typing import Any, TypeAlias

import orjson
from rich.console import Console

from stategate.gateway.cli.client import ResultColumn
from stategate.gateway.cli.display import print_table
from stategate.stores.log.checking.listing import Entry, Listing
from stategate.stores.log.metadata.moves import Move
from stategate.stores.log.metadata.records import Commit, Skip, Snapshot

Json: TypeAlias = Any
"""A value that orjson writes."""

_COLUMNS = {
    "epoch": "bigint",
    "committed": "text",
    "rows": "bigint",
    "bytes": "bigint",
    "files": "bigint",
    "replace": "text",
    "position": "text",
    "watermark": "text",
    "writer": "text",
    "term": "bigint",
    "state": "text",
}
_PIPE_WIDTH = 10_000
"""Characters of a line in a pipe, so that no line is folded."""


def listing_json(listing: Listing) -> str:
    """Return what a log holds as one line of JSON."""
    schema, term = listing.schema, listing.term
    document = {
        "store": listing.store,
        "kind": None if schema is None else schema.kind.value,
        "key": None if schema is None else [column.name for column in schema.key],
        "partitions": None if schema is None else schema.partitions,
        "records": listing.records,
        "oldest": listing.oldest,
        "head": listing.head,
        "term": None if term is None else term.term,
        "writer": None if term is None else term.writer,
        "snapshots": [_snapshot_json(each) for each in listing.snapshots],
        "snapshots_older": listing.snapshots_older,
        "epochs": [_entry_json(each) for each in listing.entries],
        "damages": list(listing.damages),
    }
    return orjson.dumps(document).decode()


def _snapshot_json(snapshot: Snapshot) -> Json:
    return {
        "epoch": snapshot.epoch,
        "rows": sum(file.rows for file in snapshot.files),
        "size_bytes": sum(file.size_bytes for file in snapshot.files),
        "position": orjson.Fragment(snapshot.position.token()),
        "watermark_ms": snapshot.watermark_ms,
    }


def _entry_json(entry: Entry) -> Json:
    """Return an entry with its number and its state: `committed`, `skip`, `moved` or `damaged`."""
    document: dict[str, Json] = {"epoch": entry.number, "state": _state(entry)}
    if isinstance(entry.record, Skip):
        document["next_epoch"] = entry.record.next_epoch
    if isinstance(entry.record, Commit):
        commit = entry.record
        document |= {
            "previous": commit.previous,
            "committed_ms": commit.committed_ms,
            "rows": commit.rows,
            "size_bytes": sum(file.size_bytes for file in commit.files),
            "files": len(commit.files),
            "replace": commit.replace,
            "position": orjson.Fragment(commit.position.token()),
            "watermark_ms": commit.watermark_ms,
            "writer": commit.writer,
            "term": commit.term,
        }
    return document if entry.damage is None else {**document, "damage": entry.damage}


def _state(entry: Entry) -> str:
    if entry.damage is not None:
        return "damaged"
    if isinstance(entry.record, Move):
        return "moved"
    return "skip" if isinstance(entry.record, Skip) else "committed"


def print_listing(listing: Listing) -> None:
    """Print what a log holds as a heading, a table of its epochs, and its damage on stderr."""
    console = Console(width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)
    for line in _heading(listing):
        print(line)
    if listing.entries:
        columns = [ResultColumn(name, kind) for name, kind in _COLUMNS.items()]
        print_table(console, columns, map(_row, listing.entries))
    sys.stdout.flush()
    for damage in (*listing.damages, *(each.damage for each in listing.entries)):
        if damage is not None:
            print(f"{listing.store}: {damage}", file=sys.stderr, flush=True)


def _heading(listing: Listing) -> list[str]:
    schema, term = listing.schema, listing.term
    parts = ["not defined"]
    if schema is not None:
        keys = ", ".join(column.name for column in schema.key)
        parts = [schema.kind.value, f"key {keys}", _counted(schema.partitions, "partition")]
    if listing.oldest is None:
        parts.append("no epochs")
    else:
        parts.append(f"{_counted(listing.records, 'record')} from epoch {listing.oldest}")
    if listing.head is not None:
        parts.append(f"head {listing.head}")
    if term is not None:
        parts.append(f"term {term.term} since {_time(term.taken_ms)}")
    lines = [f"{listing.store}: {'; '.join(parts)}"]
    for each in listing.snapshots:
        rows, size = (_snapshot_json(each)[name] for name in ("rows", "size_bytes"))
        lines.append(f"snapshot of epoch {each.epoch}: {_counted(rows, 'row')}, {size} bytes")
    if listing.snapshots_older:
        lines.append(f"{_counted(listing.snapshots_older, 'older snapshot')}")
    return lines


def _row(entry: Entry) -> list[Json]:
    record, state = entry.record, _state(entry)
    if not isinstance(record, Commit):
        nothing = [""] * (len(_COLUMNS) - 2)
        shown = f"skip to {record.next_epoch}" if isinstance(record, Skip) else state
        return [entry.number, *nothing, shown]
    return [
        entry.number,
        _time(record.committed_ms),
        record.rows,
        sum(file.size_bytes for file in record.files),
        len(record.files),
        "yes" if record.replace else "",
        record.position.token(),
        "" if record.watermark_ms is None else _time(record.watermark_ms),
        record.writer,
        record.term,
        state,
    ]


def _time(ms: int) -> str:
    """Return a time in UTC; one that Python's calendar lacks as its number."""
    try:
        moment = datetime.datetime.fromtimestamp(ms / 1000, tz=datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return f"{ms} ms"
    return moment.isoformat(sep=" ", timespec="milliseconds").removesuffix("+00:00") + "Z"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
