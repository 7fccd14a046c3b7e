"""Live queries of stores whose partitions are on several nodes."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from stategate.planner.errors import QueryError
from stategate.planner.live import cuts, live_query
from stategate.planner.live.kept_results import KeyedResult
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.stores.nodes.messages import (
    Ask,
    AskKeys,
    AskStatuses,
    HoldEpoch,
    Request,
    WaitForBound,
)
from tests.planner.accounts import ACCOUNTS, IDS, LEDGER, TOTAL, made, shifted
from tests.planner.live.nodes import LiveNodes
from tests.planner.live.watching import Watcher
from tests.planner.sides import rows_of, run
from tests.support.past import GivenPast, until_forgotten
from tests.support.waiting import until

ALL = "SELECT * FROM accounts"
SOME = "SELECT id, amount FROM accounts WHERE id BETWEEN 2 AND 8 ORDER BY id"
BOTH = "SELECT a.id, a.amount, l.amount FROM accounts a JOIN ledger l ON a.id = l.id"


@pytest.fixture
def nodes() -> Iterator[LiveNodes]:
    made = LiveNodes([ACCOUNTS, LEDGER], pipeline="spark:a")
    for name in ("accounts", "ledger"):
        made.apply(name, [(account, 100) for account in IDS], 0)
    yield made
    made.close()


@pytest.fixture
def engine(nodes: LiveNodes) -> Iterator[SqlEngine]:
    made = SqlEngine(nodes.cluster(), live=LiveLimits(linger_s=60), node="a")
    yield made
    made.close()


def test_a_node_that_holds_nothing_gives_rows_and_changes(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    for name, number in nodes.placed:
        nodes.move(name, number, ["b", "c"])
    assert nodes.drop_moved()
    assert not nodes.stores["a"]["accounts"].replicas
    watcher = Watcher(engine, SOME)
    first = watcher.subscription.first
    assert first is not None
    assert list(first.rows) == [(n, 100) for n in range(2, 9)]
    nodes.apply("accounts", [(2, 7), (99, 5)], 1)
    event = watcher.next()
    assert [(c.old, c.new) for c in event.changes] == [((2, 100), (2, 7))]
    assert event.moment.position.to_dict() == {"events": {0: 1}}
    nodes.apply("accounts", [], 2)
    event = watcher.next()
    assert (event.changes, event.moment.epoch) == ((), 2), "a progress message"
    (query,) = engine._live._live.values()
    assert isinstance(query.kept, KeyedResult)
    assert query.kept.whole_reads == 0
    watcher.close()


def test_stores_of_a_pipeline_are_at_one_epoch_on_all_nodes(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    joined, summed = Watcher(engine, BOTH), Watcher(engine, TOTAL)
    for epoch in range(1, 10):
        nodes.apply("accounts", shifted(epoch), epoch)
        assert joined.take() is None, "the ledger has not reached the epoch"
        nodes.apply("ledger", [(n, -amount) for n, amount in shifted(epoch)], epoch)
        joined.until(accounts=epoch, ledger=epoch)
        assert all(a == -b for _, a, b in joined.rows)
        summed.until(accounts=epoch)
        assert summed.rows == [(1200, 12)]
    joined.close()
    summed.close()


def test_subscribers_and_statements_share_what_nodes_are_asked(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    def asked_for(epoch: int, *watchers: Watcher) -> dict[type[Request], int]:
        copies = len([n for placed in nodes.placed_of("accounts") for n in placed if n != "a"])
        kinds = (WaitForBound, AskKeys, AskStatuses, HoldEpoch, Ask)
        until(lambda: nodes.waiting("accounts") == copies)
        before = {kind: nodes.sent(kind) for kind in kinds}
        nodes.apply("accounts", [(1, epoch)], epoch)
        for each in watchers:
            each.until(accounts=epoch)
        until(lambda: nodes.waiting("accounts") == copies)
        return {kind: nodes.sent(kind) - before[kind] for kind in kinds}

    watchers = [Watcher(engine, ALL)]
    alone = asked_for(1, *watchers)
    assert alone[AskStatuses] <= len(nodes.links), "each node once"
    watchers += [Watcher(engine, ALL) for _ in range(300)]
    assert asked_for(2, *watchers) == alone
    assert engine.live_counts().queries == 1
    other = Watcher(engine, SOME)
    both = asked_for(3, *watchers, other)
    assert both[WaitForBound] == alone[WaitForBound]
    assert both[AskKeys] == alone[AskKeys]
    for each in (*watchers, other):
        each.close()


@pytest.mark.parametrize("sql", [ALL, SOME, TOTAL, f"{ALL} LIMIT 100"])
def test_a_node_that_is_lost_and_comes_back_loses_no_change(
    nodes: LiveNodes, engine: SqlEngine, sql: str
) -> None:
    watcher = Watcher(engine, sql)
    for epoch in range(1, 9):
        if epoch in (2, 6):
            nodes.lose("b" if epoch == 2 else "c")
        elif epoch in (4, 8):
            nodes.bring_back("b" if epoch == 4 else "c")
        nodes.apply("accounts", [(epoch, epoch), (99, epoch)], epoch)
        watcher.until(accounts=epoch)
        assert watcher.counts() == nodes.rows(sql)
    assert [event.moment.epoch for event in watcher.events] == list(range(1, 9))
    watcher.close()


def test_what_a_query_holds_moves_with_its_partition(nodes: LiveNodes, engine: SqlEngine) -> None:
    """Also while there are no epochs: a node that holds it could not give it away, nor leave."""
    watcher = Watcher(engine, ALL)
    for number in range(ACCOUNTS.partitions):
        nodes.move("accounts", number, ["a", "b"])
    until(nodes.drop_moved)
    for number in range(ACCOUNTS.partitions):
        nodes.move("accounts", number, ["c"])
    until(nodes.drop_moved)
    assert watcher.take() is None
    for epoch in (1, 2):
        nodes.apply("accounts", [(epoch, 7)], epoch)
        watcher.until(accounts=epoch)
        assert watcher.counts() == nodes.rows(ALL)
    assert [event.moment.epoch for event in watcher.events] == [1, 2]
    watcher.close()


def test_without_the_rows_before_it_is_told_to_start_over(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    keyed, whole = Watcher(engine, ALL), Watcher(engine, TOTAL)
    for number in range(ACCOUNTS.partitions):
        nodes.move("accounts", number, ["b"])
    until(nodes.drop_moved)
    nodes.lose("b")
    nodes.restart("b")
    nodes.apply("accounts", [(1, 7)], 1)
    for epoch in range(2, 9):
        nodes.apply("accounts", [(1, epoch)], epoch)
    nodes.bring_back("b")
    with pytest.raises(QueryError) as caught:
        keyed.until(accounts=8)
    assert (caught.value.sqlstate, caught.value.hint) == (
        "72000",
        "Subscribe again, from the beginning.",
    )
    whole.until(accounts=8)
    assert whole.counts() == nodes.rows(TOTAL)
    again = Watcher(engine, ALL)
    assert again.counts() == nodes.rows(ALL)
    for each in (keyed, whole, again):
        each.close()


def test_a_replica_that_does_not_follow_keeps_no_one_waiting(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    for number in range(ACCOUNTS.partitions):
        nodes.move("accounts", number, ["a", "b"])
    until(nodes.drop_moved)
    watcher = Watcher(engine, ALL)
    nodes.stuck.add("a")
    for epoch in range(1, 9):
        nodes.apply("accounts", [(1, epoch)], epoch)
        watcher.until(accounts=epoch)
        assert watcher.counts() == nodes.rows(ALL)
    watcher.close()


def test_a_node_that_comes_back_is_waited_for_though_another_one_is_stuck(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    for number in range(ACCOUNTS.partitions):
        nodes.move("accounts", number, ["a", "b"])
    until(nodes.drop_moved)
    watcher = Watcher(engine, ALL)
    nodes.stuck.add("a")
    nodes.apply("accounts", [(1, 1)], 1)
    watcher.until(accounts=1)
    nodes.lose("b")
    nodes.bring_back("b")
    nodes.apply("accounts", [(1, 2)], 2)
    watcher.until(accounts=2)
    for number in range(ACCOUNTS.partitions):
        nodes.move("accounts", number, ["a", "c"])
    nodes.lose("b")
    nodes.apply("accounts", [(1, 3)], 3)
    watcher.until(accounts=3)
    assert watcher.counts() == nodes.rows(ALL)
    watcher.close()


def test_an_epoch_that_cannot_be_held_is_tried_for_now_and_then(
    nodes: LiveNodes, engine: SqlEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its watch says at once that the epoch is there; the query must not go round without end."""
    watcher = Watcher(engine, ALL)
    tries: list[float] = []

    def hold_nothing(*args: object) -> None:
        tries.append(time.monotonic())

    with monkeypatch.context() as refusing:
        refusing.setattr(cuts, "_hold", hold_nothing)
        nodes.apply("accounts", [(1, 1)], 1)
        until(lambda: len(tries) >= 7)
    assert tries[6] - tries[0] > 2 * live_query._RETRY_S, "at most two tries in a row"
    watcher.until(accounts=1)
    assert watcher.counts() == nodes.rows(ALL)
    watcher.close()


