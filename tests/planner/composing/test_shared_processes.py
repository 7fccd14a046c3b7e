"""Workers share composing processes: whatever dies, the statements of the others go on."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.planner.composing import frames
from stategate.planner.composing.database import ArrowRelation, DatabaseError, Definition
from stategate.planner.composing.forkserver import ForkServer
from stategate.planner.composing.messages import NUMBERS, ForkKind, Kind, ProcessLimits
from stategate.planner.composing.process_pool import ProcessPool, SharedProcesses
from stategate.planner.composing.remote import RemoteDatabase
from stategate.planner.composing.shared_forkserver import LEAVE_S
from stategate.planner.errors import QueryCancelledError
from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.schema import Row
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
    rows_of,
    stop,
)
from tests.support.composing import SharedForkServer
from tests.support.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers need a Unix")

WHOLE = [(LONG, LONG * (LONG - 1) // 2)]
DRAWN = Definition(threads=1, before=["CREATE TABLE drawn AS SELECT random() AS n"])
"""Two databases of this definition have different numbers."""
WORKER = """
import sys
from pathlib import Path
from stategate.planner.composing.process_pool import ProcessPool, SharedProcesses
from stategate.planner.values.cancel import Cancellation
from tests.planner.composing.databases import database_in
shared = SharedProcesses(forks=Path(sys.argv[1]), first=0, count=1)
database = database_in(ProcessPool(memory_bytes_max=64 << 20, shared=shared))
list(database.run("SELECT 1", cancellation=Cancellation(30)))
print("begins", flush=True)
list(database.run(sys.argv[2], cancellation=Cancellation(120)))
"""
LONG_JOIN = "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range < 0"
"""A statement that takes minutes, and ends when it is interrupted."""


class Machine(SharedForkServer):
    """A shared fork server; its pools stand for the workers of one gateway."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._pools: list[ProcessPool] = []

    def worker(self, *, first: int = 0, count: int = 1) -> ProcessPool:
        """Return the pool of another worker."""
        shared = SharedProcesses(forks=self.path, first=first, count=count)
        self._pools.append(ProcessPool(memory_bytes_max=MEMORY_BYTES, shared=shared))
        return self._pools[-1]

    def close(self) -> None:
        """End the pools and the fork server."""
        for pool in self._pools:
            pool.close()
        super().close()


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    made = Machine(tmp_path_factory.mktemp("machine"))
    yield made
    made.close()


@contextmanager
def half_done(database: RemoteDatabase) -> Iterator[Future[list[Row]]]:
    """Begin a statement that ends with the block: it waits for rows meanwhile."""
    gate, entered = threading.Event(), threading.Event()
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(rows_of, database, SUM, r=gated(gate, entered))
        assert entered.wait(WAIT_S)
        try:
            yield future
        finally:
            gate.set()


def drawn(database: RemoteDatabase) -> Sequence[Row]:
    return rows_of(database, "SELECT n FROM drawn")


@contextmanager
def stay(machine: Machine, place: int | None) -> Iterator[tuple[socket.socket, int]]:
    """Start a process for a worker that then loses its connection to the fork server.

    Returns:
        The worker's socket to the process, and its id.
    """
    forks = ForkServer(machine.path)
    control, theirs = socket.socketpair()
    with control:
        with theirs:
            forks.start(theirs, ProcessLimits(memory_bytes=1 << 30), place=place)
        control.settimeout(WAIT_S)
        hello = frames.receive(control)
        assert hello is not None
        forks.close()
        yield control, NUMBERS.unpack(hello.head)[0]


# --- what is shared ------------------------------------------------------------------------------


def test_workers_share_a_process_and_databases_of_the_same_content(machine: Machine) -> None:
    one, other = machine.worker(), machine.worker()
    first, second = RemoteDatabase(one, DRAWN), RemoteDatabase(other, DRAWN)
    assert drawn(first) == drawn(second)
    assert one.pids == other.pids
    assert drawn(RemoteDatabase(other, DRAWN)) == drawn(first)
    changed = Definition(before=[*DRAWN.before, "SELECT 1"])
    assert drawn(RemoteDatabase(other, changed)) != drawn(first)
    rows = pa.table({"n": [7.0]})
    assert drawn(RemoteDatabase(other, Definition(tables={"drawn": rows}))) == [(7.0,)]
    eight = Definition(tables={"drawn": pa.table({"n": [8.0]})})
    assert drawn(RemoteDatabase(one, eight)) == [(8.0,)]


