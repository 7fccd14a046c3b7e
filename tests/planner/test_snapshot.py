"""Snapshots: one epoch for everything that a statement or transaction reads from one pipeline."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.errors import QueryError
from planner.sql import SqlEngine
from planner.values.session import Session
from stores.codec.partitioner import partition_column
from stores.engines.memory.partition import MemoryPartition
from stores.engines.rocksdb.partition import RocksPartition
from stores.hosting.held_epochs import HeldEpochs
from stores.hosting.host import Host
from stores.hosting.local_store import LocalStore
from stores.hosting.replica import VIEWS_MAX, Replica
from stores.log.store_writer import StoreWriter
from stores.spec.position import Position
from stores.spec.schema import Row, StoreSchema
from stores.spec.store import StorePartition
from tests.planner.refusals import refusal
from tests.planner.sides import looked_up, rows_of, run
from tests.support.stores import FixedCatalog, batch, keyvalue, progress

ACCOUNTS = keyvalue("accounts", {"id": "bigint"}, {"amount": "bigint"}, partitions=3)
LEDGER = replace(ACCOUNTS, name="ledger")
"""The same amounts, negated, written by the same pipeline."""
IDS = range(12)
TOTAL = "SELECT sum(amount), count(*) FROM accounts"
BOTH = "SELECT (SELECT sum(amount) FROM accounts), (SELECT sum(amount) FROM ledger)"
SELF_JOIN = (
    "SELECT count(*) FROM accounts a JOIN accounts b ON a.id = b.id AND a.amount <> b.amount"
)
REPEATABLE = "BEGIN ISOLATION LEVEL REPEATABLE READ"


class Clock:
    """Seconds that a test lets pass."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def made(
    schema: StoreSchema, *, holds: HeldEpochs | None = None, directory: Path | None = None
) -> LocalStore:
    """A store of pipeline `spark:a` whose accounts are at 100 each, or -100 in the ledger."""

    def engine(partition: int) -> StorePartition:
        if directory is None:
            return MemoryPartition(schema, partition)
        path = directory / schema.name / str(partition)
        return RocksPartition(path, schema=schema, partition=partition)

    def replica(partition: int) -> Replica:
        return Replica(
            engine(partition),
            schema=schema,
            partition=partition,
            pipeline="spark:a",
            holds=holds if partition == 0 else None,
        )

    store = LocalStore(schema, {n: replica(n) for n in range(schema.partitions)})
    put(store, [(account, 100) for account in IDS], 0)
    return store


def put(
    store: LocalStore, rows: Sequence[Row], epoch: int, partitions: Sequence[int] = (0, 1, 2)
) -> None:
    """Apply what an epoch has for these partitions."""
    sign = -1 if store.schema.name == "ledger" else 1
    whole = batch(store.schema, [(account, sign * amount) for account, amount in rows])
    numbers = partition_column(whole, store.schema.key, store.schema.partitions)
    for partition in partitions:
        mine = whole.filter(pa.array(numbers == partition))
        store.replicas[partition].apply(progress(epoch), [mine])


def shifted(epoch: int) -> list[Row]:
    """All accounts after an epoch: the total is unchanged, each account is not."""
    return [(account, 100 + (epoch if account % 2 else -epoch)) for account in IDS]


def ask(engine: SqlEngine, sql: str, session: Session | None = None) -> list[Row]:
    return rows_of(run(engine, sql, session=session))


@pytest.fixture
def store() -> LocalStore:
    return made(ACCOUNTS)


@pytest.fixture
def engine(store: LocalStore) -> SqlEngine:
    return SqlEngine(FixedCatalog(store))


# One statement


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
    # The ledger's commit of epoch 1 is still to come: it is not an epoch of the pipeline yet.
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


def held(store: LocalStore) -> int:
    return sum(len(replica._holds) for replica in store.replicas.values())


# Transactions


