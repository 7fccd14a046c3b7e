"""REPEATABLE READ: a transaction reads one epoch of each pipeline, that of its first query."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.hosting.held_epochs import HeldEpochs
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import VIEWS_MAX
from tests.planner.accounts import (
    ACCOUNTS,
    BOTH,
    LEDGER,
    REPEATABLE,
    SELF_JOIN,
    TOTAL,
    ask,
    caught_up,
    held,
    made,
    put,
    shifted,
)
from tests.planner.refusals import refusal
from tests.planner.sides import looked_up
from tests.support.stores import FixedCatalog, progress

SOME = "SELECT amount FROM accounts WHERE id IN (1, 2, 3)"


class Clock:
    """A clock that a test moves forward, in seconds."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def store() -> LocalStore:
    return made(ACCOUNTS)


@pytest.fixture
def engine(store: LocalStore) -> SqlEngine:
    return SqlEngine(FixedCatalog(store))


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


def test_a_transaction_reads_later_stores_at_the_same_epoch() -> None:
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
    """The ledger has not reached that epoch yet, and keeps it from then on."""
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


def test_a_store_that_is_stuck_does_not_prevent_reads_of_others() -> None:
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


def test_a_bound_beyond_the_epoch_of_the_transaction_is_refused_at_once(
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
    assert ask(engine, TOTAL, session) == [(1200, 12)]  # it costs nothing: no epoch was applied
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


def test_closing_a_store_drops_its_snapshots(engine: SqlEngine, store: LocalStore) -> None:
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


def test_a_store_that_is_created_again_fails_only_transactions_that_read_it() -> None:
    accounts, ledger = made(ACCOUNTS), made(LEDGER)
    again = made(replace(LEDGER, incarnation="again"))
    snapshot = Snapshot(of_transaction=True)
    snapshot.align_all([accounts, ledger])
    snapshot.hold_rest([accounts, again])
    assert held(accounts) == ACCOUNTS.partitions
    assert snapshot.store(accounts) is accounts
    with pytest.raises(QueryError, match='"ledger" was rebuilt or created again'):
        snapshot.store(again)


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
    for sql in (TOTAL, SOME, SELF_JOIN):
        assert looked_up(engine.prepare(sql, session), (), session) is None
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


# Stores that catch up


def test_stores_that_share_no_epoch_yet_are_behind() -> None:
    """Nothing was lost: there never was an epoch at which the transaction could read both."""
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


def test_a_store_opened_after_the_epoch_of_the_transaction_is_not_too_old() -> None:
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