@pytest.mark.parametrize("sql", [ALL, TOTAL])
def test_the_copy_that_is_left_may_be_behind(nodes: LiveNodes, engine: SqlEngine, sql: str) -> None:
    """The node that was asked for the last epoch is lost, and no other one has come so far."""
    watcher = Watcher(engine, sql)
    nodes.stuck.add("c")
    nodes.apply("accounts", [(account, 1) for account in IDS], 1)
    watcher.until(accounts=1)
    nodes.lose("b")
    with suppress(QueryError):
        Watcher(engine, sql).close()  # which looks at all replicas
    nodes.stuck.clear()
    for epoch in (2, 3):
        nodes.apply("accounts", [(account, epoch) for account in IDS], epoch)
        watcher.until(accounts=epoch)
        assert watcher.counts() == nodes.rows(sql)
    assert [event.moment.epoch for event in watcher.events] == [1, 2, 3]
    watcher.close()


def test_the_only_copy_may_be_lost_for_a_while(nodes: LiveNodes, engine: SqlEngine) -> None:
    """A result whose rows are here goes on when the node has come back."""
    watcher = Watcher(engine, TOTAL)
    for number in range(ACCOUNTS.partitions):
        nodes.move("accounts", number, ["b"])
    until(nodes.drop_moved)
    for epoch in (1, 2, 3):
        nodes.links["b"].requests_left = epoch * 3
        nodes.apply("accounts", [(1, epoch)], epoch)
        until(lambda: not nodes.is_up("b"))
        nodes.bring_back("b")
        watcher.until(accounts=epoch)
        assert watcher.counts() == nodes.rows(TOTAL)
    watcher.close()


