"""Live queries: who shares work, when they go on, and when they end."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import InvalidValueError, QueryError
from stategate.planner.live.event_list import EVENTS_MAX
from stategate.planner.live.kept_results import KeyedResult
from stategate.planner.live.limits import LiveLimits
from stategate.planner.live.live_query import LiveQuery
from stategate.planner.live.tokens import Mark, Seen, seen_in, token_of
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Isolation, Session
from stategate.stores.errors import TooManyWaitersError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import PositionBound
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import OnBound, PartitionStatus, Waiting
from tests.planner.accounts import ACCOUNTS, LEDGER, TOTAL, made, put, shifted
from tests.planner.live.watching import Watcher
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, batch, open_store, progress
from tests.support.waiting import until

ALL = "SELECT * FROM accounts"
BOTH = "SELECT a.id, a.amount, l.amount FROM accounts a JOIN ledger l ON a.id = l.id"
SMALL = LiveLimits(subscribers_max=3, rows_max=20, bytes_max=400_000, linger_s=60, timeout_s=10)


@pytest.fixture
def accounts() -> LocalStore:
    return made(ACCOUNTS)


@pytest.fixture
def ledger() -> LocalStore:
    return made(LEDGER)


@pytest.fixture
def engine(accounts: LocalStore, ledger: LocalStore) -> Iterator[SqlEngine]:
    made = SqlEngine(FixedCatalog(accounts, ledger), live=SMALL)
    yield made
    made.close()


def refused(engine: SqlEngine, sql: str, parameters: Row = (), **fields: str) -> QueryError:
    with pytest.raises(QueryError) as caught:
        Watcher(engine, sql, parameters, **fields)  # type: ignore[arg-type]
    assert engine.live_counts().subscribers == 0
    return caught.value


def test_first_rows_then_the_changes_of_each_epoch(engine: SqlEngine, accounts: LocalStore) -> None:
    watcher = Watcher(engine, f"{ALL} ORDER BY id")
    first = watcher.subscription.first
    assert first is not None
    assert list(first.rows) == [(n, 100) for n in range(12)]
    assert (first.moment.epoch, first.moment.epochs) == (0, {"accounts": 0})
    put(accounts, [(1, 7), (99, 5)], 1)
    event = watcher.next()
    assert [(c.old, c.new) for c in event.changes] == [((1, 100), (1, 7)), (None, (99, 5))]
    assert event.moment.epoch == 1
    assert event.moment.position.to_dict() == {"events": {0: 1}}
    put(accounts, [], 2)
    event = watcher.next()
    assert (event.changes, event.moment.epoch) == ((), 2), "a progress message"
    watcher.close()


def test_each_epoch_asks_for_the_statuses_once(
    engine: SqlEngine, accounts: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With several nodes they cost a request to each; that none follows shows in the first ones."""
    statuses, asked = accounts.statuses, list[int]()

    def counted() -> Mapping[int, PartitionStatus]:
        asked.append(1)
        return statuses()

    watcher = Watcher(engine, ALL)
    (query,) = engine._live._live.values()

    def waits(epoch: int) -> bool:
        watch = query._watch
        return watch is not None and watch.is_waiting_for(
            {"accounts": accounts}, {"accounts": epoch}
        )

    until(lambda: waits(0))
    monkeypatch.setattr(accounts, "statuses", counted)
    for epoch in range(1, 6):
        put(accounts, [(1, epoch)], epoch)
        assert watcher.next().moment.epoch == epoch
        until(partial(waits, epoch))
    assert len(asked) == 5
    watcher.close()


def test_an_aggregate_changes_by_the_difference_of_results(
    engine: SqlEngine, accounts: LocalStore
) -> None:
    watcher = Watcher(engine, TOTAL)
    put(accounts, [(1, 101)], 1)
    (change,) = watcher.next().changes
    assert (change.old, change.new) == ((1200, 12), (1201, 12))
    grouped = Watcher(engine, "SELECT id % 2 AS odd, sum(amount) FROM accounts GROUP BY 1")
    put(accounts, [(2, 0)], 2)
    (change,) = grouped.next().changes
    assert (change.old, change.new) == ((0, 600), (0, 500))
    watcher.close()
    grouped.close()


