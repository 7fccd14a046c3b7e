"""The statements with small answers, and what some of them cost from wire bytes to wire bytes.

The costs have ceilings here, so that a statement that calls more functions than before fails,
without a measurement of time. Lower a ceiling with the change that lowers the cost; `pytest -s`
prints what was counted.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from stategate.gateway.fair_threads import FairThreads, Job, OnWait, Owner
from stategate.planner.composing import frames
from stategate.planner.composing.messages import Kind
from stategate.planner.running import few_reads
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.rights import Readable, Rights
from stategate.stores.codec.partitioner import partition_column
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.engines.rocksdb.row_budget import RowBudget
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.spec.schema import StoreSchema
from tests.bench import data, small_stores
from tests.bench.__main__ import FAMILIES, GROUPS
from tests.bench.costs import CallCounter, WireSession, peak_bytes, wire_session
from tests.bench.epochs import log_batches, progress
from tests.bench.small_in_process import runner
from tests.bench.small_statements import SmallStatement, statements
from tests.gateway.pgwire import wire
from tests.support.stores import FixedCatalog

T = TypeVar("T")
DAYS = 21
USERS = 200
STATEMENTS = statements(keys=USERS, days=DAYS)


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one prepared statement, from its Bind to ReadyForQuery."""

    calls: int
    """Calls of Python functions, in all threads that work for it."""
    peak_kib: float
    """Memory that it adds at its peak."""


CEILINGS = {
    "key": Cost(34, 3),
    "ten-keys": Cost(134, 9),
    "day": Cost(152, 8),
    "day-total": Cost(154, 8),
    "page": Cost(167, 10),
    "range": Cost(166, 14),
    "join": Cost(188, 10),
    "join-window": Cost(147, 9),
    "newest": Cost(191, 7),
    "upper": Cost(645, 52),
}
"""Of statements that read; that of a key is given again, as most lookups are."""
GIVEN_AGAIN = Cost(60, 3)
"""Of any statement of few rows whose partitions stand where they stood."""
CALLS_TOLERANCE, PEAK_TOLERANCE = 1.1, 1.25
"""How far a cost may exceed its ceiling: versions of Python differ, mostly in sizes of objects."""


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FixedCatalog]:
    """All stores that the statements read, as on a host, but without its background threads."""
    rows = small_stores.tables(DAYS)
    schemas = {data.SCHEMA: data.rows(USERS), **{s: rows[s.name] for s in small_stores.SCHEMAS}}
    opener = _Opener(tmp_path_factory.mktemp("small"))
    stores = [opener.open(schema, table) for schema, table in schemas.items()]
    yield FixedCatalog(*stores)
    for store in stores:
        store.close()


