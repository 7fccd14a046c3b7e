"""Databases in processes: rows are transferred, and the end of a process affects few statements."""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.planner.composing.database import (
    ROW_TOO_LONG,
    ArrowRelation,
    DatabaseClosedError,
    DatabaseError,
    Definition,
)
from stategate.planner.composing.messages import ProcessLimits
from stategate.planner.composing.process import ComposingProcess, ProcessEndedError
from stategate.planner.composing.process_pool import ProcessPool
from stategate.planner.composing.remote import RemoteDatabase
from stategate.planner.errors import QueryCancelledError, StoreFailedError, UnavailableError
from stategate.planner.values.cancel import Cancellation
from tests.planner.composing.databases import (
    BOMB,
    INSIDE_S,
    LONG,
    MEMORY_BYTES,
    SCHEMA,
    SUM,
    WAIT_S,
    database_in,
    gated,
    is_gone,
    kill,
    numbers,
    relation,
    rows,
    rows_of,
    stop,
)
from tests.support.waiting import until


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessPool]:
    made = ProcessPool(memory_bytes_max=MEMORY_BYTES)
    yield made
    made.close()


@pytest.fixture(scope="module")
def database(processes: ProcessPool) -> RemoteDatabase:
    return database_in(processes)


# --- rows ----------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(sizes=st.lists(st.sampled_from([0, 1, 7, 3000, 20_000, 40_000]), max_size=5))
def test_any_number_of_rows_is_transferred(database: RemoteDatabase, sizes: list[int]) -> None:
    batches = [batch for size in sizes for batch in numbers(size, rows=max(1, size))]
    given_rows = rows(iter(batches))
    assert rows_of(database, "SELECT n FROM r", r=relation(batches)) == given_rows
    twice = "SELECT count(*) FROM (SELECT n FROM r UNION ALL SELECT n FROM r WHERE n >= 0)"
    assert rows_of(database, twice, r=relation(batches)) == [(2 * len(given_rows),)]


def test_processes_leave_the_cores_to_lookups(processes: ProcessPool) -> None:
    (pid,) = processes.pids
    assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)


def test_a_long_relation_is_read_no_further_than_it_is_needed(database: RemoteDatabase) -> None:
    read = list[int]()

    def open_stream() -> Iterator[pa.RecordBatch]:
        for at, batch in enumerate(numbers(100 * 8192)):
            read.append(at)
            yield batch

    found = rows_of(database, "SELECT n FROM r LIMIT 3", r=ArrowRelation(SCHEMA, open_stream))
    assert found == [(0,), (1,), (2,)]
    assert len(read) < 50


def test_rows_are_computed_as_they_are_read(database: RemoteDatabase) -> None:
    """A reader that stops leaves a few batches waiting, not the whole result."""
    read = list[int]()

    def open_stream() -> Iterator[pa.RecordBatch]:
        for at, batch in enumerate(numbers(400 * 8192)):
            read.append(at)
            yield batch

    answer = database.run(
        "SELECT n + 1 AS n FROM r",
        relations={"r": ArrowRelation(SCHEMA, open_stream)},
        cancellation=Cancellation(WAIT_S),
    )
    assert next(answer).num_rows
    assert len(read) < 100
    answer.close()
    with pytest.raises(StopIteration):
        next(answer)


def test_parameters_scripts_and_types_are_transferred(database: RemoteDatabase) -> None:
    answer = database.run(
        "SELECT $a + 1 AS a, getvariable('x') AS x, 'e'::ENUM('e') AS e",
        script="SET VARIABLE x = 'held'",
        parameters={"a": 41},
        cancellation=Cancellation(WAIT_S),
    )
    assert [field.name for field in answer.schema] == ["a", "x", "e"]
    assert rows(iter(answer)) == [(42, "held", "e")]
    columns = database.describe(
        "SELECT n, $1::TEXT AS t FROM r",
        relations={"r": SCHEMA},
        parameters=("1",),
        cancellation=Cancellation(),
    )
    assert [(c.name, c.kind, c.arrow) for c in columns] == [
        ("n", "BIGINT", pa.int64()),
        ("t", "VARCHAR", pa.string()),
    ]


def test_a_row_of_long_values_is_sent_by_itself(database: RemoteDatabase) -> None:
    answer = database.run(
        "SELECT repeat('x', 3000000) AS t FROM generate_series(1, 8)",
        cancellation=Cancellation(WAIT_S),
    )
    sizes = [(batch.num_rows, batch.nbytes) for batch in answer]
    assert sum(count for count, _ in sizes) == 8
    assert max(size for _, size in sizes) < 8 << 20


