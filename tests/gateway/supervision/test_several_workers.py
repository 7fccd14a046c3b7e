"""A gateway of several workers seems to be one: sessions, cancels, metrics, crashes and the end."""

from __future__ import annotations

import os
import re
import signal
import socket
import ssl
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import psycopg
import pyarrow as pa
import pytest

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.gateway.real_gateway import PEOPLE, RealGateway, is_gone, parent_of
from tests.support.certificates import make_authority, make_server
from tests.support.waiting import WAIT_S, until

pytestmark = [pytest.mark.server, pytest.mark.timeout(180)]

WORKERS = 3
PLACES = 8 * WORKERS
START_S = 60.0
"""Several processes start at once, perhaps beside other tests."""
LONG = "SELECT count(*) FROM people a, people b, people c, people d WHERE a.age + b.age < c.age"
A_SECOND = f"{LONG.replace(', people d', '')} AND c.age < 800"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workers")


@pytest.fixture(scope="module")
def gateway(directory: Path) -> Iterator[RealGateway]:
    """Has all workers again, and no clients, after each test."""
    settings = (
        *(f"workers={WORKERS}", "slow_statement_ms=0", f"pg_connections_max={PLACES}"),
        "poll_ms=60000",  # no worker looks at the log by itself during the tests
        f"data={directory / 'data'}",
    )
    with started(directory, *settings) as found:
        yield found