@pytest.mark.parametrize(
    "begin",
    [
        REPEATABLE,
        "BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE",
        "START TRANSACTION READ WRITE ISOLATION LEVEL REPEATABLE READ NOT DEFERRABLE",
    ],
)
def test_a_transaction_repeats_its_reads(engine: SqlEngine, store: LocalStore, begin: str) -> None:
    session = Session()
    ask(engine, begin, session)
    put(store, shifted(1), 1)
    first = ask(engine, "SELECT * FROM accounts ORDER BY id", session)
    assert first == shifted(1)  # it begins with the first query, as in Postgres
    for epoch in range(2, 3 * VIEWS_MAX):
        put(store, shifted(epoch), epoch)
    assert ask(engine, "SELECT * FROM accounts ORDER BY id", session) == first
    assert ask(engine, "SELECT amount FROM accounts WHERE id = 5", session) == [(101 + 4 - 4,)]
    assert ask(engine, SELF_JOIN, session) == [(0,)]
    ask(engine, "COMMIT", session)
    assert ask(engine, "SELECT * FROM accounts ORDER BY id", session) == shifted(3 * VIEWS_MAX - 1)
    assert held(store) == 0


def test_a_transaction_reads_stores_at_one_epoch_that_it_comes_to_later() -> None:
    accounts, ledger = made(ACCOUNTS), made(LEDGER)
    engine, session = SqlEngine(FixedCatalog(accounts, ledger)), Session()
    ask(engine, REPEATABLE, session)
    assert ask(engine, "SELECT amount FROM accounts WHERE id = 1", session) == [(100,)]
    for epoch in range(1, 9):
        put(accounts, [(1, 100 + epoch)], epoch)
        put(ledger, [(1, 100 + epoch)], epoch)
    assert ask(engine, BOTH, session) == [(1200, -1200)]
    assert ask(engine, "SELECT amount FROM ledger WHERE id = 1", session) == [(-100,)]
    ask(engine, "ROLLBACK", session)
    assert ask(engine, BOTH, session) == [(1208, -1208)]
    assert held(accounts) == held(ledger) == 0


def test_the_bound_of_the_first_query_settles_the_epoch() -> None:
    """The ledger has not reached it yet, and keeps it from then on."""
    accounts, ledger = made(ACCOUNTS), made(LEDGER)
    engine, session = SqlEngine(FixedCatalog(accounts, ledger)), Session()
    for epoch in range(1, 4):
        put(accounts, shifted(epoch), epoch)
    ask(engine, REPEATABLE, session)
    first = "SELECT amount FROM accounts WHERE id = 1 WITH BOUND (events[0] >= 3)"
    assert ask(engine, first, session) == [(103,)]
    ask(engine, "SAVEPOINT a", session)
    assert "behind epoch 3" in refusal(engine, BOTH, session=session).message
    ask(engine, "ROLLBACK TO a", session)
    applying = threading.Timer(0.02, put, (ledger, shifted(3), 3))
    applying.start()
    assert ask(engine, f"{BOTH} WITH WAIT '60 s'", session) == [(1200, -1200)]
    applying.join()
    for epoch in range(4, 12):
        put(accounts, [(1, epoch)], epoch)
        put(ledger, [(1, epoch)], epoch)
    assert ask(engine, BOTH, session) == [(1200, -1200)]
    assert ask(engine, "SELECT amount FROM ledger WHERE id = 1", session) == [(-103,)]


def test_a_store_that_is_stuck_keeps_no_other_from_being_read() -> None:
    accounts, ledger = made(ACCOUNTS), made(LEDGER)
    stuck = made(replace(ACCOUNTS, name="stuck"))
    engine, session = SqlEngine(FixedCatalog(accounts, ledger, stuck)), Session()
    for epoch in range(1, 9):
        put(accounts, shifted(epoch), epoch)
        put(ledger, shifted(epoch), epoch)
    ask(engine, REPEATABLE, session)
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    for epoch in range(9, 17):
        put(accounts, [(1, epoch)], epoch)
        put(ledger, [(1, epoch)], epoch)
    assert ask(engine, BOTH, session) == [(1200, -1200)]
    error = refusal(engine, "SELECT * FROM stuck", session=session)
    assert (error.sqlstate, "epoch 0 is behind epoch 8" in error.message) == ("55S01", True)


def test_read_committed_reads_the_newest_epoch(engine: SqlEngine, store: LocalStore) -> None:
    session = Session()
    ask(engine, "BEGIN", session)
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    put(store, [(1, 101)], 1)
    assert ask(engine, TOTAL, session) == [(1201, 12)]
    assert held(store) == 0