def test_a_token_works_at_another_gateway(nodes: LiveNodes, engine: SqlEngine) -> None:
    watcher = Watcher(engine, ALL)
    assert watcher.moment is not None
    token, rows = watcher.moment.token, watcher.rows
    nodes.apply("accounts", [(1, 1)], 1)
    nodes.apply("accounts", [(1, 2), (3, 2)], 2)
    watcher.until(accounts=2)
    other = SqlEngine(nodes.cluster(), node="a")
    returned = Watcher(other, ALL, token=token, rows=rows)
    assert returned.subscription.start_over is None
    assert [returned.next().moment for _ in range(2)] == [e.moment for e in watcher.events]
    assert returned.counts() == watcher.counts()
    returned.close()
    other.close()
    watcher.close()


@pytest.mark.parametrize("sql", [ALL, TOTAL])
def test_a_client_goes_on_by_the_log_at_another_node(
    nodes: LiveNodes, engine: SqlEngine, sql: str
) -> None:
    """No copy keeps the epoch of its token, and the node that gave it was lost."""
    watcher = Watcher(engine, sql)
    assert watcher.moment is not None
    token, rows = watcher.moment.token, watcher.rows
    watcher.close()
    engine.close()
    until_forgotten(engine, [each["accounts"] for each in nodes.stores.values()])
    for epoch in range(1, 10):
        nodes.apply("accounts", [(1, epoch), (2, 100 + epoch)], epoch)
    past = GivenPast()
    past.stores[0] = made(ACCOUNTS)
    other = SqlEngine(nodes.cluster(), node="b", past=past)
    returned = Watcher(other, sql, token=token, rows=rows)
    assert returned.subscription.start_over is None
    event = returned.next()
    assert event.moment.epochs == {"accounts": 9}
    nodes.apply("accounts", [(3, 7)], 10)
    returned.until(accounts=10)
    assert returned.counts() == Counter(rows_of(run(other, sql)))
    returned.close()
    other.close()


