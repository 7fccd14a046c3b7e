"""Law: what a client holds of a store is of one incarnation, and never leads to rows of another.

A store is written to, rebuilt, or removed and created again between two uses of each thing that a
client can hold. The second use gives the rows that it would have given without the holder, goes on
with the rows that it began with, or is refused by an error that says that a retry can help.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.gateway.http.app import create_app
from stategate.gateway.settings import Settings
from stategate.planner.engine import Cancellation, QueryError, Session
from stategate.planner.sql import SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.hosting.host import Host
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import INTEGER, Column, Row, StoreSchema
from stategate.stores.upkeep.rebuild import rebuild
from tests.gateway.client.serving import services_of
from tests.planner.live.watching import Watcher
from tests.planner.sides import rows_of
from tests.support.hosts import has_epoch, running
from tests.support.stores import keyvalue
from tests.support.waiting import until

pytestmark = pytest.mark.anyio

FIRST = keyvalue("events", {"usr": "text", "seq": "bigint"}, {"n": "integer"}, partitions=2)
ROWS = "SELECT usr, seq, n FROM events"
SUMS = "SELECT seq % 2 AS parity, count(*), sum(n) FROM events GROUP BY 1"
ONE = "SELECT usr, seq, n FROM events WHERE usr = 'u1' AND seq = 1"
STATEMENTS = (ROWS, SUMS, ONE)
PAGE_ROWS = 3


@dataclass
class World:
    """A log, a node that follows it, and the rows that the store should have."""

    root: Path
    host: Host
    engine: SqlEngine
    client: httpx.AsyncClient
    schema: StoreSchema = FIRST
    rows: dict[tuple[str, int], int | None] = field(default_factory=dict)
    offset: int = 0
    remade: int = 0
    """How often it has become another incarnation."""

    def write(self, n: int, *, users: range) -> None:
        """Give each key of these users a value, in an epoch of its own."""
        new: dict[tuple[str, int], int | None] = {
            (f"u{usr}", seq): n for usr in users for seq in range(3)
        }
        self.rows |= new
        self.offset += 1
        parts = {
            "usr": [usr for usr, _ in new],
            "seq": [seq for _, seq in new],
            "n": list(new.values()),
        }
        named = [*self.schema.key, *self.schema.value]
        arrays = [pa.array(parts.get(c.name, [None] * len(new)), c.type.arrow) for c in named]
        rows = pa.table(dict(zip([c.name for c in named], arrays, strict=True)))
        StoreWriter(self.root, self.schema.without_comments()).write(
            rows, position=Position.of({"events": {0: self.offset}})
        )

    def rebuilt(self, schema: StoreSchema) -> None:
        """Rebuild it under another definition."""
        self.schema = rebuild(self.root, "events", schema).schema
        self.remade += 1

    def repartition(self) -> None:
        self.rebuilt(replace(self.schema, partitions=5 - self.schema.partitions))

    def reorder(self) -> None:
        """Order the key by its other column first."""
        self.rebuilt(replace(self.schema, key=self.schema.key[::-1]))

    def evolve(self) -> None:
        """Add a column."""
        column = Column(name=f"more{self.remade}", type=INTEGER)
        self.rebuilt(replace(self.schema, value=(*self.schema.value, column)))

    def there_and_back(self) -> None:
        """Rebuild it, and write, and rebuild it to the definition that it had."""
        before = self.schema
        self.repartition()
        self.write(90 + self.offset, users=range(3))
        self.rebuilt(before)

    def lose_values(self) -> None:
        """Drop a column and add it again: the same epoch and definition, and other rows."""
        value = self.schema.value
        self.rebuilt(replace(self.schema, value=tuple(c for c in value if c.name != "n")))
        self.rebuilt(replace(self.schema, value=value))
        self.rows = dict.fromkeys(self.rows)

    def anew(self, epochs: int) -> None:
        """Remove it, and make it anew of other keys, by this number of epochs."""
        shutil.rmtree(self.root / "events")
        self.rows.clear()
        self.schema, self.remade = replace(FIRST, incarnation=""), self.remade + 1
        for n in range(epochs):
            self.write(1_000 * self.remade + n, users=range(2, 4))

    def settle(self) -> None:
        """Wait until the node answers from the newest incarnation, at its newest epoch."""
        log = StoreLog.open(self.root, "events")
        incarnation, epoch = log.schema().incarnation, log.latest_epoch()

        def is_there() -> bool:
            store = self.host.stores.get("events")
            is_same = store is not None and store.schema.incarnation == incarnation
            return is_same and has_epoch(self.host, epoch, "events")

        until(is_there)

    def ask(self, sql: str, session: Session | None = None) -> list[Row]:
        """Return the rows of a statement, in any order."""
        session = session or Session()
        done = self.engine.execute(
            self.engine.prepare(sql, session), (), session, cancellation=Cancellation(60)
        )
        return sorted(rows_of(done))

    def expected(self, sql: str) -> list[Row]:
        """Return the rows of one of the statements, as they should be."""
        if sql == ONE:
            key = ("u1", 1)
            return [(*key, self.rows[key])] if key in self.rows else []
        if sql == ROWS:
            return sorted((*key, n) for key, n in self.rows.items())
        groups = {seq % 2 for _, seq in self.rows}
        of = {each: [n for (_, seq), n in self.rows.items() if seq % 2 == each] for each in groups}
        return sorted((each, len(found), total(found)) for each, found in of.items())


def total(numbers: list[int | None]) -> int | None:
    """Return what SQL's sum returns."""
    present = [each for each in numbers if each is not None]
    return sum(present) if present else None


