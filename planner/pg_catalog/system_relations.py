"""The relations of schema `stategate`, as the catalog announces them; the engine has their rows."""

from __future__ import annotations

from collections.abc import Mapping

from stores.schema import BIGINT, INTEGER, TEXT, TIMESTAMPTZ, Column

SYSTEM_SCHEMA = "stategate"

SYSTEM_RELATIONS: Mapping[str, tuple[Column, ...]] = {
    "stores": (
        Column(name="store", type=TEXT),
        Column(name="kind", type=TEXT),
        Column(name="partitions", type=INTEGER),
        Column(name="key", type=TEXT),
        Column(name="inputs", type=TEXT),
        Column(name="window_size_ms", type=BIGINT),
        Column(name="retention_ms", type=BIGINT),
    ),
    "partitions": (
        Column(name="store", type=TEXT),
        Column(name="partition", type=INTEGER),
        Column(name="node", type=TEXT),
        Column(name="role", type=TEXT),
        Column(name="state", type=TEXT),
        Column(name="epoch", type=BIGINT),
        Column(name="position", type=TEXT),
        Column(name="lag", type=BIGINT),
    ),
    "nodes": (
        Column(name="node", type=TEXT),
        Column(name="address", type=TEXT),
        Column(name="state", type=TEXT),
    ),
    "queries": (
        Column(name="id", type=BIGINT),
        Column(name="user", type=TEXT),
        Column(name="sql", type=TEXT),
        Column(name="started", type=TIMESTAMPTZ),
    ),
    "settings": (
        Column(name="name", type=TEXT),
        Column(name="value", type=TEXT),
        Column(name="description", type=TEXT),
    ),
}
"""Name → columns."""
