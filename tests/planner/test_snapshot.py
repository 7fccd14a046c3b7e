"""Snapshots: one epoch for everything that a statement or transaction reads from one pipeline."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.hosting.host import Host
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import VIEWS_MAX
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import Row
from tests.planner.accounts import (
    ACCOUNTS,
    BOTH,
    LEDGER,
    REPEATABLE,
    SELF_JOIN,
    TOTAL,
    ask,
    held,
    made,
    put,
    shifted,
)
from tests.planner.refusals import refusal
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog


@pytest.fixture
def store() -> LocalStore:
    return made(ACCOUNTS)


@pytest.fixture
def engine(store: LocalStore) -> SqlEngine:
    return SqlEngine(FixedCatalog(store))


def test_a_snapshot_is_the_newest_epoch_of_all_partitions(
    engine: SqlEngine, store: LocalStore
) -> None:
    put(store, shifted(1), 1, [0, 1])
    put(store, shifted(2), 2, [0])
    assert ask(engine, TOTAL) != [(1200, 12)]
    result = run(engine, f"{TOTAL} WITH BOUND (SNAPSHOT)")
    assert rows_of(result) == [(1200, 12)]
    assert {answer.epoch for answer in result.partitions} == {0}
    session = Session(settings={"stategate.consistency": "snapshot"})
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    assert ask(engine, f"{TOTAL} WITH BOUND (UNBOUNDED)", session) != [(1200, 12)]


def test_a_snapshot_spans_the_stores_of_a_pipeline() -> None:
    accounts, ledger = made(ACCOUNTS), made(LEDGER)
    engine = SqlEngine(FixedCatalog(accounts, ledger))
    put(accounts, [(1, 400)], 1)
    assert ask(engine, BOTH) == [(1500, -1200)]
    assert ask(engine, f"{BOTH} WITH BOUND (SNAPSHOT)") == [(1200, -1200)]
    put(ledger, [(1, 400)], 1)
    assert ask(engine, f"{BOTH} WITH BOUND (SNAPSHOT)") == [(1500, -1500)]


def test_unnamed_writers_share_no_pipeline() -> None:
    accounts, ledger = made(ACCOUNTS), made(LEDGER)
    for store in (accounts, ledger):
        for replica in store.replicas.values():
            replica.pipeline = "python"
    for epoch in range(1, 9):
        put(accounts, shifted(epoch), epoch)
    engine = SqlEngine(FixedCatalog(accounts, ledger))
    assert ask(engine, f"{BOTH} WITH BOUND (SNAPSHOT)") == [(1200, -1200)]


def test_the_latest_snapshot_is_the_epoch_that_all_stores_of_the_pipeline_have() -> None:
    accounts, ledger = made(ACCOUNTS), made(LEDGER)
    engine = SqlEngine(FixedCatalog(accounts, ledger))
    put(accounts, [(1, 400)], 1)
    # The ledger has not committed epoch 1, so it is not an epoch of the pipeline yet.
    assert ask(engine, f"{BOTH} WITH BOUND (LATEST, SNAPSHOT)") == [(1200, -1200)]


def test_a_bound_holds_for_the_epoch_that_is_read(engine: SqlEngine, store: LocalStore) -> None:
    put(store, shifted(1), 1, [0, 1])
    error = refusal(engine, f"{TOTAL} WITH BOUND (SNAPSHOT, events[0] >= 1)")
    assert (error.sqlstate, error.retryable) == ("55S01", True)


@pytest.mark.parametrize("bound", ["SNAPSHOT", "SNAPSHOT, events[0] >= 9"])
def test_a_snapshot_waits_for_the_partition_that_is_behind(
    engine: SqlEngine, store: LocalStore, bound: str
) -> None:
    """Partition 2 is so far behind that the others have forgotten its epoch."""
    for epoch in range(1, 10):
        put(store, shifted(epoch), epoch, [0, 1])
    error = refusal(engine, f"{TOTAL} WITH BOUND ({bound})")
    assert error.sqlstate == "55S01"
    error = refusal(engine, f"{TOTAL} WITH BOUND ({bound}), WAIT '5 ms'")
    assert error.sqlstate == "55S01"
    session = Session()
    text = f"{TOTAL} WITH BOUND ({bound}), WAIT '60 s'"
    found: list[list[Row]] = []
    asking = threading.Thread(target=lambda: found.append(ask(engine, text, session)))
    asking.start()
    for epoch in range(1, 10):
        put(store, shifted(epoch), epoch, [2])
    asking.join()
    assert found == [[(1200, 12)]]


def test_a_lookup_reads_the_newest_epoch(engine: SqlEngine, store: LocalStore) -> None:
    put(store, [(1, 7)], 1)
    sql = "SELECT amount FROM accounts WHERE id = 1 WITH BOUND (SNAPSHOT)"
    assert engine.is_inline(engine.prepare(sql, Session()), Session())
    assert ask(engine, sql) == [(7,)]


def test_explain_shows_the_bound(engine: SqlEngine) -> None:
    lines = [line for (line,) in ask(engine, f"EXPLAIN {TOTAL} WITH BOUND (SNAPSHOT)")]
    assert "with bound (snapshot)" in lines


def test_two_mentions_of_a_store_see_one_epoch_of_each_partition(store: LocalStore) -> None:
    """The follower applies an epoch between the two times that each partition is asked."""
    follower = Follower(store)
    engine = SqlEngine(FixedCatalog(follower))
    for _ in range(20):
        before = follower.epoch
        assert ask(engine, SELF_JOIN) == [(0,)]
        assert follower.epoch > before + 1


@pytest.mark.parametrize(
    "where",
    ["id < 3 OR id BETWEEN 5 AND 7 OR id > 9", "id IN (1, 2, 3) OR id > 7", "id NOT IN (4, 5)"],
)
def test_ranges_of_one_statement_see_one_epoch_of_each_partition(
    store: LocalStore, where: str
) -> None:
    """Each range is a query of its own, and the follower applies an epoch after each."""
    follower = Follower(store)
    engine = SqlEngine(FixedCatalog(follower))
    sql = f"SELECT _partition, _epoch FROM accounts WHERE {where}"
    for _ in range(5):
        before = follower.epoch
        found = set(ask(engine, sql))
        assert follower.epoch > before + store.schema.partitions, "one query is enough for each"
        assert len(found) == len({partition for partition, _ in found})
    assert held(store) == 0


class Follower(LocalStore):
    """A store that applies an epoch after each query, as under a slow reader."""

    def __init__(self, store: LocalStore) -> None:
        super().__init__(store.schema, store.replicas)
        self.epoch = 0

    def query_partition(self, *args, **kwargs):  # type: ignore[no-untyped-def] # passed through
        """Answer, then apply one epoch to all."""
        answer = super().query_partition(*args, **kwargs)
        self.epoch += 1
        put(self, shifted(self.epoch), self.epoch)
        return answer


def test_epochs_held_for_a_statement_are_released(engine: SqlEngine, store: LocalStore) -> None:
    ask(engine, SELF_JOIN)
    ask(engine, f"{TOTAL} WITH BOUND (SNAPSHOT)")
    refusal(engine, f"{SELF_JOIN} WITH BOUND (SNAPSHOT, events[0] >= 9)")
    assert held(store) == 0


def test_a_host_that_follows_its_log_is_read_at_one_epoch(tmp_path: Path) -> None:
    """The result is the same as for stores filled by hand, but goes through all layers."""
    root = str(tmp_path / "log")
    writers = [StoreWriter(root, schema, writer="spark:a") for schema in (ACCOUNTS, LEDGER)]

    def write(epoch: int) -> None:
        for writer, sign in zip(writers, (1, -1), strict=True):
            found = [(account, sign * amount) for account, amount in shifted(epoch)]
            table = pa.table(dict(zip(("id", "amount"), zip(*found, strict=True), strict=True)))
            writer.write(table, position=Position.of({"events": {0: epoch}}))

    write(0)
    host = Host(root, tmp_path / "data", poll_ms=1)
    host.start()
    engine, session = SqlEngine(host), Session()
    both = f"{BOTH} WITH BOUND (LATEST, SNAPSHOT), WAIT '20 s'"
    assert ask(engine, both) == [(1200, -1200)]
    for text in (REPEATABLE, TOTAL):
        ask(engine, text, session)
    for epoch in range(1, 12):
        write(epoch)
        assert ask(engine, both) == [(1200, -1200)]
        assert ask(engine, BOTH, session) == [(1200, -1200)]
    assert ask(engine, "SELECT amount FROM accounts WHERE id = 1", session) == [(100,)]
    ask(engine, "COMMIT", session)
    latest = "SELECT amount FROM accounts WHERE id = 1 WITH BOUND (LATEST), WAIT '20 s'"
    assert ask(engine, latest) == [(111,)]
    engine.close()
    host.close()


# The law: transfers between accounts never show


class Bank:
    """Two stores of one pipeline, each with a thread that applies epoch after epoch of transfers.

    As in a host, all replicas reach an epoch before any reaches the next.
    """

    def __init__(self, directory: Path | None) -> None:
        self.stores = [made(schema, directory=directory) for schema in (ACCOUNTS, LEDGER)]
        self.engine = SqlEngine(FixedCatalog(*self.stores))
        self.stopping = threading.Event()
        self.epoch = 0

    def follow(self) -> None:
        while not self.stopping.is_set():
            self.epoch += 1
            for store in self.stores:
                put(store, shifted(self.epoch), self.epoch)


@contextmanager
def applying(bank: Bank) -> Iterator[None]:
    thread = threading.Thread(target=bank.follow)
    thread.start()
    try:
        yield
    finally:
        bank.stopping.set()
        thread.join()


STATEMENTS = (
    f"{TOTAL} WITH BOUND (SNAPSHOT), WAIT '20 s'",
    f"{BOTH} WITH BOUND (SNAPSHOT), WAIT '20 s'",
    f"{SELF_JOIN} WITH BOUND (SNAPSHOT), WAIT '20 s'",
    "SELECT count(*) FROM accounts a JOIN ledger b USING (id) WHERE a.amount + b.amount <> 0 "
    "WITH BOUND (SNAPSHOT), WAIT '20 s'",
    "SELECT sum(amount) FROM accounts WHERE id IN (1, 2, 3, 4) WITH BOUND (SNAPSHOT), WAIT '20 s'",
    SELF_JOIN,
)
ANSWERS: tuple[Row, ...] = ((1200, 12), (1200, -1200), (0,), (0,), (400,), (0,))


@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "rocksdb"])
def test_transfers_never_show(tmp_path: Path, *, on_disk: bool) -> None:
    bank = Bank(tmp_path if on_disk else None)

    @settings(max_examples=15, deadline=None)
    @given(st.lists(st.integers(0, len(STATEMENTS) - 1), min_size=1, max_size=8))
    def hold(picked: list[int]) -> None:
        for at in picked:
            assert ask(bank.engine, STATEMENTS[at]) == [ANSWERS[at]]
        session = Session()
        ask(bank.engine, REPEATABLE, session)
        one = "SELECT amount FROM accounts WHERE id = 1"
        first = ask(bank.engine, one, session)
        for at in picked:
            text = STATEMENTS[at].partition(" WITH ")[0]
            assert ask(bank.engine, text, session) == [ANSWERS[at]]
        assert ask(bank.engine, one, session) == first
        ask(bank.engine, "COMMIT", session)

    with applying(bank):
        hold()
    assert bank.epoch > 2 * VIEWS_MAX, "no epoch was applied during the reads"
    assert sum(map(held, bank.stores)) == 0
    for store in bank.stores:
        store.close()