def test_workers_of_different_places_have_different_processes(machine: Machine) -> None:
    found = set[int]()
    for number in range(4):
        pool = machine.worker(first=number, count=2)
        rows_of(database_in(pool), "SELECT 1")
        found.update(pool.pids)
    assert len(found) == 2


def test_a_worker_that_closes_leaves_the_process_to_the_others(machine: Machine) -> None:
    one, other = machine.worker(), machine.worker()
    database = database_in(other)
    rows_of(database_in(one), "SELECT 1")
    with half_done(database) as running:
        before = other.pids
        one.close()
    assert running.result(WAIT_S) == WHOLE
    third = machine.worker()
    rows_of(database_in(third), "SELECT 1")
    assert third.pids == other.pids == before


def test_a_pool_that_is_not_closed_leaves_the_fork_server(machine: Machine) -> None:
    shared = SharedProcesses(forks=machine.path, first=0, count=1)
    pool = ProcessPool(memory_bytes_max=MEMORY_BYTES, shared=shared)
    rows_of(database_in(pool), "SELECT 1")
    control = pool._forks._control
    assert control is not None
    assert control.fileno() >= 0
    del pool
    gc.collect()
    assert control.fileno() < 0


# --- ends ----------------------------------------------------------------------------------------


def test_a_process_that_one_worker_has_killed_blames_no_statement_of_another(
    machine: Machine, caplog: pytest.LogCaptureFixture
) -> None:
    one, other = machine.worker(), machine.worker()
    with half_done(database_in(other)) as running:
        before = other.pids
        with pytest.raises(QueryCancelledError):
            rows_of(database_in(one), BOMB, Cancellation(INSIDE_S))
        until(lambda: all(map(is_gone, before)))
    assert running.result(WAIT_S) == WHOLE
    assert other.pids != before
    assert "a composing process ended" not in caplog.text


def test_statements_of_all_workers_begin_again_when_a_process_dies(machine: Machine) -> None:
    workers = [machine.worker() for _ in range(3)]
    with ExitStack() as stack:
        running = [stack.enter_context(half_done(database_in(each))) for each in workers]
        kill(workers[0].pids)
    assert [each.result(WAIT_S) for each in running] == [WHOLE] * 3


def test_a_statement_that_ends_every_process_fails_and_those_of_other_workers_do_not(
    machine: Machine,
) -> None:
    one, other = machine.worker(), machine.worker()

    def deadly() -> Iterator[pa.RecordBatch]:
        kill(one.pids)
        return iter(numbers(LONG))

    with half_done(database_in(other)) as running:
        with pytest.raises(DatabaseError) as caught:
            rows_of(database_in(one), SUM, r=ArrowRelation(SCHEMA, deadly))
        assert caught.value.kind == "OutOfMemory"
    assert running.result(WAIT_S) == WHOLE


def test_one_worker_at_a_time_runs_a_statement_alone(machine: Machine) -> None:
    one, other = machine.worker(), machine.worker()
    refused = pytest.raises(QueryCancelledError)
    with one.alone(Cancellation(WAIT_S)), refused, other.alone(Cancellation(0.2)):
        raise AssertionError("two have it")
    with other.alone(Cancellation(WAIT_S)):
        # A worker that ends gives it back.
        other.close()
        with one.alone(Cancellation(WAIT_S)):
            pass


@pytest.mark.parametrize(("sql", "stays"), [(LONG_JOIN, True), (BOMB, False)])
def test_statements_of_a_worker_that_dies_end(machine: Machine, sql: str, stays: bool) -> None:
    other = machine.worker()
    database = database_in(other)
    command = [sys.executable, "-c", WORKER, str(machine.path), sql]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dying,
        half_done(database) as running,
    ):
        before = other.pids
        assert dying.stdout is not None
        assert dying.stdout.readline() == "begins\n"
        busy_s = cpu_s(before[0])
        until(lambda: cpu_s(before[0]) > busy_s + 0.3, WAIT_S)
        dying.kill()
        if stays:
            until(lambda: is_idle(before[0]), WAIT_S)
        else:
            assert is_gone(before[0])
    assert running.result(WAIT_S) == WHOLE
    assert (other.pids == before) is stays


