"""Names of relations: schemas, quotes, near misses, and the gateway's own relations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
import sqlglot
from sqlglot import exp

from stategate.planner.binding.relations import SYSTEM_RELATIONS, resolve
from stategate.planner.binding.running_statements import RunningQueries, SlowQueries
from stategate.planner.binding.system_rows import Surroundings, system_table
from stategate.planner.errors import QueryError, UnknownNameError
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result, StatementKind
from stategate.stores.hosting.host import Host
from stategate.stores.log.metadata.documents import encode_document
from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.schema import Row
from tests.planner.world import STORES
from tests.support.stores import FixedCatalog, batch, keyvalue, open_store, progress, window
from tests.support.waiting import until

CATALOG = FixedCatalog(*(open_store(schema) for schema in STORES))


def table(name: str) -> exp.Table:
    found = sqlglot.parse_one(f"SELECT * FROM {name}", read="postgres").find(exp.Table)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "relation"),
    [
        ("people", "people"),
        ("PEOPLE", "people"),
        ('"people"', "people"),
        ("public.people", "people"),
        ('"Mixed"', "Mixed"),
        ("stategate.stores", "stores"),
        ("STATEGATE.Partitions", "partitions"),
    ],
)
def test_names(name: str, relation: str) -> None:
    assert resolve(table(name), CATALOG).name == relation


@pytest.mark.parametrize(
    ("name", "sqlstate", "hint"),
    [
        ("peple", "42P01", 'Perhaps you meant "people".'),
        ("Mixed", "42P01", 'Perhaps you meant "Mixed".'),
        ("elsewhere", "42P01", "SHOW STORES lists the stores."),
        ("stores", "42P01", None),
        ("stategate.store", "42P01", 'Perhaps you meant "stores".'),
        ("stategate.people", "42P01", None),
        ("other.people", "3F000", None),
    ],
)
def test_unknown_names(name: str, sqlstate: str, hint: str | None) -> None:
    with pytest.raises(UnknownNameError) as caught:
        resolve(table(name), CATALOG)
    assert caught.value.sqlstate == sqlstate
    assert caught.value.position is not None
    if hint is not None:
        assert caught.value.hint == hint


def test_pseudo_columns_are_readable_but_not_in_the_star() -> None:
    relation = resolve(table("clicks"), CATALOG)
    assert [c.name for c in relation.columns] == ["name", "window_start", "window_end", "clicks"]
    assert set(relation.readable) - {c.name for c in relation.columns} == {
        *("_partition", "_timestamp", "_epoch")
    }


@pytest.mark.parametrize("name", SYSTEM_RELATIONS)
def test_system_relations_have_their_declared_columns(name: str) -> None:
    session, queries = Session(), RunningQueries(lambda: 4, slow=SlowQueries(0))
    queries.watch(
        "SELECT", session, lambda: Result(kind=StatementKind.SELECT, rows=()), Cancellation()
    )
    queries.watch(
        "SELECT",
        session,
        lambda: Result(kind=StatementKind.SELECT, batches=iter(())),
        Cancellation(),
    )
    around = Surroundings(
        catalog=CATALOG, rights=Rights(), queries=queries, session=session, node="me", now_ms=5
    )
    found = system_table(name, around)
    assert found.schema.names == [column.name for column in SYSTEM_RELATIONS[name]]
    assert [field.type for field in found.schema] == [
        column.type.arrow for column in SYSTEM_RELATIONS[name]
    ]
    assert found.num_rows > 0


def test_partitions_show_late_records() -> None:
    hours = window("hours", {"usr": "text"}, {"n": "bigint"}, partitions=1, retention_ms=60_000)
    store = open_store(hours)
    rows: list[Row] = [("ann", 0, 0, 1), ("ann", 60_001_000, 0, 1), ("bob", 0, 0, 1)]
    store.replicas[0].apply(progress(0, watermark_ms=120_000), [batch(hours, rows)])
    around = Surroundings(
        rights=Rights(),
        catalog=FixedCatalog(store),
        queries=RunningQueries(lambda: 4),
        session=Session(),
        node="me",
        now_ms=5,
    )
    assert system_table("partitions", around).column("late_rows").to_pylist() == [2]


def test_stores_show_whether_the_latest_row_wins() -> None:
    usual = keyvalue("usual", {"usr": "text"}, {"n": "bigint"}, partitions=1)
    timed = replace(usual, name="timed", by_event_time=True)
    around = Surroundings(
        rights=Rights(),
        catalog=FixedCatalog(open_store(usual), open_store(timed)),
        queries=RunningQueries(lambda: 4),
        session=Session(),
        node="me",
        now_ms=5,
    )
    assert system_table("stores", around).column("by_event_time").to_pylist() == [True, False]


LATER = window("later", {"usr": "text"}, {"n": "bigint"}, partitions=1)


def damaged(definition: bytes) -> bytes:
    return definition[:20]


def of_another_kind(definition: bytes) -> bytes:
    found = orjson.loads(definition)
    found["kind"] = "greatest"
    return encode_document({n: v for n, v in found.items() if n not in {"format", "checksum"}})


def refusals(host: Host, name: str) -> set[tuple[str, bool, str]]:
    """Return how each way to name a store is refused: SQLSTATE, whether to retry, and why."""
    engine, typed = SqlEngine(host), TypedQueries(host)
    session = Session()
    tries: list[Callable[[], object]] = [
        lambda: engine.prepare(f"SELECT n FROM {name}", session),
        lambda: engine.prepare(f"SELECT 1 WHERE EXISTS (SELECT 1 FROM public.{name})", session),
        lambda: engine.prepare(f"DESCRIBE {name}", session),
        lambda: typed.key(name),
        lambda: typed.describe(name, "count"),
    ]
    found = set()
    for each in tries:
        with pytest.raises(QueryError) as caught:
            each()
        found.add((caught.value.sqlstate, caught.value.retryable, str(caught.value.detail)))
    engine.close()
    return found


def test_a_store_is_called_unknown_only_after_the_log_was_read(tmp_path: Path) -> None:
    root = tmp_path / "log"
    host = Host(str(root), tmp_path / "data", poll_ms=60_000)
    (early,) = refusals(host, "later")
    assert early == ("55S04", True, "The host has not been started.")
    host.start()
    try:
        ((sqlstate, retryable, why),) = refusals(host, "later")
        assert (sqlstate, retryable, "The log has not been read" in why) == ("55S04", True, True)
        StoreLog.open(root, "later").define(LATER)
        host.wake("later")
        until(lambda: "later" in host.stores)
        engine = SqlEngine(host)
        assert engine.prepare("SELECT n FROM later", Session()).columns
        assert {code for code, *_ in refusals(host, "other")} == {"42P01"}
    finally:
        host.close()
    ((sqlstate, retryable, why),) = refusals(host, "gone")
    assert (sqlstate, retryable, why) == ("58030", False, "The host has stopped.")


@pytest.mark.parametrize(
    ("spoil", "sqlstate", "retryable", "why"),
    [
        (damaged, "55S04", True, "is not complete JSON"),
        (of_another_kind, "0A000", False, 'kind "greatest" is not registered'),
    ],
)
def test_the_error_of_a_store_that_cannot_be_opened_has_the_reason(
    tmp_path: Path, spoil: Callable[[bytes], bytes], sqlstate: str, why: str, *, retryable: bool
) -> None:
    StoreLog.open(tmp_path, "later").define(LATER)
    path = tmp_path / "later" / "store.json"
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    host = Host(str(tmp_path), poll_ms=60_000)
    host.start()
    try:
        ((found, may_retry, detail),) = refusals(host, "later")
        assert (found, may_retry) == (sqlstate, retryable)
        assert why in detail
        path.write_bytes(whole)
        host.wake("later")
        until(lambda: "later" in host.stores)
        assert TypedQueries(host).key("later") == LATER.key
    finally:
        host.close()