class _Opener:
    """Opens filled stores with kept columns and rows; they share their memory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._columns, self._rows = ColumnBudget(1 << 28), RowBudget(1 << 28)

    def open(self, schema: StoreSchema, table: pa.Table) -> LocalStore:
        numbers = partition_column(table, schema.key, schema.partitions)
        replicas: dict[int, Replica] = {}
        for partition in range(schema.partitions):
            path = self._directory / schema.name / str(partition)
            path.mkdir(parents=True)
            engine = RocksPartition(
                path, schema=schema, partition=partition, columns=self._columns, rows=self._rows
            )
            replicas[partition] = Replica(engine, schema=schema, partition=partition)
            mine = table.filter(pa.array(numbers == partition))
            replicas[partition].apply(progress(), log_batches(mine))
            engine.maintain(lambda: False)
        return LocalStore(schema, replicas)


@pytest.fixture(scope="module")
def engine(catalog: FixedCatalog) -> Iterator[SqlEngine]:
    engine = SqlEngine(catalog)
    yield engine
    engine.close()


@dataclass(frozen=True, slots=True)
class Engines:
    """Two engines whose calls are counted. Starting them takes longer than all statements.

    Their reads go on where they begin, however busy the machine is.
    """

    counter: CallCounter
    reading: SqlEngine
    """Reads in each run."""
    keeping: SqlEngine
    """Gives answers again."""


@pytest.fixture(scope="module")
def engines(catalog: FixedCatalog) -> Iterator[Engines]:
    with CallCounter() as counter, pytest.MonkeyPatch.context() as patching:
        patching.setattr(few_reads, "SLICE_S", 60.0)
        reading = SqlEngine(catalog, limits=EngineLimits(answers_bytes=0))
        keeping = SqlEngine(catalog)
        yield Engines(counter, reading, keeping)
        for each in (reading, keeping):
            each.close()


@pytest.mark.parametrize("name", CEILINGS)
def test_a_small_statement_costs_no_more_than_before(name: str, engines: Engines) -> None:
    engine = engines.keeping if name == "key" else engines.reading
    check_cost(name, engine, engines.counter, CEILINGS[name])


@pytest.mark.parametrize("name", sorted(CEILINGS.keys() - {"upper"}))
def test_an_answer_that_is_given_again_costs_hardly_anything(name: str, engines: Engines) -> None:
    check_cost(name, engines.keeping, engines.counter, GIVEN_AGAIN)


def check_cost(name: str, engine: SqlEngine, counter: CallCounter, ceiling: Cost) -> None:
    with wire_session(engine) as session:
        messages = prepared(session, STATEMENTS[name])
        calls = counter.count(lambda: session.ask(messages))
        peak_kib = peak_bytes(lambda: session.ask(messages)) / 1024
    found = f"{name}: {calls} calls of {ceiling.calls}, {peak_kib:.1f} KiB of {ceiling.peak_kib}"
    print(found)
    assert calls <= ceiling.calls * CALLS_TOLERANCE, found
    assert peak_kib <= ceiling.peak_kib * PEAK_TOLERANCE, found


@pytest.mark.parametrize("name", ["key", "ten-keys"])
def test_a_text_that_is_sent_with_each_key_costs_hardly_more(name: str, engines: Engines) -> None:
    statement = STATEMENTS[name]
    engine, counter = engines.keeping if name == "key" else engines.reading, engines.counter
    with wire_session(engine) as session:
        run = prepared(session, statement)
        once = counter.count(lambda: session.ask(run))
        parsed = wire.parse("", statement.numbered) + run_of("", statement)
        with_text = counter.count(lambda: session.ask(parsed))
    assert once <= with_text <= once + 1


def test_a_limited_user_pays_one_call_and_others_none(
    catalog: FixedCatalog, engines: Engines
) -> None:
    rights, key = Rights(), STATEMENTS["key"]
    engine = SqlEngine(catalog, rights=rights)
    calls = []
    for by_user in (None, {"stategate": Readable(["*"])}):
        rights.by_user = by_user
        with wire_session(engine) as session:
            messages = prepared(session, key)
            calls.append(engines.counter.count(partial(session.ask, messages)))
    engine.close()
    print(f"{calls} calls without limits and with them")
    assert calls[0] <= calls[1] <= calls[0] + 1


def prepared(session: WireSession, statement: SmallStatement) -> bytes:
    """Prepare a statement; return the messages that run it, as pgbench sends them."""
    session.ask(wire.parse("s", statement.numbered) + wire.SYNC)
    messages = run_of("s", statement)
    for _ in range(8):  # one read of a range in eight is kept
        session.ask(messages)
    answer = wire.split_messages(session.ask(messages))
    assert sum(kind == "D" for kind, _ in answer) == statement.rows
    return messages


def run_of(name: str, statement: SmallStatement) -> bytes:
    """Return the messages that run a prepared statement."""
    parameters = [each.encode() for each in statement.parameters(0)]
    run = wire.bind("", name, parameters) + wire.describe("P", "")
    return run + wire.execute("") + wire.SYNC


@pytest.mark.parametrize("sql", [None, "SELECT 1 AS one", "SELECT 1 AS one WHERE false"])
def test_a_small_composed_statement_takes_one_hop_and_one_message(
    sql: str | None, catalog: FixedCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One call in a thread executes, reads, encodes and closes it."""
    hops, sent = list[object](), list[int]()
    submit, send = FairThreads.submit, frames.send

    def counted(
        threads: FairThreads, owner: Owner, call: Callable[[], T], on_wait: OnWait | None = None
    ) -> Job[T]:
        hops.append(call)
        return submit(threads, owner, call, on_wait)

    def counted_send(sock: socket.socket, kind: int, *parts: Any, **more: Any) -> None:
        sent.append(kind)
        send(sock, kind, *parts, **more)

    engine = SqlEngine(catalog)
    try:
        with wire_session(engine) as session:
            messages = prepared(session, STATEMENTS["upper"]) if sql is None else wire.query(sql)
            session.ask(messages)
            monkeypatch.setattr(FairThreads, "submit", counted)
            monkeypatch.setattr(frames, "send", counted_send)
            session.ask(messages)
            assert len(hops) == 1
            assert sent == [Kind.RUN]
    finally:
        engine.close()