def test_a_bound_that_the_transaction_s_epoch_does_not_meet_is_refused_at_once(
    engine: SqlEngine, store: LocalStore
) -> None:
    session = Session()
    for sql in (REPEATABLE, TOTAL):
        ask(engine, sql, session)
    put(store, shifted(1), 1)
    for bound in ("LATEST", "events[0] >= 1"):
        ask(engine, "SAVEPOINT a", session)
        text = f"{TOTAL} WITH BOUND ({bound}), WAIT '60 s'"
        assert refusal(engine, text, session=session).sqlstate == "55S01"
        session.fail()
        ask(engine, "ROLLBACK TO a", session)
    assert ask(engine, TOTAL, session) == [(1200, 12)]


def test_the_first_query_of_a_transaction_waits(engine: SqlEngine, store: LocalStore) -> None:
    session = Session()
    ask(engine, REPEATABLE, session)
    applying = threading.Timer(0.02, put, (store, shifted(3), 3))
    applying.start()
    text = "SELECT amount FROM accounts WHERE id = 1 WITH BOUND (events[0] >= 3), WAIT '60 s'"
    assert ask(engine, text, session) == [(103,)]
    applying.join()


def test_a_snapshot_that_is_too_old_fails_the_transaction() -> None:
    clock = Clock()
    holds = HeldEpochs(hold_s=300, clock=clock)
    store = made(ACCOUNTS, holds=holds)
    engine, session = SqlEngine(FixedCatalog(store)), Session()
    for sql in (REPEATABLE, TOTAL):
        ask(engine, sql, session)
    clock.now_s = 301.0
    assert ask(engine, TOTAL, session) == [(1200, 12)]  # nothing has been applied: it costs nothing
    for epoch in range(1, VIEWS_MAX + 2):
        put(store, shifted(epoch), epoch)
    error = refusal(engine, TOTAL, session=session)
    assert (error.sqlstate, error.message) == ("72000", "snapshot too old")
    assert error.retryable
    assert error.hint == "Begin the transaction again."
    session.fail()
    ask(engine, "ROLLBACK", session)
    assert ask(engine, TOTAL, session) == [(1200, 12)]


def test_the_oldest_of_too_many_transactions_fails() -> None:
    store = made(ACCOUNTS, holds=HeldEpochs(holds_max=2))
    engine = SqlEngine(FixedCatalog(store))
    sessions = [Session() for _ in range(4)]
    for number, session in enumerate(sessions):
        for sql in (REPEATABLE, TOTAL):
            ask(engine, sql, session)
        put(store, [(1, 200 + number)], number + 1)
    for epoch in range(5, 5 + VIEWS_MAX):
        put(store, shifted(epoch), epoch)
    refused: list[str | None] = []
    for session in sessions:
        try:
            assert ask(engine, TOTAL, session)
            refused.append(None)
        except QueryError as error:
            refused.append(error.sqlstate)
    assert refused == ["72000", "72000", None, None]


def test_a_store_that_is_closed_takes_its_snapshots_with_it(
    engine: SqlEngine, store: LocalStore
) -> None:
    session = Session()
    for sql in (REPEATABLE, TOTAL):
        ask(engine, sql, session)
    store.close()
    assert refusal(engine, TOTAL, session=session).sqlstate == "72000"


def test_a_store_that_is_opened_again_is_another_store(store: LocalStore) -> None:
    catalog = FixedCatalog(store)
    engine, session = SqlEngine(catalog), Session()
    for sql in (REPEATABLE, TOTAL):
        ask(engine, sql, session)
    other = made(ACCOUNTS)
    put(other, [(1, 5)], 0)
    catalog.replace(other)
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    store.close()
    assert refusal(engine, TOTAL, session=session).sqlstate == "72000"
    ask(engine, "ROLLBACK", session)
    assert ask(engine, TOTAL, session) == [(1105, 12)]


def test_a_failed_transaction_holds_epochs_only_with_a_savepoint(
    engine: SqlEngine, store: LocalStore
) -> None:
    session = Session()
    for sql in (REPEATABLE, TOTAL, "SAVEPOINT a"):
        ask(engine, sql, session)
    put(store, [(1, 0)], 1)
    session.fail()
    assert refusal(engine, TOTAL, session=session).sqlstate == "25P02"
    assert held(store) == 3
    ask(engine, "ROLLBACK TO a", session)
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    ask(engine, "RELEASE a", session)
    session.fail()
    assert held(store) == 0


