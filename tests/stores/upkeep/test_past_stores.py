"""Stores as of earlier epochs, built from a log, are what replicas were at these epochs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import LogError
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.past import PastEpoch
from stategate.stores.spec.query import KeyQuery, RangeQuery
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import ReplicaState, in_store
from stategate.stores.upkeep.past_stores import LogPast
from tests.stores.test_kinds import AT
from tests.stores.upkeep.test_changes import EPOCHS, STORES, keyed, shown_rows, written
from tests.support.stores import keyvalue

USERS = keyvalue("s", {"id": "bigint"}, {"n": "bigint"}, partitions=2)


class Going:
    """A `Stop` that stops after so many checks."""

    remaining_s = None
    trace: tuple[str, str] | None = None

    def __init__(self, checks: int = 1 << 30) -> None:
        self._checks = checks

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        return callback

    def check(self) -> None:
        self._checks -= 1
        if self._checks < 0:
            raise TimeoutError


def put(root: Path, ids: range, n: int, *, epoch: int | None = None) -> None:
    rows = pa.table({"id": list(ids), "n": [n] * len(ids)})
    StoreWriter(root, USERS).write(rows, position=AT, epoch=epoch, committed_ms=1_000 + n)


def past(root: Path, *, bytes_max: int = 1 << 30) -> LogPast:
    """Return the past of a log, built in a directory beside it."""
    scratch = root / "_scratch"
    scratch.mkdir(exist_ok=True)
    return LogPast(root, bytes_max=bytes_max, scratch=scratch)


def at(root: Path, epoch: int, *, schema: StoreSchema | None = None) -> PastEpoch:
    log = StoreLog.open(root, "s")
    commit = log.commit(epoch)
    committed_ms = 0 if commit is None else commit.committed_ms
    return PastEpoch(schema=schema or log.schema(), epoch=epoch, committed_ms=committed_ms)


@pytest.mark.parametrize("name", STORES)
def test_they_have_the_rows_of_replicas(tmp_path: Path, name: str) -> None:
    schema = STORES[name]
    states = [[], *written(tmp_path, schema, 3)]
    for epoch in range(-1, EPOCHS):
        with past(tmp_path).open([at(tmp_path, epoch)], stop=Going()) as opened:
            store = opened.stores["s"]
            assert keyed(shown_rows(store, schema)) == states[epoch + 1]  # type: ignore[arg-type]
            found = store.statuses().values()
            assert {each.progress.epoch for each in found} == {epoch}
            assert {each.state for each in found} == {ReplicaState.RUNNING}
            hold = store.hold(0, epoch)
            assert hold is not None
            hold.release()
            assert opened.problem is None
    assert list((tmp_path / "_scratch").iterdir()) == []


def test_only_partitions_that_are_asked_are_built(tmp_path: Path) -> None:
    put(tmp_path, range(20), 0)
    put(tmp_path, range(20), 1)
    with past(tmp_path).open([at(tmp_path, 0)], stop=Going()) as opened:
        store = opened.stores["s"]
        assert store.statuses() == {}
        answers = [store.query_partition(1, KeyQuery(key=(number,))) for number in range(20)]
        assert {each.value for each in answers if isinstance(each, Success)} == {(0,), None}
        assert store.statuses().keys() == {1}
        failure = store.query_partition(7, RangeQuery())
        assert isinstance(failure, Failure)
        assert failure.message == 'store "s" has partitions 0 to 1, not 7'
        assert store.hold(7) is None
        found = store.query(in_store("s").with_query(RangeQuery()))
        assert found.partitions.keys() == {0, 1}
        assert not found.failures


def test_a_number_that_no_epoch_has_is_the_epoch_before(tmp_path: Path) -> None:
    put(tmp_path, range(3), 0)
    put(tmp_path, range(3), 5, epoch=5)
    schema = StoreLog.open(tmp_path, "s").schema()
    between = PastEpoch(schema=schema, epoch=3, committed_ms=1_000)
    with past(tmp_path).open([between], stop=Going()) as opened:
        assert {row[1] for row in shown_rows(opened.stores["s"], USERS)} == {0}  # type: ignore[arg-type]


def test_an_epoch_that_is_another_one_by_now(tmp_path: Path) -> None:
    put(tmp_path, range(3), 0)
    schema = StoreLog.open(tmp_path, "s").schema()
    other = PastEpoch(schema=schema, epoch=0, committed_ms=7)
    with (
        pytest.raises(LogError, match=r"not the one that it was: its log was put back from a copy"),
        past(tmp_path).open([other], stop=Going()),
    ):
        pass
    wider = keyvalue("s", {"id": "bigint"}, {"n": "bigint", "m": "bigint"}, partitions=2)
    for other_schema in (wider, replace(schema, incarnation="5e0c")):
        with (
            pytest.raises(LogError, match='store "s" was rebuilt or created again'),
            past(tmp_path).open([at(tmp_path, 0, schema=other_schema)], stop=Going()),
        ):
            pass


def test_work_that_is_too_much_or_too_long(tmp_path: Path) -> None:
    put(tmp_path, range(2_000), 0)
    wanted = at(tmp_path, 0)
    with past(tmp_path, bytes_max=500).open([wanted], stop=Going()) as opened:
        failure = opened.stores["s"].query_partition(0, RangeQuery())
        assert isinstance(failure, Failure)
        assert failure.message == opened.problem
        assert "more than 500 bytes of the log" in failure.message
        found = opened.stores["s"].query(in_store("s").with_query(RangeQuery()))
        assert {each.message for each in found.failures.values()} == {failure.message}
    for checks in range(1, 4):
        with (
            past(tmp_path).open([wanted], stop=Going(checks)) as opened,
            pytest.raises(TimeoutError),
        ):
            opened.stores["s"].query_partition(0, RangeQuery())
    assert list((tmp_path / "_scratch").iterdir()) == []