def test_stores_of_a_pipeline_are_always_at_one_epoch(
    engine: SqlEngine, accounts: LocalStore, ledger: LocalStore
) -> None:
    watcher = Watcher(engine, BOTH)
    for epoch in range(1, 20):
        put(accounts, shifted(epoch), epoch)
        assert watcher.take() is None, "the ledger has not reached the epoch"
        put(ledger, shifted(epoch), epoch)
        watcher.until(accounts=epoch, ledger=epoch)
        assert all(a == -b for _, a, b in watcher.rows)
    watcher.close()


def test_a_query_goes_on_after_a_partition_had_too_many_waiters(
    engine: SqlEngine, accounts: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    when, refused = accounts.when, list[bool]()

    def crowded(partition: int, bound: PositionBound, callback: OnBound) -> Waiting:
        if len(refused) < 2:
            refused.append(True)
            raise TooManyWaitersError("too many callers wait for this partition")
        return when(partition, bound, callback)

    watcher = Watcher(engine, ALL)
    monkeypatch.setattr(accounts, "when", crowded)
    for epoch in (1, 2):
        put(accounts, [(1, epoch)], epoch)
        watcher.until(accounts=epoch)
    assert len(refused) == 2
    watcher.close()


def test_subscribers_of_a_statement_share_its_work(engine: SqlEngine, accounts: LocalStore) -> None:
    watchers = [Watcher(engine, ALL) for _ in range(3)]
    assert (engine.live_counts().queries, engine.live_counts().held_rows) == (1, 12)
    put(accounts, [(1, 7)], 1)
    events = [watcher.next() for watcher in watchers]
    assert all(event is events[0] for event in events)
    assert events[0].encoded("a", lambda _: b"x") is events[1].encoded("a", lambda _: b"y")
    assert engine.live_counts().events_given == 3
    shown = rows_of(run(engine, "SELECT sql FROM stategate.queries"))
    assert shown.count((ALL,)) == 3
    with pytest.raises(QueryError) as caught:
        Watcher(engine, ALL)
    assert caught.value.sqlstate == "53300"
    for watcher in watchers:
        watcher.close()
        watcher.close()
    assert engine.live_counts().subscribers == 0
    assert (ALL,) not in rows_of(run(engine, "SELECT sql FROM stategate.queries"))


def test_parameters_tell_statements_apart(engine: SqlEngine, accounts: LocalStore) -> None:
    one, two = (Watcher(engine, f"{ALL} WHERE id = $1", (n,)) for n in (1, 2))
    assert engine.live_counts().queries == 2
    put(accounts, [(1, 7)], 1)
    assert len(one.next().changes) == 1
    assert len(two.next().changes) == 0
    one.close()
    two.close()


def test_it_goes_on_after_any_token_as_if_it_had_stayed(
    engine: SqlEngine, accounts: LocalStore
) -> None:
    staying = Watcher(engine, ALL)
    moments = [(staying.moment, staying.rows)]
    for epoch in range(1, 8):
        put(accounts, shifted(epoch), epoch)
        staying.until(accounts=epoch)
        moments.append((staying.moment, staying.rows))
    for moment, rows in moments:
        assert moment is not None
        returned = Watcher(engine, ALL, token=moment.token, rows=rows)
        assert returned.subscription.first is None
        while returned.take() is not None:
            pass
        assert returned.counts() == staying.counts()
        seen = [each for each, _ in moments if each is not None and each.epoch > moment.epoch]
        assert [event.moment for event in returned.events] == seen
        returned.close()
    staying.close()


def test_it_goes_on_where_replicas_still_have_the_epoch(
    engine: SqlEngine, accounts: LocalStore, ledger: LocalStore
) -> None:
    watcher = Watcher(engine, ALL)
    assert watcher.moment is not None
    token, rows = watcher.moment.token, watcher.rows
    watcher.close()
    other = SqlEngine(FixedCatalog(accounts, ledger), live=SMALL)
    for epoch in range(1, 4):
        put(accounts, [(1, epoch)], epoch)
    returned = Watcher(other, ALL, token=token, rows=rows)
    assert returned.subscription.start_over is None
    assert [returned.next().moment.epoch for _ in range(3)] == [1, 2, 3]
    assert (1, 3) in returned.rows
    returned.close()
    for epoch in range(4, 30):
        put(accounts, [(1, epoch)], epoch)
    third = SqlEngine(FixedCatalog(accounts, ledger), live=SMALL)
    late = Watcher(third, ALL, token=token, rows=rows)
    assert late.subscription.start_over == "the changes after the token are no longer held"
    assert (1, 29) in late.rows
    late.close()
    other.close()
    third.close()


def test_tokens_are_checked(engine: SqlEngine) -> None:
    watcher = Watcher(engine, ALL)
    assert watcher.moment is not None
    token = watcher.moment.token
    watcher.close()
    for bad in ("", "%%%", "e30", token[:-3], token + "AAAA"):
        error = refused(engine, ALL, token=bad)
        assert (error.sqlstate, error.message) == (
            "22023",
            "malformed token of a subscription",
        )
    error = refused(engine, TOTAL, token=token)
    assert (error.sqlstate, error.message) == ("22023", "the token is of another statement")


@given(
    st.sampled_from([0, 1]),
    st.one_of(st.integers(max_value=-(1 << 63) - 1), st.integers(min_value=1 << 63)),
)
def test_numbers_of_tokens_have_64_bits(part: int, number: int) -> None:
    """No epoch or time has more, and no other node could be asked for it."""

    def token(at: list[object]) -> str:
        edited = json.dumps({"of": "x", "stores": {"accounts": at}}).encode()
        return base64.urlsafe_b64encode(edited).rstrip(b"=").decode()

    at: list[object] = [0, 1, "5e0c"]
    assert seen_in(token(at), "x").mark.epochs == {"accounts": 0}
    at[part] = number
    with pytest.raises(InvalidValueError, match="malformed token"):
        seen_in(token(at), "x")


@given(st.integers(-(1 << 63), (1 << 63) - 1), st.integers(-(1 << 63), (1 << 63) - 1))
def test_a_token_gives_its_mark(epoch: int, committed_ms: int) -> None:
    mark = Mark({"a": epoch, "b": epoch}, {"a": committed_ms, "b": None}, {"a": "5e0c", "b": ""})
    for rows in (None, "8f"):
        token = token_of("x", mark, rows)
        assert seen_in(token, "x") == Seen(token, mark, rows)


def test_a_slow_reader_is_told_and_takes_no_memory(engine: SqlEngine, accounts: LocalStore) -> None:
    slow, quick = Watcher(engine, ALL), Watcher(engine, ALL)
    slow.take()
    epoch = 0
    while engine.live_counts().held_bytes < SMALL.bytes_max * 0.6:
        epoch += 1
        put(accounts, shifted(epoch), epoch)
        quick.until(accounts=epoch)
    most = 0
    for _ in range(60):
        epoch += 1
        put(accounts, shifted(epoch), epoch)
        quick.until(accounts=epoch)
        most = max(most, engine.live_counts().held_bytes)
    assert most <= SMALL.bytes_max
    with pytest.raises(QueryError) as caught:
        slow.take()
    assert (caught.value.sqlstate, caught.value.message) == (
        "53400",
        "the subscriber is too slow",
    )
    slow.close()
    assert engine.live_counts().slow_ended == 1
    quick.close()


def test_small_events_are_limited_in_number(engine: SqlEngine, accounts: LocalStore) -> None:
    slow, quick = Watcher(engine, TOTAL), Watcher(engine, TOTAL)
    for epoch in range(1, EVENTS_MAX + 3):
        put(accounts, [], epoch)
        quick.until(accounts=epoch)
    with pytest.raises(QueryError, match="too slow"):
        slow.take()
    slow.close()
    quick.close()


def test_first_rows_that_are_read_too_slowly(engine: SqlEngine, accounts: LocalStore) -> None:
    limits = LiveLimits(subscribers_max=50)
    other = SqlEngine(FixedCatalog(accounts), live=limits)
    slow = Watcher(other, ALL)
    slow.subscription.check()
    later = []
    for epoch in range(1, 10):
        put(accounts, [(1, epoch)], epoch)
        later.append(Watcher(other, ALL))
    with pytest.raises(QueryError, match="too slow"):
        slow.subscription.check()
    later[-1].subscription.check()
    for each in (slow, *later):
        each.close()
    other.close()


def test_a_result_that_grows_too_large_ends(engine: SqlEngine, accounts: LocalStore) -> None:
    watcher = Watcher(engine, ALL)
    put(accounts, [(n, 1) for n in range(30)], 1)
    with pytest.raises(QueryError) as caught:
        watcher.next()
    assert caught.value.sqlstate == "54000"
    watcher.close()
    error = refused(engine, ALL)
    assert (error.sqlstate, error.message) == (
        "54000",
        "a live query cannot have more than 20 rows",
    )


def test_a_query_that_fails_with_later_rows_ends(engine: SqlEngine, accounts: LocalStore) -> None:
    watcher = Watcher(engine, "SELECT id, 1 / amount FROM accounts")
    put(accounts, [(1, 0)], 1)
    with pytest.raises(QueryError) as caught:
        watcher.next()
    assert caught.value.sqlstate == "22012"
    watcher.close()
    assert engine.live_counts().queries == 0


def test_a_subscriber_that_joins_before_the_first_result_does_no_harm(
    engine: SqlEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = LiveQuery.begin

    def begin_late(query: LiveQuery, at: Mark | None) -> None:
        query.advance()  # as one that joins does
        begin(query, at)

    monkeypatch.setattr(LiveQuery, "begin", begin_late)
    watcher = Watcher(engine, ALL)
    assert len(watcher.rows) == 12
    watcher.close()


def test_bounds_hold_for_the_beginning(engine: SqlEngine, accounts: LocalStore) -> None:
    error = refused(engine, f"{ALL} WITH BOUND (events[0] >= 1)")
    assert error.sqlstate == "55S01"
    assert "did not answer: it has not reached the bound at epoch 0" in error.message
    applying = threading.Timer(0.02, put, (accounts, [(1, 7)], 1))
    applying.start()
    watcher = Watcher(engine, f"{ALL} WITH BOUND (events[0] >= 1), WAIT '10 s'")
    assert (1, 7) in watcher.rows
    applying.join()
    watcher.close()
    error = refused(engine, f"{ALL} WITH BOUND (nope[0] >= 1)")
    assert error.sqlstate == "42704"


def test_a_newcomer_sees_the_newest_epoch(engine: SqlEngine, accounts: LocalStore) -> None:
    first = Watcher(engine, ALL)
    for epoch in range(1, 50):
        put(accounts, [(1, epoch)], epoch)
        newcomer = Watcher(engine, ALL)
        assert (1, epoch) in newcomer.rows
        newcomer.close()
    first.close()


def test_all_end_with_the_engine(accounts: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(accounts))
    watcher = Watcher(engine, ALL)
    engine.end_live()
    with pytest.raises(QueryError) as caught:
        watcher.next()
    assert caught.value.sqlstate == "57P01"
    watcher.close()
    assert refused(engine, ALL).sqlstate == "57P01"
    engine.close()


def test_a_query_without_subscribers_ends_after_some_time(accounts: LocalStore) -> None:
    engine = SqlEngine(FixedCatalog(accounts), live=LiveLimits(linger_s=0.05))
    watcher = Watcher(engine, ALL)
    watcher.close()
    until(lambda: engine.live_counts().queries == 0)
    engine.close()


@pytest.mark.parametrize("sql", [ALL, f"{ALL} LIMIT 100"])
def test_replicas_that_close_and_a_store_that_changes(accounts: LocalStore, sql: str) -> None:
    catalog = FixedCatalog(accounts)
    engine = SqlEngine(catalog)
    watcher = Watcher(engine, sql)
    again = made(ACCOUNTS)
    catalog.replace(again)
    accounts.close()
    put(again, [(1, 7)], 1)
    if sql == ALL:  # it keeps no rows, and the old ones are gone
        with pytest.raises(QueryError) as caught:
            watcher.next()
        assert caught.value.sqlstate == "72000"
        watcher.close()
        engine.close()
        return
    assert len(watcher.next().changes) == 1
    older = made(ACCOUNTS)
    catalog.replace(older)
    again.close()
    newcomer = Watcher(engine, sql)
    assert (1, 100) in newcomer.rows
    newcomer.close()
    with pytest.raises(QueryError) as caught:
        watcher.next()
    assert caught.value.sqlstate == "72000"
    watcher.close()
    engine.close()


@pytest.mark.parametrize("epoch", [0, 3])
@pytest.mark.parametrize("sql", [ALL, f"{ALL} LIMIT 100", TOTAL])
def test_a_store_that_was_made_anew_up_to_the_same_epoch(
    accounts: LocalStore, sql: str, epoch: int
) -> None:
    """Its epochs have the same numbers, and other rows."""
    for number in range(1, epoch + 1):
        put(accounts, [], number)
    catalog = FixedCatalog(accounts)
    engine = SqlEngine(catalog)
    watcher = Watcher(engine, sql)
    assert watcher.moment is not None
    token, rows = watcher.moment.token, watcher.rows
    catalog.replace(made_anew(epoch))
    accounts.close()
    returned = Watcher(engine, sql, token=token, rows=rows)
    assert returned.subscription.start_over == "the changes after the token are no longer held"
    assert returned.rows == [(1200, 1) if sql == TOTAL else (1, 1200)]
    with pytest.raises(QueryError) as caught:
        watcher.next()
    assert (caught.value.sqlstate, caught.value.message) == (
        "72000",
        'the log of store "accounts" was put back',
    )
    returned.close()
    watcher.close()
    engine.close()


def made_anew(epoch: int) -> LocalStore:
    """Return a store of one account, which has come to an epoch."""
    store = open_store(ACCOUNTS)
    for number in range(epoch + 1):
        for partition, replica in store.replicas.items():
            mine = [(1, 1200)] if partition == 0 else []
            replica.apply(progress(number, committed_ms=number + 1), [batch(ACCOUNTS, mine)])
    return store


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT id, now() FROM accounts", "Now changes without an epoch."),
        ("SELECT id, random() FROM accounts", "R"),
        ("SELECT id FROM accounts WHERE CURRENT_DATE > '2020-01-01'", "Current_date changes"),
        ("SELECT id, age(to_timestamp(id)) FROM accounts", "Age changes"),
        ("SELECT gen_random_uuid() FROM accounts", "changes without an epoch"),
        ("SELECT id FROM accounts WHERE CAST(id AS text) = 'now'", "'now' is a time by the clock."),
        ("SELECT count(*) FROM stategate.queries", "It reads a system relation."),
        ("SELECT count(*) FROM pg_class", "It is not a SELECT from a store."),
        ("SELECT id, current_user FROM accounts", "It depends on the session or the catalog."),
        ("SELECT 1", "It reads no store."),
        ("EXPLAIN SELECT * FROM accounts", "It is not a SELECT from a store."),
        ("SHOW STORES", "It is not a SELECT from a store."),
        (f"{ALL} WITH PARTIAL", "PARTIAL would report rows of a failed partition as deleted."),
    ],
)
def test_what_cannot_be_kept_up_to_date_is_refused(engine: SqlEngine, sql: str, why: str) -> None:
    error = refused(engine, sql)
    assert (error.sqlstate, error.message) == ("0A000", "this statement cannot be subscribed to")
    assert error.detail is not None
    assert why in error.detail


