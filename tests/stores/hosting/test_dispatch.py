"""Dispatch gives each failure exactly when it applies, and a position with every answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import FailureReason, StoreError
from stategate.stores.hosting.dispatch import query_partition
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.position import EMPTY, Position, PositionBound, Progress
from stategate.stores.spec.query import KeyQuery, Query, RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.schema import StoreKind, StoreSchema
from stategate.stores.spec.store import (
    DEFAULT_CONFIG,
    Handler,
    QueryConfig,
    ReplicaState,
    Role,
    View,
)
from stategate.stores.spec.windows import WindowKeyQuery, WindowRangeQuery
from tests.support.stores import batch, fill, keyvalue, open_store, progress, window
from tests.support.values import rows_of

CLICKS = keyvalue("clicks", {"k": "text"}, {"n": "bigint"}, partitions=1)
HOURS = window("hours", {"k": "text"}, {"n": "bigint"}, partitions=1)
KNOWN = KeyQuery.with_key("a")
AHEAD = PositionBound.at(Position.of({"events": {0: 6}}))
REACHED = PositionBound.at(Position.of({"events": {0: 5}}))


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenQuery(Query[int]):
    """A query of an engine with a bug, or a broken disk."""


class BrokenPartition:
    """A `StorePartition` whose handler raises."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    @property
    def view(self) -> View:
        return View(progress=progress(3, 5), data=None)

    @property
    def handlers(self) -> Mapping[type[Query[Any]], Handler]:
        return {BrokenQuery: self._raise}

    def apply(
        self, progress: Progress, batches: Iterable[pa.RecordBatch], *, replace: bool = False
    ) -> None:
        raise self._error

    def close(self) -> None:
        """Release nothing."""

    def _raise(self, view: View, query: BrokenQuery) -> int:
        raise self._error


def replica(
    schema: StoreSchema = CLICKS, *, role: Role = Role.ACTIVE, restore_to: int = 0
) -> Replica:
    """Return a replica at epoch 3 and offset 5, with one row."""
    engine = MemoryPartition(schema, 0)
    row = ("a", 1) if schema is CLICKS else ("a", 0, 3_600_000_000, 1)
    engine.apply(progress(3, 5, committed_ms=1_000), [batch(schema, [row])])
    return Replica(engine, schema=schema, partition=0, role=role, restore_to=restore_to)


def ask(
    of: Replica, query: Query[Any] = KNOWN, config: QueryConfig = DEFAULT_CONFIG
) -> Success[Any] | Failure:
    return query_partition(of, query, config, lambda: 1_500)


def reason(result: Success[Any] | Failure) -> FailureReason | None:
    return result.reason if isinstance(result, Failure) else None


@pytest.mark.parametrize(
    ("role", "state", "query", "config", "expected"),
    [
        (Role.ACTIVE, "running", KNOWN, QueryConfig(), None),
        (Role.STANDBY, "running", KNOWN, QueryConfig(), None),
        (Role.ACTIVE, "running", KNOWN, QueryConfig(active=True), None),
        (Role.ACTIVE, "running", KNOWN, QueryConfig(bound=REACHED), None),
        (Role.ACTIVE, "running", KNOWN, QueryConfig(active=True, bound=REACHED), None),
        (Role.STANDBY, "running", KNOWN, QueryConfig(active=True), "NOT_ACTIVE"),
        (Role.ACTIVE, "running", KNOWN, QueryConfig(bound=AHEAD), "NOT_UP_TO_BOUND"),
        # A request for an active replica keeps its bound.
        (Role.ACTIVE, "running", KNOWN, QueryConfig(active=True, bound=AHEAD), "NOT_UP_TO_BOUND"),
        (Role.STANDBY, "running", KNOWN, QueryConfig(active=True, bound=AHEAD), "NOT_ACTIVE"),
        (
            Role.ACTIVE,
            "running",
            KNOWN,
            QueryConfig(bound=PositionBound(lag_ms_max=499)),
            "NOT_UP_TO_BOUND",
        ),
        (Role.ACTIVE, "running", KNOWN, QueryConfig(bound=PositionBound(lag_ms_max=500)), None),
        # A restoring replica does not answer, whatever the bound.
        (Role.ACTIVE, "restoring", KNOWN, QueryConfig(), "NOT_UP_TO_BOUND"),
        (Role.ACTIVE, "restoring", KNOWN, QueryConfig(bound=REACHED), "NOT_UP_TO_BOUND"),
        (Role.ACTIVE, "restoring", KNOWN, QueryConfig(active=True), "NOT_ACTIVE"),
        # An unknown type is reported before failures that may pass with time.
        (
            Role.ACTIVE,
            "running",
            WindowRangeQuery(),
            QueryConfig(bound=AHEAD),
            "UNKNOWN_QUERY_TYPE",
        ),
        (Role.ACTIVE, "restoring", WindowRangeQuery(), QueryConfig(), "UNKNOWN_QUERY_TYPE"),
        (Role.STANDBY, "running", BrokenQuery(), QueryConfig(active=True), "UNKNOWN_QUERY_TYPE"),
        # The bound is checked before the arguments of the query.
        (Role.ACTIVE, "running", KeyQuery.with_key("a", 1), QueryConfig(), "STORE_EXCEPTION"),
        (
            Role.ACTIVE,
            "running",
            KeyQuery.with_key("a", 1),
            QueryConfig(bound=AHEAD),
            "NOT_UP_TO_BOUND",
        ),
    ],
)
def test_each_failure_exactly_when_it_applies(
    role: Role, state: str, query: Query[Any], config: QueryConfig, expected: str | None
) -> None:
    asked = replica(role=role, restore_to=4 if state == "restoring" else 3)
    assert asked.state.value == state
    result = ask(asked, query, config)
    assert reason(result) == (None if expected is None else FailureReason(expected))
    assert (result.position, result.epoch) == (Position.of({"events": {0: 5}}), 3)
    assert result.info == ()


