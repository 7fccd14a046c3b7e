"""Each query by name, with each of its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from stategate.planner.running.shipped_queries import ShippedQuery, shipped_queries
from stategate.planner.typed import TypedQueries, TypedQuery
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import StoreKind
from tests.support.stores import FixedCatalog, keyvalue, open_store, timed, window

STORES = {
    StoreKind.KEYVALUE: keyvalue("rows", {"name": "text"}, {"n": "bigint"}),
    StoreKind.WINDOW: window("windows", {"name": "text"}, {"n": "bigint"}),
    StoreKind.SESSION: timed(StoreKind.SESSION, "sessions", {"name": "text"}, {"n": "bigint"}),
    StoreKind.VERSIONED: timed(StoreKind.VERSIONED, "versions", {"name": "text"}, {"n": "bigint"}),
}
VALUES: Mapping[str, Any] = {
    "bigint": 1,
    "boolean": True,
    "text": "asc",
    "text[]": ["n"],
    "key": ("a",),
    "list": (("a",),),
}
QUERIES = [(kind, each) for kind in STORES for each in shipped_queries(kind).values()]


def arguments_of(query: TypedQuery) -> dict[str, Any]:
    """Return a value for each argument."""
    return {
        name: VALUES["list" if each.is_list else "key" if each.is_key else str(each.types[0])]
        for name, each in query.arguments.items()
        if name != "text"
    }


@pytest.mark.parametrize(("kind", "shipped"), QUERIES, ids=lambda each: getattr(each, "name", ""))
def test_a_query_takes_all_its_arguments(kind: StoreKind, shipped: ShippedQuery) -> None:
    typed = TypedQueries(FixedCatalog(open_store(STORES[kind])))
    query = typed.describe(STORES[kind].name, shipped.name)
    everything = arguments_of(query)
    needed = {name: everything[name] for name in shipped.required}
    if shipped.name == "prefix":
        needed = {"prefix": everything["prefix"]}
    for given in (everything, needed, *({**needed, name: everything[name]} for name in everything)):
        answer = typed.ask(query, given, Session(), cancellation=Cancellation())
        assert {each.answer.status for each in answer.partitions} == {"ok"}