def test_a_transaction_that_repeats_its_reads_is_refused(engine: SqlEngine) -> None:
    session = Session()
    session.begin(isolation=Isolation.REPEATABLE_READ, deferrable=False)
    with pytest.raises(QueryError) as caught:
        engine.subscribe(
            engine.prepare(ALL, session),
            (),
            session,
            token=None,
            on_ready=lambda: None,
            cancellation=Cancellation(),
        )
    assert caught.value.sqlstate == "0A000"


def test_a_text_that_only_looks_like_a_time_is_not_refused(engine: SqlEngine) -> None:
    Watcher(engine, "SELECT id FROM accounts WHERE 'nowhere' = 'today show'").close()


@pytest.mark.parametrize(
    ("sql", "reads_keys"),
    [
        (ALL, True),
        (f"{ALL} WHERE amount > 5 OR id IS NULL ORDER BY amount", True),
        ("SELECT a.id + 1, a.id FROM accounts AS a WHERE (SELECT 1) = 1", False),
        ("SELECT amount FROM accounts", True),
        (f"{ALL} WHERE id = 1", True),
        ("SELECT amount + 1 FROM accounts", False),
        (f"{ALL} LIMIT 5", False),
        ("SELECT DISTINCT id FROM accounts", False),
        (TOTAL, False),
        ("SELECT id, count(*) OVER () FROM accounts", False),
        (BOTH, False),
        ("WITH a AS (SELECT * FROM accounts) SELECT * FROM a", False),
    ],
)
def test_which_statements_read_the_changed_keys_only(
    accounts: LocalStore, ledger: LocalStore, sql: str, reads_keys: bool
) -> None:
    engine = SqlEngine(FixedCatalog(accounts, ledger))
    watcher = Watcher(engine, sql)
    for epoch in range(1, 5):
        put(accounts, [(1, epoch)], epoch)
        put(ledger, [(1, epoch)], epoch)
        watcher.until(accounts=epoch)
    (query,) = engine._live._live.values()
    kept = query.kept
    assert isinstance(kept, KeyedResult) == reads_keys
    if isinstance(kept, KeyedResult):
        assert kept.whole_reads == 0
        assert kept.held_rows == 0
    watcher.close()
    engine.close()
