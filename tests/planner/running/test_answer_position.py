"""What the position of an answer promises, whatever epochs the partitions have reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError, UnavailableError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result
from stategate.stores.errors import FailureReason
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import Position, merge_positions
from stategate.stores.spec.result import Failure
from tests.planner.accounts import ACCOUNTS, IDS, made, put, shifted
from tests.planner.faults import FaultyStore
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog

PARTITIONS = range(ACCOUNTS.partitions)
AHEAD = Position.of({"events": {0: 99}})
"""Of a partition that fails: nothing of it was read."""
STATEMENTS = (
    "SELECT amount, _epoch FROM accounts WHERE id = 3",
    "SELECT amount, _epoch FROM accounts WHERE id IN (1, 2, 5, 8)",
    "SELECT id, amount, _epoch FROM accounts",
    "SELECT sum(amount), max(_epoch) FROM accounts",
    "SELECT id, _epoch FROM accounts ORDER BY id LIMIT 5",
    "SELECT a.id, b._epoch FROM accounts a JOIN accounts b ON a.id = b.id + 1",
)


@dataclass(frozen=True)
class World:
    """How far each partition has come, and those that fail."""

    reached: Mapping[int, int]
    failing: frozenset[int] = frozenset()

    def store(self) -> LocalStore:
        store = made(ACCOUNTS)
        for epoch in range(1, max(self.reached.values()) + 1):
            put(store, shifted(epoch), epoch, [n for n in PARTITIONS if epoch <= self.reached[n]])
        failure = Failure(reason=FailureReason.STORE_EXCEPTION, message="broken", position=AHEAD)
        return FaultyStore(store, failures=dict.fromkeys(self.failing, failure))


worlds = st.builds(
    World,
    st.fixed_dictionaries({n: st.integers(1, 4) for n in PARTITIONS}),
    st.frozensets(st.sampled_from(PARTITIONS), max_size=2),
)


def at(epoch: int) -> Position:
    return Position.of({"events": {0: epoch}})


def ask(store: LocalStore, sql: str, session: Session | None = None) -> Result:
    engine = SqlEngine(FixedCatalog(store))
    try:
        result = run(engine, sql, session=session)
        rows_of(result)
    finally:
        engine.close()
    return result


@given(world=worlds, sql=st.sampled_from(STATEMENTS))
def test_it_is_the_greatest_of_what_was_read(world: World, sql: str) -> None:
    """It loses nothing that was read, and promises nothing that no row can reflect."""
    result = ask(world.store(), f"{sql} WITH PARTIAL")
    read = [answer for answer in result.partitions if answer.status == "ok"]
    assert result.position == merge_positions(at(answer.epoch) for answer in read)
    assert {answer.epoch for answer in read} <= {world.reached[a.partition] for a in read}


@given(before=worlds, after=worlds, sql=st.sampled_from(STATEMENTS))
def test_as_the_next_bound_no_partition_goes_back(before: World, after: World, sql: str) -> None:
    """The next answer comes from other replicas, which may be behind."""
    first = ask(before.store(), f"{sql} WITH PARTIAL")
    read = {a.partition: a.epoch for a in first.partitions if a.status == "ok"}
    session = Session(settings={"stategate.bound": first.position.token()})
    again = ask(after.store(), f"{sql} WITH PARTIAL", session)
    for answer in again.partitions:
        if answer.status == "ok":
            assert answer.epoch >= read.get(answer.partition, 0)


@given(world=worlds, written=st.integers(0, 4), sql=st.sampled_from(STATEMENTS))
def test_a_write_that_is_the_bound_is_in_every_partition(
    world: World, written: int, sql: str
) -> None:
    try:
        result = ask(world.store(), f"{sql} WITH BOUND (events[0] >= {written})")
    except QueryError:
        return
    assert all(at(answer.epoch).covers(at(written)) for answer in result.partitions)
    assert not {answer.partition for answer in result.partitions} & world.failing


@given(reached=st.fixed_dictionaries({n: st.integers(1, 4) for n in PARTITIONS}))
def test_a_cut_has_one_position_for_all_rows(reached: Mapping[int, int]) -> None:
    sql = "SELECT id, amount, _epoch FROM accounts WITH BOUND (SNAPSHOT)"
    engine = SqlEngine(FixedCatalog(World(reached).store()))
    try:
        result = run(engine, sql)
        rows = {row[0]: row[1:] for row in rows_of(result)}
    except UnavailableError:  # no epoch in common is kept
        return
    finally:
        engine.close()
    (epoch,) = {answer.epoch for answer in result.partitions}
    assert result.position == at(epoch)
    assert rows == {account: (amount, epoch) for account, amount in shifted(epoch)}
    assert len(rows) == len(IDS)