def test_restoring_and_being_behind_are_different_failures() -> None:
    restoring, behind = ask(replica(restore_to=4)), ask(replica(), config=QueryConfig(bound=AHEAD))
    assert isinstance(restoring, Failure)
    assert isinstance(behind, Failure)
    assert restoring.restoring
    assert "restoring, at epoch 3" in restoring.message
    assert not behind.restoring
    assert behind.message == "events[0] is at offset 5, behind 6"


@pytest.mark.parametrize(
    "error", [ValueError("bad bytes"), StoreError("disk"), KeyError("k"), MemoryError(), OSError(5)]
)
def test_exceptions_are_contained(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """An error that was not raised on purpose is logged with its traceback."""
    broken = Replica(BrokenPartition(error), schema=CLICKS, partition=0)
    result = ask(broken, BrokenQuery())
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.STORE_EXCEPTION
    assert result.message == f"{type(error).__name__}: {error}"
    assert (result.position, result.epoch) == (Position.of({"events": {0: 5}}), 3)
    logged = [(r.getMessage(), r.exc_info and r.exc_info[1]) for r in caplog.records]
    told = ("a query failed store=clicks partition=0 query=BrokenQuery", error)
    assert logged == ([] if isinstance(error, StoreError) else [told])


def test_a_closed_partition_is_not_present() -> None:
    closed = replica()
    closed.close()
    result = ask(closed, config=QueryConfig(info=True))
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.NOT_PRESENT
    assert result.message == 'partition 0 of store "clicks" is closed'
    assert (result.position, len(result.info)) == (EMPTY, 1)
    assert closed.status.state is ReplicaState.CLOSED


def test_a_closing_partition_is_not_present() -> None:
    """Its engine stays open until the epoch that is being applied is in."""
    closing = replica()
    closing.state = ReplicaState.CLOSED
    result = ask(closing)
    assert isinstance(result, Failure)
    assert result.reason is FailureReason.NOT_PRESENT
    assert result.message == 'partition 0 of store "clicks" is closed'


@pytest.mark.parametrize(
    ("query", "config", "succeeds"),
    [
        (KNOWN, QueryConfig(info=True), True),
        (KNOWN, QueryConfig(info=True, bound=AHEAD), False),
        (WindowRangeQuery(), QueryConfig(info=True), False),
        (KeyQuery.with_key("nobody"), QueryConfig(info=True), True),
        (KeyQuery.with_key(1), QueryConfig(info=True), False),
        (KeyQuery.with_key("a", 1), QueryConfig(info=True), False),
    ],
)
def test_execution_info_comes_with_every_answer(
    query: Query[Any], config: QueryConfig, succeeds: bool
) -> None:
    result = ask(replica(), query, config)
    assert isinstance(result, Success) == succeeds
    (line,) = result.info
    assert line.startswith("handled in MemoryPartition: ")


@pytest.mark.parametrize(
    ("kind", "answered"),
    [
        (StoreKind.KEYVALUE, {"KeyQuery", "FewKeysQuery", "KeysQuery", "RangeQuery"}),
        (StoreKind.GLOBAL, {"KeyQuery", "FewKeysQuery", "KeysQuery", "RangeQuery"}),
        (StoreKind.WINDOW, {"WindowKeyQuery", "WindowRangeQuery"}),
    ],
)
def test_each_kind_answers_at_least_its_queries(kind: StoreKind, answered: set[str]) -> None:
    schema = StoreSchema(
        name="s",
        kind=kind,
        key=CLICKS.key,
        value=CLICKS.value,
        partitions=1,
        window_size_ms=1 if kind is StoreKind.WINDOW else None,
    )
    assert answered <= {each.__name__ for each in MemoryPartition(schema, 0).handlers}


def test_the_answer_of_one_key() -> None:
    store = open_store(CLICKS)
    fill(store, [("a", 1), ("b", None)])
    for key, value in (("a", (1,)), ("b", (None,)), ("c", None)):
        result = store.query_partition(0, KeyQuery.with_key(key))
        assert isinstance(result, Success)
        assert result.value == value


def test_windows_of_a_key() -> None:
    query = WindowKeyQuery.with_key_and_window_start_range(("a",), start_ms=0, end_ms=0)
    result = ask(replica(HOURS), query)
    assert isinstance(result, Success)
    assert rows_of(result.value) == [("a", 0, 3_600_000_000, 1)]


def test_columns_are_chosen_and_checked() -> None:
    result = ask(replica(), RangeQuery(columns=("n",)))
    assert isinstance(result, Success)
    assert rows_of(result.value) == [(1,)]
    unknown = ask(replica(), RangeQuery(columns=("no",)))
    assert isinstance(unknown, Failure)
    assert unknown.message == 'SchemaError: store "clicks" has no column "no"'