def test_a_process_of_a_dead_worker_alone_is_killed(machine: Machine) -> None:
    with stay(machine, None) as (control, pid):
        stop(pid)  # it does not see that its worker has gone
        control.close()
        assert is_gone(pid)


@pytest.mark.parametrize("place", [None, 1])
def test_a_worker_that_lives_keeps_its_processes_without_its_connection(
    machine: Machine, place: int | None
) -> None:
    # So it closes the connection when the fork server has not answered in time.
    with stay(machine, place) as (control, pid):
        time.sleep(LEAVE_S + 0.3)  # as long as it takes to see that nothing is killed
        lane, theirs = socket.socketpair()
        with lane:
            with theirs:
                frames.send(control, Kind.LANE, NUMBERS.pack(1, 0), fds=[theirs.fileno()])
            lane.settimeout(WAIT_S)
            frames.send(lane, Kind.CLOSE)
            assert frames.receive(lane) is not None
        # Once it dies, the process is killed, even if nothing else tells the fork server.
        stop(pid)
        control.close()
        assert is_gone(pid)


def test_a_process_that_is_full_is_left_by_all_workers(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stategate.planner.composing.process_pool.OVERHEAD_BYTES", 320 << 20)
    one, other = machine.worker(first=2, count=3), machine.worker(first=2, count=3)
    rows = (
        "SELECT range AS n, hash(range) AS h FROM range(3_000_000)"  # more than half of what fits
    )
    full = ["SET memory_limit = '4 GiB'", "SET threads = 1", f"CREATE TABLE t AS {rows}"]
    held = RemoteDatabase(one, Definition(before=full))
    database = database_in(other)
    with half_done(database) as running:
        before = other.pids
        rows_of(held, "SELECT max(n) FROM t")
        assert one.pids == before
        with pytest.raises(DatabaseError) as caught:
            rows_of(held, "SELECT len(list(h ORDER BY h)) FROM t")
        assert caught.value.kind == "OutOfMemory"
        assert rows_of(database_in(one), "SELECT 1") == [(1,)]
        assert not set(one.pids) & set(before)
        assert rows_of(database, "SELECT 1") == [(1,)]
    assert running.result(WAIT_S) == WHOLE
    assert all(map(is_gone, before))


def test_statements_begin_again_with_the_next_fork_server(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    try:
        one, other = machine.worker(), machine.worker()
        rows_of(database_in(one), "SELECT 1")
        with half_done(database_in(other)) as running:
            before = other.pids
            machine.lose()
            assert all(map(is_gone, before))
            machine.start()
        assert running.result(WAIT_S) == WHOLE
        assert rows_of(database_in(one), SUM, r=relation(numbers(LONG))) == WHOLE
        assert one.pids == other.pids != before
    finally:
        machine.close()


def test_the_fork_server_answers_its_owner(machine: Machine) -> None:
    machine.worker()
    machine.owner.settimeout(WAIT_S)
    for _ in range(3):
        machine.owner.send(b"?")
        assert machine.owner.recv(9) == b"?"


def test_a_worker_that_sends_nonsense_holds_no_other_up(machine: Machine) -> None:
    half, foreign, wrong = (socket.socket(socket.AF_UNIX) for _ in range(3))
    with half, foreign, wrong:
        for each in (half, foreign, wrong):
            each.connect(str(machine.path))
            each.settimeout(WAIT_S)
        half.sendall(frames.parts_of(ForkKind.ALONE, NUMBERS.pack(0, 0))[0][:5])
        foreign.sendall(b"\xff" * 16)
        frames.send(wrong, ForkKind.START, b"no pickle", fds=[half.fileno()])
        rows_of(database_in(machine.worker()), "SELECT 1")
        for each in (half, foreign, wrong):
            with suppress(ConnectionResetError):
                assert each.recv(1) == b""


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def is_idle(pid: int) -> bool:
    before = cpu_s(pid)
    time.sleep(0.1)  # as long as it takes to see that nothing runs
    return cpu_s(pid) - before < 0.03