def test_long_rows_among_short_ones_are_sent_by_themselves(database: RemoteDatabase) -> None:
    answer = database.run(
        "SELECT CASE WHEN i % 300 < 3 THEN repeat('x', 7000000) END AS t FROM range(600) r (i)",
        cancellation=Cancellation(WAIT_S),
    )
    sizes = [(batch.num_rows, batch.nbytes) for batch in answer]
    assert sum(count for count, _ in sizes) == 600
    assert max(size for _, size in sizes) < 8 << 20


def test_a_row_that_is_too_long_is_refused(database: RemoteDatabase) -> None:
    sql = "SELECT i, CASE WHEN i = 3 THEN list_resize([1], 5000000) END FROM range(5) r (i)"
    with pytest.raises(DatabaseError, match="a row of the result takes 20,") as caught:
        list(database.run(sql, cancellation=Cancellation(WAIT_S)))
    assert caught.value.kind == ROW_TOO_LONG


def test_many_statements_run_at_once(database: RemoteDatabase) -> None:
    batches = numbers(LONG)
    sums = [(LONG, LONG * (LONG - 1) // 2)]
    with ThreadPoolExecutor(16) as threads:
        runs = [threads.submit(rows_of, database, SUM, r=relation(batches)) for _ in range(48)]
        assert all(run.result() == sums for run in runs)


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sql", "kind", "text"),
    [
        ("SELECT nothing FROM r", "Binder", "nothing"),
        ("SELEC", "Parser", "SELEC"),
        ("SELECT CAST('x' || n AS INTEGER) FROM r", "Conversion", "x0"),
        # After the first rows, where Arrow raises the error.
        (
            "SELECT CAST(CASE n WHEN 90000 THEN 'x' ELSE '1' END AS INTEGER) FROM r",
            "Conversion",
            "INT32",
        ),
        ("SELECT list_resize([1], 500000000, 1)", "OutOfMemory", "allocate"),
        ("SELECT array_agg(n) FROM generate_series(1, 30000000) t(n)", "OutOfMemory", "MiB"),
    ],
)
def test_errors_keep_their_class_and_text(
    database: RemoteDatabase, sql: str, kind: str, text: str
) -> None:
    with pytest.raises(DatabaseError, match=text) as caught:
        rows_of(database, sql, r=relation(numbers(LONG)))
    assert caught.value.kind == kind
    assert rows_of(database, "SELECT 1") == [(1,)]


@pytest.mark.parametrize("at", [0, 8])
def test_a_statement_raises_the_error_of_its_relation(database: RemoteDatabase, at: int) -> None:
    def open_stream() -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(numbers(LONG)):
            if number == at:
                raise StoreFailedError("partition 3 is gone")
            yield batch

    with pytest.raises(StoreFailedError, match="partition 3 is gone"):
        rows_of(database, SUM, r=ArrowRelation(SCHEMA, open_stream))


@pytest.mark.parametrize("at", [0, 8])
def test_memory_that_is_short_while_a_relation_is_read_is_told(
    database: RemoteDatabase, at: int
) -> None:
    def open_stream() -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(numbers(LONG)):
            if number == at:
                raise pa.ArrowMemoryError("malloc of size 64 failed")
            yield batch

    with pytest.raises((DatabaseError, MemoryError), match="malloc of size 64 failed") as caught:
        rows_of(database, SUM, r=ArrowRelation(SCHEMA, open_stream))
    error = caught.value
    assert error.kind == "OutOfMemory" if isinstance(error, DatabaseError) else at == 0
    assert rows_of(database, "SELECT 1") == [(1,)]


def test_an_invalid_definition_is_an_error(processes: ProcessPool) -> None:
    broken = RemoteDatabase(processes, Definition(before=("CREATE TABLE t (n NOTHING)",)))
    with pytest.raises(DatabaseError, match="NOTHING"):
        rows_of(broken, "SELECT 1")


def test_the_log_names_the_statement_that_ended_a_process_without_its_values(
    processes: ProcessPool, database: RemoteDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    def deadly() -> Iterator[pa.RecordBatch]:
        kill(processes.pids)
        return iter(numbers(LONG))

    sql = "SELECT count(*), 'it''s', $$secret$$ FROM r WHERE n > 12.5 -- secret"
    with pytest.raises(DatabaseError):
        rows_of(database, sql, r=ArrowRelation(SCHEMA, deadly))
    assert "statement=SELECT count(*), ?, ? FROM r WHERE n > ?" in caplog.text
    assert "secret" not in caplog.text


# --- cancel and timeout --------------------------------------------------------------------------


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an interrupt take any length of time, on any machine."""
    monkeypatch.setattr("stategate.planner.composing.remote_statement.KILL_S", WAIT_S)


@pytest.mark.usefixtures("patient")
def test_a_statement_that_ends_when_interrupted_keeps_its_process(
    processes: ProcessPool, database: RemoteDatabase
) -> None:
    endless = "SELECT sum(a * b) FROM range(1000000) x(a), range(1000000) y(b)"
    rows_of(database, "SELECT 1")
    before = processes.pids
    with pytest.raises(QueryCancelledError, match="timeout"):
        rows_of(database, endless, Cancellation(0.1))
    assert processes.pids == before
    assert rows_of(database, "SELECT 1") == [(1,)]


PATTERN = rf"^{'(.*)' * 6}\1\2\3\4\5\6x?\1\2\3\4\5\6[ab]$"
"""Takes time in proportion to the sixth power of a text's length."""


@pytest.mark.parametrize(
    "sql",
    [
        BOMB,
        f"SELECT * FROM range(({BOMB})::BIGINT)",
        f"SELECT 1 LIMIT ({BOMB})::BIGINT",
        f"SELECT pg_sg_matches(repeat('ab', 1000), '{PATTERN}')",
    ],
)
def test_a_statement_that_ignores_its_interrupt_is_killed(
    processes: ProcessPool, database: RemoteDatabase, sql: str
) -> None:
    before = processes.pids
    with pytest.raises(QueryCancelledError, match="timeout"):
        rows_of(database, sql, Cancellation(INSIDE_S))
    assert not set(before) & set(processes.pids)
    assert rows_of(database, "SELECT 1") == [(1,)]


def test_planning_can_be_cancelled(database: RemoteDatabase) -> None:
    with pytest.raises(QueryCancelledError, match="timeout"):
        database.describe(
            f"SELECT * FROM range(({BOMB.replace('SELECT ', '')})::BIGINT)",
            cancellation=Cancellation(0.1),
        )


def test_a_cancelled_statement_does_not_begin(database: RemoteDatabase) -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    with pytest.raises(QueryCancelledError, match="user request"):
        rows_of(database, "SELECT 1", cancellation)


@pytest.mark.usefixtures("patient")
def test_a_stream_that_no_one_reads_is_ended_by_its_cancel(
    processes: ProcessPool, database: RemoteDatabase
) -> None:
    cancellation = Cancellation()
    answer = database.run(
        "SELECT n FROM r",
        relations={"r": relation(numbers(10 * LONG))},
        cancellation=cancellation,
    )
    next(answer)
    before = processes.pids
    cancellation.cancel()
    with pytest.raises(QueryCancelledError):
        list(answer)
    assert processes.pids == before


# --- processes that end --------------------------------------------------------------------------


def test_other_statements_begin_again_when_a_process_is_killed(database: RemoteDatabase) -> None:
    gate, entered = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(rows_of, database, SUM, r=gated(gate, entered))
        assert entered.wait(WAIT_S)
        with pytest.raises(QueryCancelledError):
            rows_of(database, BOMB, Cancellation(INSIDE_S))
        gate.set()
        assert other.result(WAIT_S) == [(LONG, LONG * (LONG - 1) // 2)]


def test_rows_that_were_returned_cannot_be_returned_again(database: RemoteDatabase) -> None:
    answer = database.run(
        "SELECT n FROM r",
        relations={"r": relation(numbers(10 * LONG))},
        cancellation=Cancellation(WAIT_S),
    )
    next(answer)
    with pytest.raises(QueryCancelledError):
        rows_of(database, BOMB, Cancellation(INSIDE_S))
    with pytest.raises(UnavailableError) as caught:
        list(answer)
    assert caught.value.sqlstate == "55000"
    answer.close()


@settings(max_examples=12, deadline=None)
@given(at=st.integers(0, 14), alone=st.booleans())
def test_a_process_may_end_at_any_message(
    processes: ProcessPool, database: RemoteDatabase, at: int, alone: bool
) -> None:
    """A statement that ran alone fails; several that ran together all begin again."""
    killed = threading.Event()

    def open_stream() -> Iterator[pa.RecordBatch]:
        for number, batch in enumerate(numbers(LONG)):
            if number == at and not killed.is_set():
                killed.set()
                kill(processes.pids)
            yield batch

    rows_of(database, "SELECT 1")
    beside = None
    if not alone:
        beside = database.run(
            "SELECT n FROM r",
            relations={"r": relation(numbers(10 * LONG))},
            cancellation=Cancellation(WAIT_S),
        )
    try:
        found = rows_of(database, SUM, r=ArrowRelation(SCHEMA, open_stream))
    except DatabaseError as error:
        found = [(error.kind,)]
    finally:
        if beside is not None:
            beside.close()
    assert found == [(LONG, LONG * (LONG - 1) // 2)] or (alone and found == [("OutOfMemory",)])
    assert rows_of(database, "SELECT 1") == [(1,)]


def test_a_statement_that_ends_every_process_fails_and_the_others_do_not(
    processes: ProcessPool, database: RemoteDatabase
) -> None:
    gate, entered = threading.Event(), threading.Event()

    def deadly() -> Iterator[pa.RecordBatch]:
        kill(processes.pids)
        return iter(numbers(LONG))

    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(rows_of, database, SUM, r=gated(gate, entered))
        assert entered.wait(WAIT_S)
        gate.set()
        with pytest.raises(DatabaseError) as caught:
            rows_of(database, SUM, r=ArrowRelation(SCHEMA, deadly))
        assert caught.value.kind == "OutOfMemory"
        assert other.result(WAIT_S) == [(LONG, LONG * (LONG - 1) // 2)]


def test_a_process_starts_after_a_killed_one_has_released_its_memory() -> None:
    limits = ProcessLimits(memory_bytes=1 << 30)
    process = ComposingProcess(limits)
    for _ in range(5):
        process.open(1, Definition(before=["CREATE TABLE t AS SELECT range(2000000) AS held"]))
        process.kill()
        ended, process = process, ComposingProcess(limits)
        assert not Path(f"/proc/{ended.pid}").exists()
    process.kill()


def test_a_process_that_has_ended_leaves_no_socket_of_a_lane() -> None:
    process = ComposingProcess(ProcessLimits(memory_bytes=1 << 30))
    kill([process.pid])
    until(lambda: is_gone(process.pid))
    # A process whose first thread has ended may still hold its sockets.
    until(lambda: not Path(f"/proc/{process.pid}").exists())
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ProcessEndedError) as caught:
        process.take_lane()
    until(lambda: len(os.listdir("/proc/self/fd")) <= before)
    process.end()
    del caught


def test_a_fork_server_that_hangs_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stategate.planner.composing.process.START_S", 0.5)
    monkeypatch.setattr("stategate.planner.composing.forkserver._END_S", 0.1)
    pool = ProcessPool(memory_bytes_max=MEMORY_BYTES)
    found = database_in(pool)
    assert rows_of(found, "SELECT 1") == [(1,)]
    forks = int(Path(f"/proc/{pool.pids[0]}/stat").read_text().rpartition(") ")[2].split()[1])
    stop(forks)
    kill(pool.pids)
    try:
        with suppress(DatabaseError):  # it may be sent before the end is noticed
            rows_of(found, "SELECT 1")
        with pytest.raises(UnavailableError):
            rows_of(found, "SELECT 1")
        monkeypatch.setattr("stategate.planner.composing.process.START_S", WAIT_S)
        assert rows_of(found, "SELECT 1") == [(1,)]
        assert is_gone(forks)
    finally:
        with suppress(ProcessLookupError):
            os.kill(forks, signal.SIGKILL)
        pool.close()


def test_a_statement_without_file_descriptors_fails_and_leaks_none(
    database: RemoteDatabase,
) -> None:
    batches = relation(numbers(LONG))
    assert rows_of(database, SUM, r=batches)[0][0] == LONG
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    files, held = len(os.listdir("/proc/self/fd")), list[int]()
    resource.setrlimit(resource.RLIMIT_NOFILE, (files + 64, most[1]))
    try:
        for _ in range(3):
            with suppress(OSError):
                while True:
                    held.append(os.dup(0))
            with pytest.raises(UnavailableError) as raised:
                rows_of(database, SUM, r=batches)
            assert raised.value.sqlstate == "53000"
            assert raised.value.hint
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, most)
        for each in held:
            os.close(each)
    # The pool's threads close their ends a moment after the statement.
    until(lambda: len(os.listdir("/proc/self/fd")) <= files, timeout_s=WAIT_S)
    assert rows_of(database, SUM, r=batches)[0][0] == LONG


def test_a_closed_pool_raises() -> None:
    mine = ProcessPool(memory_bytes_max=MEMORY_BYTES)
    database = database_in(mine)
    rows_of(database, "SELECT 1")
    answer = database.run(
        "SELECT n FROM r",
        relations={"r": relation(numbers(10 * LONG))},
        cancellation=Cancellation(WAIT_S),
    )
    mine.close()
    with pytest.raises(DatabaseClosedError):
        list(answer)
    with pytest.raises(DatabaseClosedError):
        rows_of(database, "SELECT 1")