CHANGES: dict[str, Callable[[World], None]] = {
    "write": lambda world: world.write(world.offset, users=range(4)),
    "repartition": World.repartition,
    "reorder": World.reorder,
    "evolve": World.evolve,
    "there and back": World.there_and_back,
    "lose values": World.lose_values,
    "anew, with fewer epochs": lambda world: world.anew(1),
    "anew, with as many epochs": lambda world: world.anew(3),
    "anew, with more epochs": lambda world: world.anew(6),
}


@contextmanager
def world_in(root: Path) -> Iterator[World]:
    """Yield a store of twelve rows by three epochs."""
    with ExitStack() as stack:
        writing = World(root, None, None, None)  # type: ignore[arg-type]
        for n in range(3):
            writing.write(n, users=range(4))
        host = stack.enter_context(running(root))
        until(lambda: has_epoch(host, 2, "events"))
        engine = stack.enter_context(closing(SqlEngine(host)))
        services = stack.enter_context(
            services_of(engine, typed=TypedQueries(host), settings=Settings())
        )
        stack.callback(services.pages.close)
        transport = httpx.ASGITransport(create_app(services))
        client = httpx.AsyncClient(transport=transport, base_url="http://localhost")
        yield replace(writing, host=host, engine=engine, client=client)


def may_retry(error: QueryError) -> bool:
    """Whether an error says that a client goes on by doing it again."""
    return error.retryable or error.sqlstate in {"72000", "55000"}


@contextmanager
def allowed(is_allowed: Callable[[QueryError], bool]) -> Iterator[None]:
    """Let a block end by an error, if that is allowed."""
    found: QueryError | None = None
    try:
        yield
    except QueryError as error:
        found = error
    assert found is None or is_allowed(found), found


class Transaction:
    """A transaction that repeats its reads."""

    def __init__(self, world: World) -> None:
        self._world, self._session = world, Session()
        self._world.ask("BEGIN ISOLATION LEVEL REPEATABLE READ", self._session)
        self._seen = {sql: world.ask(sql, self._session) for sql in STATEMENTS}

    def check(self) -> None:
        for sql, seen in self._seen.items():
            with allowed(may_retry):
                assert self._world.ask(sql, self._session) == seen
        self._session.close()


class Prepared:
    """Statements that were planned, and answers that are kept."""

    def __init__(self, world: World) -> None:
        self._world, self._session = world, Session()
        self._planned = {sql: world.engine.prepare(sql, self._session) for sql in STATEMENTS}
        for sql in STATEMENTS * 2:
            self._run(sql)

    def _run(self, sql: str) -> list[Row]:
        statement, engine = self._planned[sql], self._world.engine
        if statement.look_up is not None:
            found = statement.look_up(statement.literals, self._session)
            if found is not None:
                return sorted(found.rows)
        done = engine.execute(statement, (), self._session, cancellation=Cancellation(60))
        return sorted(rows_of(done))

    def check(self) -> None:
        for sql in STATEMENTS:
            with allowed(may_retry):
                assert self._run(sql) == self._world.expected(sql)


def drain(watcher: Watcher) -> None:
    """Take events, up to the end of the query."""
    while True:
        watcher.next()