class started:
    """A gateway whose workers are all ready, as a context; it is killed at the end."""

    def __init__(self, directory: Path, *settings: str) -> None:
        self._log = directory / "gateway.log"
        self._gateway = RealGateway(directory, "log_level=info", *settings, log=self._log)

    def __enter__(self) -> RealGateway:
        try:
            wait_for_all_workers(self._gateway, self._log.parent)
        except BaseException:
            self.__exit__()
            raise
        return self._gateway

    def __exit__(self, *_: object) -> None:
        for pid in reversed(self._gateway.family()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._gateway.process.communicate(timeout=WAIT_S)


def wait_for_all_workers(gateway: RealGateway, directory: Path) -> None:
    """Wait until all workers answer, and the supervisor knows of each one that was started."""
    log = directory / "gateway.log"
    until(lambda: len(ready_workers(gateway)) == WORKERS, START_S)

    def all_are_known() -> bool:
        latest = {
            pid: log.read_text().rindex(f"pid={pid}") for pid in processes(directory).values()
        }
        ready = {
            int(each[1]): each.start()
            for each in re.finditer(r"worker ready worker=(\d)", log.read_text())
        }
        return all(ready.get(n, -1) > latest[pid] for n, pid in processes(directory).items())

    until(all_are_known)


def metrics(gateway: RealGateway, accept: str = "text/plain") -> str:
    url = f"http://127.0.0.1:{gateway.http_port}/metrics"
    return httpx.get(url, headers={"Accept": accept}).text


def ready_workers(gateway: RealGateway) -> set[int]:
    """Return the numbers of the workers that answer."""
    with suppress(httpx.TransportError):
        ready = re.findall(r'^stategate_ready{worker="(\d)"} 1', metrics(gateway), re.MULTILINE)
        return set(map(int, ready))
    return set()


def processes(directory: Path) -> dict[int, int]:
    """Return the process id of each worker by the worker's number, from the log."""
    log = (directory / "gateway.log").read_text()
    return {
        int(worker): int(pid)
        for worker, pid in re.findall(r"worker started worker=(\d) pid=(\d+)", log)
    }


def connect(gateway: RealGateway, stack: ExitStack) -> psycopg.Connection:
    return stack.enter_context(gateway.connect())


def number_of(session: psycopg.Connection) -> int:
    """Return the worker that has a session."""
    return session.info.backend_pid % WORKERS


def two_of_different_workers(
    gateway: RealGateway, stack: ExitStack
) -> tuple[psycopg.Connection, psycopg.Connection]:
    one = connect(gateway, stack)
    while True:
        other = connect(gateway, stack)
        if number_of(other) != number_of(one):
            return one, other


def test_each_worker_has_the_same_number_of_clients(gateway: RealGateway) -> None:
    with ExitStack() as stack:
        sessions = [connect(gateway, stack) for _ in range(4 * WORKERS)]
        counts = [sum(number_of(each) == n for each in sessions) for n in range(WORKERS)]
    assert counts == [4] * WORKERS


def test_clients_that_leave_make_room_at_their_worker(gateway: RealGateway) -> None:
    with ExitStack() as stack:
        sessions = [connect(gateway, stack) for _ in range(2 * WORKERS)]
        for each in sessions:
            if number_of(each) == 1:
                each.close()
        until(lambda: number_of(connect(gateway, stack)) == 1)


def until_it_runs(watching: psycopg.Connection, sql: str) -> None:
    """Wait until a statement is among those that the workers run."""
    listed = "SELECT sql FROM stategate.queries"
    until(lambda: (sql,) in watching.execute(listed).fetchall(), START_S)


def test_sessions_and_statements_of_all_workers_are_listed(gateway: RealGateway) -> None:
    with ExitStack() as stack:
        one, other = two_of_different_workers(gateway, stack)
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(other.execute, LONG)
            until_it_runs(one, LONG)
            listed = one.execute("SELECT pid, state FROM pg_stat_activity").fetchall()
            assert (other.info.backend_pid, "active") in listed
            assert (one.info.backend_pid, "active") in listed
            numbers = one.execute("SELECT number FROM stategate.queries").fetchall()
            assert len(numbers) == len(set(numbers)) >= 2
            other.cancel()
            with pytest.raises(psycopg.errors.QueryCanceled):
                running.result(WAIT_S)
            slow = "SELECT sqlstate, sql FROM stategate.slow_queries WHERE sql LIKE '%c.age'"
            assert ("57014", LONG) in one.execute(slow).fetchall()


def test_a_hint_of_a_writer_reaches_all_workers(gateway: RealGateway, directory: Path) -> None:
    with ExitStack() as stack:
        url = f"http://127.0.0.1:{gateway.http_port}"
        writer = StoreWriter(directory / "log", PEOPLE, notify=[url])
        rows = pa.table({"name": ["new"], "age": pa.array([7], pa.int32())})
        writer.write(
            rows.append_column("seen", pa.array([0], pa.timestamp("us", "UTC"))),
            position=Position.of({"events": {0: 2}}),
        )
        sessions = [connect(gateway, stack) for _ in range(WORKERS)]
        assert {number_of(each) for each in sessions} == set(range(WORKERS))

        def all_have_it() -> bool:
            found = [each.execute("SELECT age FROM people WHERE name = 'new'") for each in sessions]
            return all(each.fetchall() for each in found)

        until(all_have_it)
        assert httpx.post(f"{url}/v1/stores/nothing/notify").status_code == 202


def test_each_worker_tells_where_the_wire_listens(gateway: RealGateway) -> None:
    answer = httpx.get(f"http://127.0.0.1:{gateway.http_port}/v1/stores").json()
    assert answer["addresses"] == {
        "http": f"127.0.0.1:{gateway.http_port}",
        "postgres": f"127.0.0.1:{gateway.port}",
    }


@pytest.mark.parametrize("times", [8])
def test_a_cancel_request_reaches_the_worker_of_its_session(
    gateway: RealGateway, times: int
) -> None:
    # The connection of a cancel request may come to any worker.
    with ExitStack() as stack:
        session, watching = connect(gateway, stack), connect(gateway, stack)
        for _ in range(times):
            with ThreadPoolExecutor(1) as pool:
                running = pool.submit(session.execute, LONG)
                until_it_runs(watching, LONG)  # a cancel before it would have no effect
                session.cancel()
                with pytest.raises(psycopg.errors.QueryCanceled):
                    running.result(WAIT_S)
            assert session.execute("SELECT 1").fetchone() == (1,)


def test_backends_of_another_worker_are_cancelled_and_terminated(gateway: RealGateway) -> None:
    with ExitStack() as stack:
        one, other = two_of_different_workers(gateway, stack)
        pid = other.info.backend_pid
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(other.execute, LONG)
            until_it_runs(one, LONG)
            assert one.execute("SELECT pg_cancel_backend(%s)", (pid,)).fetchone() == (True,)
            with pytest.raises(psycopg.errors.QueryCanceled):
                running.result(WAIT_S)
        assert one.execute("SELECT pg_terminate_backend(%s)", (pid,)).fetchone() == (True,)
        with pytest.raises(psycopg.OperationalError):
            other.execute("SELECT 1")
        assert one.execute("SELECT pg_terminate_backend(%s)", (pid,)).fetchone() == (False,)


def test_metrics_have_all_workers_and_each_head_once(gateway: RealGateway) -> None:
    for accept in ("text/plain", "application/openmetrics-text; version=1.0.0"):
        text = metrics(gateway, accept)
        heads = [line for line in text.splitlines() if line.startswith("# TYPE")]
        assert len(heads) == len(set(heads))
        for metric in ("stategate_store_rows_total", "stategate_replica_epoch"):
            workers = set(re.findall(rf'^{metric}{{worker="(\d)"', text, re.MULTILINE))
            assert workers == {str(number) for number in range(WORKERS)}
        assert text.endswith("# EOF\n") == ("openmetrics" in accept)


def test_clients_beyond_the_limit_of_all_workers_are_refused(gateway: RealGateway) -> None:
    with ExitStack() as stack:

        def takes_a_place() -> bool:
            with suppress(psycopg.OperationalError):  # a session of another test is still closing
                connect(gateway, stack)
                return True
            return False

        for _ in range(PLACES):
            until(takes_a_place)
        with pytest.raises(psycopg.OperationalError, match="too many clients"):
            gateway.connect()


def test_a_worker_that_dies_is_replaced_while_the_others_answer(
    gateway: RealGateway, directory: Path
) -> None:
    with ExitStack() as stack:
        one, other = two_of_different_workers(gateway, stack)
        before = processes(directory)
        doomed = number_of(other)
        os.kill(before[doomed], signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            other.execute("SELECT 1")
        assert one.execute("SELECT age FROM people WHERE name = 'n7'").fetchone() == (7,)
        assert one.execute("SELECT count(*) FROM pg_stat_activity").fetchone() is not None

        until(lambda: processes(directory) != before)
        wait_for_all_workers(gateway, directory)
        after = processes(directory)
        assert after[doomed] != before[doomed]
        assert after[number_of(one)] == before[number_of(one)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_all_processes_lets_statements_end(
    tmp_path: Path, number: signal.Signals
) -> None:
    # A terminal and systemd send a signal to all processes.
    settings = f"workers={WORKERS}", "grace_ms=60000"
    with started(tmp_path, *settings) as gateway, gateway.connect() as session:
        with gateway.connect() as other, ThreadPoolExecutor(1) as pool:
            running = pool.submit(session.execute, A_SECOND)
            until_it_runs(other, A_SECOND)  # one that has not begun would be refused
            assert not running.done()
            workers = list(processes(tmp_path).values())
            pids = gateway.family()
            for pid in (gateway.process.pid, parent_of(workers[0]), *workers):
                os.kill(pid, number)
            running.result(START_S)
        out, _ = gateway.process.communicate(timeout=START_S)
        assert gateway.process.returncode == 0
        assert out == "stategate: stopping\n"
        assert all(map(is_gone, pids))


def test_workers_end_with_their_supervisor(tmp_path: Path) -> None:
    with started(tmp_path, f"workers={WORKERS}") as gateway:
        pids = [each for each in gateway.family() if each != gateway.process.pid]
        gateway.process.kill()
        assert all(map(is_gone, pids))


def test_a_worker_that_cannot_start_again_is_tried_again(
    gateway: RealGateway, directory: Path
) -> None:
    data, log = directory / "data", directory / "gateway.log"
    hidden = data.rename(directory / "hidden")
    data.write_text("a file, where a directory should be")
    os.kill(processes(directory)[0], signal.SIGKILL)
    until(lambda: "cannot open the stores" in log.read_text(), START_S)
    with gateway.connect() as session:
        assert session.execute("SELECT 1").fetchone() == (1,)
    data.unlink()
    hidden.rename(data)
    wait_for_all_workers(gateway, directory)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_workers_allocate_by_the_system(gateway: RealGateway) -> None:
    served = [
        pid for pid in gateway.family() if "libarrow" in Path(f"/proc/{pid}/maps").read_text()
    ]
    assert len(served) >= 1 + WORKERS
    for pid in served:
        kept = Path(f"/proc/{pid}/environ").read_text().split("\0")
        assert "ARROW_DEFAULT_MEMORY_POOL=system" in kept


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_supervisor_has_not_loaded_the_engine(gateway: RealGateway) -> None:
    pid = gateway.process.pid
    assert "libarrow" not in Path(f"/proc/{pid}/maps").read_text()
    arguments = Path(f"/proc/{pid}/cmdline").read_text()
    assert "\0serve\0--root\0" in arguments, "the command line that was typed is shown"


def test_a_gateway_whose_workers_cannot_start_ends(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file, where a directory should be")
    gateway = RealGateway(tmp_path, "workers=2", f"data={tmp_path / 'data'}")
    out, err = gateway.process.communicate(timeout=START_S)
    assert gateway.process.returncode == 2
    assert "cannot open the stores" in err
    assert "could not start" in err
    assert out == ""


def test_connections_are_secured_by_the_worker_and_certificates_reloaded(tmp_path: Path) -> None:
    signed = make_server(tmp_path, authority=make_authority(tmp_path))
    settings = (f"tls_certificate={signed.certificate}", f"tls_key={signed.key}", "workers=2")
    gateway = RealGateway(tmp_path, *settings, log=tmp_path / "gateway.log")
    try:
        url = f"https://127.0.0.1:{gateway.http_port}/healthz"
        secure = ssl.create_default_context(cafile=str(signed.authority))
        secure.check_hostname = False

        def answers() -> bool:
            with suppress(httpx.TransportError):
                return httpx.get(url, verify=secure).status_code == 200
            return False

        until(answers, START_S)
        dsn = f"{gateway.dsn} sslmode=verify-ca sslrootcert={signed.authority}"
        with psycopg.connect(dsn) as session:
            assert session.execute("SELECT 1").fetchone() == (1,)
        gateway.process.send_signal(signal.SIGHUP)  # it must not end the gateway
        until(answers)
        with socket.create_connection(("127.0.0.1", gateway.http_port)) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert plain.recv(100) == b""  # the handshake fails, and frees its place
        assert gateway.end() < WAIT_S
    finally:
        for pid in reversed(gateway.family()):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def composing(gateway: RealGateway) -> Sequence[int]:
    """Return the ids of the fork server of the composing processes, and of its children."""
    for pid in gateway.family():
        with suppress(FileNotFoundError):
            if "shared_forkserver" in Path(f"/proc/{pid}/cmdline").read_text():
                return [pid, *(each for each in gateway.family() if parent_of(each) == pid)]
    return []


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_workers_share_composing_processes_and_outlive_them(gateway: RealGateway) -> None:
    with ExitStack() as stack:
        one, other = two_of_different_workers(gateway, stack)
        begun = "SELECT pg_postmaster_start_time()"
        assert one.execute(begun).fetchone() == other.execute(begun).fetchone()
        before = composing(gateway)
        assert len(before) == 1 + 2, "one for two workers"
        running = stack.enter_context(ThreadPoolExecutor(1)).submit(one.execute, A_SECOND)
        until_it_runs(other, A_SECOND)
        os.kill(before[0], signal.SIGKILL)
        assert all(map(is_gone, before))
        assert other.execute("SELECT age FROM people WHERE name = 'n7'").fetchone() == (7,)
        assert running.result(START_S).fetchone() is not None
        assert not set(composing(gateway)) & set(before)