def test_calls_are_counted_in_all_threads_that_begin_meanwhile(catalog: FixedCatalog) -> None:
    def twice() -> None:
        for _ in range(2):
            len_of("")

    with CallCounter() as counter:
        assert counter.count(lambda: None) == 0
        assert counter.count(twice) == 2
        engine = SqlEngine(catalog)
        with wire_session(engine) as session:
            # A statement thread composes it, and calls more functions than the loop does.
            counted = counter.count(lambda: session.ask(wire.query("SELECT 1 AS one")))
        engine.close()
    assert counted > 100


def len_of(text: str) -> int:
    return len(text)


def test_memory_is_counted_at_its_peak() -> None:
    def run() -> None:
        for _ in range(3):
            bytearray(1 << 20)

    assert 1 << 20 <= peak_bytes(run) < 2 << 20


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_has_the_rows_that_are_expected(name: str, engine: SqlEngine) -> None:
    runner(engine, STATEMENTS[name])  # raises otherwise


def test_a_statement_is_written_in_three_forms() -> None:
    day = STATEMENTS["day-added"]
    assert "origin = $1" in day.numbered
    assert "+ $2 * interval" in day.numbered
    assert "origin = '100'" in day.literal(0)
    assert "+ 0 * interval" in day.literal(0)
    assert day.parameters(1) == ("149", "9")
    assert day.script("prepared").startswith("\\set a random(100, 199)\n\\set n random(0, 19)\n")
    assert "origin = :a" in day.script("prepared")
    assert "origin = ':a'" in day.script("simple")
    assert "+ :n * interval" in day.script("simple")
    assert "\\set b :a + 49\n" in STATEMENTS["range"].script("prepared")


def test_the_stores_have_the_shape_of_the_demo() -> None:
    first, second = small_stores.tables(DAYS), small_stores.tables(DAYS)
    for schema in small_stores.SCHEMAS:
        assert first[schema.name].equals(second[schema.name])
        numbers = partition_column(first[schema.name], schema.key, schema.partitions)
        assert set(numbers.tolist()) == set(range(schema.partitions))
    aircraft, hourly = first["aircraft"], first["airport_hourly"]
    assert pc.count_distinct(aircraft.column("tailnum")).as_py() == small_stores.AIRCRAFT_ROWS
    assert pc.count_distinct(aircraft.column("distance")).as_py() == small_stores.AIRCRAFT_ROWS
    windows_of = zip(
        *(hourly.column(n).to_pylist() for n in ("origin", "window_start")), strict=True
    )
    hours = pc.floor_temporal(aircraft.column("last_seen"), unit="hour").to_pylist()
    seen = set(zip(aircraft.column("last_origin").to_pylist(), hours, strict=True))
    assert seen <= set(windows_of), "each aircraft has one window of its time"
    newest = pc.max(hourly.column("window_start"))
    windows = pc.sum(pc.equal(hourly.column("window_start"), newest)).as_py()
    assert windows == small_stores.NEWEST_AIRPORTS
    per_airport = 19 * DAYS
    missing = small_stores.AIRPORTS - small_stores.NEWEST_AIRPORTS
    assert len(hourly) == small_stores.AIRPORTS * per_airport - missing


def test_the_group_has_all_small_measurements() -> None:
    assert set(GROUPS["small"]) == {name for name in FAMILIES if name.startswith("small-")}
    assert {f"small-{name}" for name in STATEMENTS} < set(GROUPS["small"])