class Live:
    """A live query that goes on, and the token of one that was left."""

    def __init__(self, world: World, sql: str) -> None:
        self._world, self._sql, self._remade = world, sql, world.remade
        self._staying = Watcher(world.engine, sql)
        left = Watcher(world.engine, sql)
        assert left.moment is not None
        self._token, self._rows = left.moment.token, left.rows
        left.close()

    def check(self) -> None:
        epoch = StoreLog.open(self._world.root, "events").latest_epoch()
        expected, is_same = self._world.expected(self._sql), self._world.remade == self._remade
        back = Watcher(self._world.engine, self._sql, token=self._token, rows=self._rows)
        assert (back.subscription.start_over is None) == is_same
        back.until(events=epoch)
        assert sorted(back.rows) == expected
        back.close()
        if is_same:
            self._staying.until(events=epoch)
            assert sorted(self._staying.rows) == expected
        else:
            with pytest.raises(QueryError) as caught:
                drain(self._staying)
            assert caught.value.sqlstate == "72000"
        self._staying.close()


class Tags:
    """The versions of answers."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._seen: dict[str, tuple[str, list[Row]]] = {}

    async def begin(self) -> None:
        for sql in STATEMENTS:
            answer = await self._world.client.get("/v1/query", params={"sql": sql})
            assert "etag" in answer.headers, (sql, answer.text)
            self._seen[sql] = answer.headers["etag"], self._world.expected(sql)

    async def check(self) -> None:
        for sql, (tag, rows) in self._seen.items():
            answer = await self._world.client.get(
                "/v1/query", params={"sql": sql}, headers={"If-None-Match": tag}
            )
            if answer.status_code == 304:
                assert self._world.expected(sql) == rows
            else:
                assert answer.status_code == 200, answer.text
                assert sorted(map(tuple, answer.json()["rows"])) == self._world.expected(sql)


class Pages:
    """The token of the second page."""

    def __init__(self, world: World, consistency: str) -> None:
        self._world, self._remade = world, world.remade
        self._fields = {"sql": ROWS, "consistency": consistency, "page_rows": PAGE_ROWS}
        self._keys: list[tuple[str, int]] = []
        self._token: str | None = None

    async def _next(self) -> dict[str, Any]:
        body = {**self._fields, "next": self._token}
        answer = await self._world.client.post("/v1/query", json=body)
        found: dict[str, Any] = answer.json()
        if answer.status_code == 200:
            self._keys += [(usr, seq) for usr, seq, _ in found["rows"]]
            self._token = found["next"]
        return found

    async def begin(self) -> None:
        assert "error" not in await self._next()
        assert len(self._keys) == PAGE_ROWS

    async def check(self) -> None:
        is_same = self._world.remade == self._remade
        while self._token is not None:
            found = await self._next()
            if "error" in found:
                assert (found["error"]["sqlstate"], is_same) == ("72000", False)
                return
        assert is_same, "it goes on in another incarnation"
        assert sorted(self._keys) == sorted(self._world.rows)
        assert len(set(self._keys)) == len(self._keys)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("change", CHANGES)
async def test_what_a_client_holds_is_of_one_incarnation(tmp_path: Path, change: str) -> None:
    await check(tmp_path, [change])


@pytest.mark.usefixtures("impatient")
@settings(max_examples=8, deadline=None, suppress_health_check=[*HealthCheck])
@given(changes=st.lists(st.sampled_from(sorted(CHANGES)), min_size=2, max_size=4))
async def test_several_changes_lead_to_no_rows_of_another_one(
    tmp_path_factory: pytest.TempPathFactory, changes: list[str]
) -> None:
    await check(tmp_path_factory.mktemp("log"), changes)


async def check(root: Path, changes: list[str]) -> None:
    """Use all that a client can hold before and after some changes."""
    with world_in(root) as world:
        held: list[Transaction | Prepared | Live] = [
            Transaction(world),
            Prepared(world),
            Live(world, ROWS),
            Live(world, SUMS),
        ]
        over_http: list[Tags | Pages] = [
            Tags(world),
            Pages(world, "eventual"),
            Pages(world, "snapshot"),
        ]
        for each in over_http:
            await each.begin()
        for name in changes:
            CHANGES[name](world)
            world.settle()
        for sql in STATEMENTS:
            assert world.ask(sql) == world.expected(sql)
        for holder in held:
            holder.check()
        for other in over_http:
            await other.check()
        await world.client.aclose()