def test_a_client_that_leaves_releases_its_epochs(engine: SqlEngine, store: LocalStore) -> None:
    session = Session()
    for sql in (REPEATABLE, TOTAL):
        ask(engine, sql, session)
    assert held(store) == 3
    session.close()
    assert held(store) == 0


def test_the_default_isolation_counts_for_each_statement(
    engine: SqlEngine, store: LocalStore
) -> None:
    session = Session()
    ask(engine, "SET default_transaction_isolation = 'repeatable read'", session)
    put(store, shifted(1), 1, [0, 1])
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    ask(engine, "BEGIN", session)
    assert ask(engine, "SHOW transaction_isolation", session) == [("repeatable read",)]
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    ask(engine, "COMMIT", session)
    ask(engine, "BEGIN ISOLATION LEVEL READ COMMITTED", session)
    assert ask(engine, TOTAL, session) != [(1200, 12)]


def test_the_first_query_is_not_run_on_the_event_loop(engine: SqlEngine) -> None:
    """It holds all stores; later queries may run there."""
    session = Session()
    lookup = engine.prepare("SELECT amount FROM accounts WHERE id = 1", session)
    ask(engine, REPEATABLE, session)
    assert not engine.is_inline(lookup, session)
    assert looked_up(lookup, (), session) is None
    ask(engine, TOTAL, session)
    assert engine.is_inline(lookup, session)


def test_a_host_that_follows_its_log_is_read_at_one_epoch(tmp_path: Path) -> None:
    """As with stores that are filled by hand, but through all layers."""
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

    As a host does it: all replicas come to an epoch before any comes to the next.
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
    assert bank.epoch > 2 * VIEWS_MAX, "the readers were to be overtaken"
    assert sum(map(held, bank.stores)) == 0
    for store in bank.stores:
        store.close()


# Stores that catch up


def caught_up(schema: StoreSchema, first: int, last: int) -> LocalStore:
    """A store that has applied these epochs, and remembers the newest of them."""
    store = made(schema)
    for epoch in range(first, last + 1):
        put(store, shifted(epoch), epoch)
    return store


def test_stores_that_share_no_epoch_yet_are_behind() -> None:
    """Nothing was lost: the transaction never had an epoch that it could read both at."""
    accounts, ledger = caught_up(ACCOUNTS, 1, 20), made(LEDGER)
    engine, session = SqlEngine(FixedCatalog(accounts, ledger)), Session()
    ask(engine, REPEATABLE, session)
    ask(engine, "SAVEPOINT a", session)
    error = refusal(engine, BOTH, session=session)
    assert (error.sqlstate, error.retryable) == ("55S01", True)
    assert "epoch 0 is no longer kept, epoch 20 is the newest" in error.message
    session.fail()
    ask(engine, "ROLLBACK TO a", session)
    applying = threading.Timer(0.02, put, (ledger, shifted(20), 20))
    applying.start()
    assert ask(engine, f"{BOTH} WITH WAIT '60 s'", session) == [(1200, -1200)]
    applying.join()


def test_a_store_that_is_opened_past_the_transaction_s_epoch_is_not_too_old() -> None:
    accounts = caught_up(ACCOUNTS, 1, 8)
    catalog = FixedCatalog(accounts)
    engine, session = SqlEngine(catalog), Session()
    for sql in (REPEATABLE, TOTAL):
        ask(engine, sql, session)
    catalog.replace(accounts, caught_up(LEDGER, 10, 20))
    assert ask(engine, TOTAL, session) == [(1200, 12)]
    error = refusal(engine, "SELECT sum(amount) FROM ledger", session=session)
    assert (error.sqlstate, "epoch 8 is no longer kept" in error.message) == ("55S01", True)


def test_an_epoch_skipped_by_a_snapshot_is_missing(tmp_path: Path) -> None:
    accounts, ledger = caught_up(ACCOUNTS, 1, 8), made(LEDGER, directory=tmp_path)
    engine, session = SqlEngine(FixedCatalog(accounts, ledger)), Session()
    for sql in (REPEATABLE, TOTAL):
        ask(engine, sql, session)
    for replica in ledger.replicas.values():
        view = replace(replica.engine.view, progress=progress(20))
        replica._views = (view,)
        replica._holds.tidy(replica._views)
    assert refusal(engine, "SELECT sum(amount) FROM ledger", session=session).sqlstate == "55S01"
    for store in (accounts, ledger):
        store.close()