def test_a_token_of_an_epoch_that_is_yet_to_come_here_is_waited_for(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    """The node that had it was lost: a client must not see older rows than before."""
    watcher = Watcher(engine, ALL)
    nodes.apply("accounts", [(1, 1)], 1)
    watcher.until(accounts=1)
    assert watcher.moment is not None
    behind = LiveNodes([ACCOUNTS], pipeline="spark:a")
    behind.apply("accounts", [(account, 100) for account in IDS], 0)
    other = SqlEngine(behind.cluster(), node="a")
    late = threading.Timer(0.2, behind.apply, ("accounts", [(1, 1)], 1))
    late.start()
    returned = Watcher(other, ALL, token=watcher.moment.token, rows=watcher.rows)
    assert returned.subscription.start_over is None
    assert returned.counts() == watcher.counts()
    late.join()
    for each in (watcher, returned):
        each.close()
    other.close()
    behind.close()


def test_rows_before_a_token_are_not_given(nodes: LiveNodes, engine: SqlEngine) -> None:
    """A copy that does not catch up gives them to no one who has seen later ones."""
    watcher = Watcher(engine, ALL)
    nodes.apply("accounts", [(1, 1)], 1)
    watcher.until(accounts=1)
    assert watcher.moment is not None
    token, rows = watcher.moment.token, watcher.rows
    behind = LiveNodes([ACCOUNTS], pipeline="spark:a")
    behind.apply("accounts", [(account, 100) for account in IDS], 0)
    other = SqlEngine(behind.cluster(), node="a")
    with pytest.raises(QueryError) as caught:
        Watcher(other, ALL, token=token, rows=rows)
    assert (caught.value.sqlstate, caught.value.retryable) == ("55S01", True)
    assert caught.value.message == "the partitions are behind the token"
    assert other.live_counts().subscribers == 0
    behind.apply("accounts", [(1, 1)], 1)
    Watcher(other, ALL, token=token, rows=rows).close()
    watcher.close()
    other.close()
    behind.close()


def test_a_token_of_a_store_that_was_made_anew_starts_over(
    nodes: LiveNodes, engine: SqlEngine
) -> None:
    """It is at an older epoch of another incarnation: nothing is left to wait for."""
    watcher = Watcher(engine, ALL)
    nodes.apply("accounts", [(1, 1)], 1)
    watcher.until(accounts=1)
    assert watcher.moment is not None
    anew = LiveNodes([replace(ACCOUNTS, incarnation="5e0c")], pipeline="spark:a")
    anew.apply("accounts", [(account, 5) for account in IDS], 0)
    other = SqlEngine(anew.cluster(), node="a")
    returned = Watcher(other, ALL, token=watcher.moment.token, rows=watcher.rows)
    assert returned.subscription.start_over is not None
    assert set(returned.rows) == {(account, 5) for account in IDS}
    watcher.close()
    returned.close()
    other.close()
    anew.close()


@pytest.mark.parametrize("sql", [ALL, TOTAL])
def test_a_store_that_was_made_anew_is_not_mixed_with_the_old_one(
    nodes: LiveNodes, engine: SqlEngine, sql: str
) -> None:
    """One node sees it before the others do; its epochs have the same numbers, and other rows."""
    watcher = Watcher(engine, sql)
    anew = LiveNodes([ACCOUNTS, LEDGER], pipeline="spark:a", committed_ms=1_000)
    anew.apply("accounts", [(account, 5) for account in IDS], 0)
    anew.apply("accounts", [(1, 5)], 1)
    nodes.apply("accounts", [], 1)
    watcher.until(accounts=1)
    old = nodes.stores.copy()
    nodes.see_anew("b", anew)
    with pytest.raises(QueryError) as caught:
        Watcher(engine, f"{sql} WHERE true" if sql == ALL else f"{sql} LIMIT 1")
    assert caught.value.sqlstate in {"55S01", "72000"}, "it would have rows of both"
    nodes.see_anew("c", anew)
    nodes.see_anew("a", anew)
    for stores in old.values():
        stores["accounts"].close()
    with pytest.raises(QueryError) as caught:
        watcher.next()
    assert caught.value.sqlstate == "72000"
    watcher.close()
    anew.close()


def test_bounds_hold_for_the_beginning_at_any_node(nodes: LiveNodes, engine: SqlEngine) -> None:
    with pytest.raises(QueryError) as caught:
        Watcher(engine, f"{ALL} WITH BOUND (events[0] >= 1)")
    assert caught.value.sqlstate == "55S01"
    late = threading.Timer(0.05, nodes.apply, ("accounts", [(1, 7)], 1))
    late.start()
    watcher = Watcher(engine, f"{ALL} WITH BOUND (events[0] >= 1), WAIT '10 s'")
    assert (1, 7) in watcher.rows
    late.join()
    watcher.close()


def test_what_no_node_has_is_said(nodes: LiveNodes, engine: SqlEngine) -> None:
    for name in ("b", "c"):
        nodes.lose(name)
    with pytest.raises(QueryError) as caught:
        Watcher(engine, ALL)
    assert (caught.value.sqlstate, caught.value.retryable) == ("55S01", True)
    assert engine.live_counts().subscribers == 0
