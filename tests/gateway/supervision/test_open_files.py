"""A gateway that may open no more files: what fails says so, and all goes on afterwards."""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
import pytest

from stategate.gateway.accepting.open_files import OpenFilesWatch
from stategate.gateway.errors import response_status
from stategate.gateway.failures import RequestContext, to_query_error
from stategate.planner.composing.database import DatabaseError
from stategate.planner.composing.duckdb_errors import translate
from stategate.planner.values.partition_failures import partitions_failed, read_failed
from stategate.stores.errors import FailureReason, StoreError
from tests.gateway.real_gateway import RealGateway
from tests.planner.composing.test_duckdb_errors import OUTLINE
from tests.support.waiting import WAIT_S, until

FULL = os.strerror(errno.EMFILE)
NAMES = "SELECT string_agg(name, ',' ORDER BY age) FROM people WHERE name LIKE 'n9%'"
STATEMENTS = [
    "SELECT 1",
    "SELECT age FROM people WHERE name = 'n7'",
    "SELECT count(*) FROM people",
    "SELECT age % 7, count(*) FROM people GROUP BY 1 ORDER BY 2 DESC, 1",
    NAMES,
    "SELECT count(*) FROM people p JOIN people q ON p.age = q.age + 1",
    "SELECT count(*) FROM pg_class",
]


def caused(error: Exception) -> Exception:
    """Return another error, of which this one is the cause."""
    try:
        try:
            raise error
        except Exception as cause:
            raise ValueError("wrapped") from cause
    except ValueError as wrapped:
        return wrapped


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.EMFILE, FULL),
        OSError(errno.ENFILE, os.strerror(errno.ENFILE), "/some/file"),
        caused(OSError(errno.EMFILE, FULL)),
        Exception(f"IO error: While open a file: 000012.sst: {FULL}"),
    ],
)
def test_an_unplanned_error_names_the_limit(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    found = to_query_error(error, RequestContext(client="here"))
    assert (found.sqlstate, found.message) == ("53000", "too many open files")
    assert found.retryable
    assert "open_files" in (found.hint or "")
    assert response_status(found) == 503
    assert "too many open files" in caplog.text


@pytest.mark.parametrize("error", [OSError(errno.ENOENT, "gone"), ValueError("x")])
def test_other_errors_do_not(error: Exception) -> None:
    assert to_query_error(error, RequestContext(client="here")).sqlstate == "XX000"


def test_errors_of_stores_and_duckdb_name_the_limit() -> None:
    said = f"Exception: IO error: While open a file: {FULL}"
    failures = [("people", 3, FailureReason.STORE_EXCEPTION, said)]
    found = [
        partitions_failed(failures),
        read_failed("people", 3, StoreError(said)),
        translate(DatabaseError("IO", f'IO Error: Cannot open file "x": {FULL}'), OUTLINE),
    ]
    assert [each.sqlstate for each in found] == ["53000"] * 3
    others = [("people", 3, FailureReason.STORE_EXCEPTION, "Exception: corrupt block")]
    assert partitions_failed(others).sqlstate == "58030"


def test_the_log_names_the_limit_every_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    now_s = 0.0
    error: OSError | None = OSError(errno.EMFILE, FULL)

    def probe() -> None:
        if error is not None:
            raise error

    watch = OpenFilesWatch(probe, clock=lambda: now_s)
    for _ in range(25):
        watch()
        now_s += 1
    assert len(caplog.records) == 3
    assert "raise the limit" in caplog.text
    for other in (None, OSError(errno.EACCES, "not allowed")):
        error = other
        now_s += 100
        watch()
    OpenFilesWatch()()
    assert len(caplog.records) == 3


@contextmanager
def exhausted(gateway: RealGateway) -> Iterator[None]:
    """Let no process of the gateway open a further file, inside the block."""
    before = {}
    for pid in gateway.family():
        used = max(map(int, os.listdir(f"/proc/{pid}/fd"))) + 1
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        before[pid] = soft, hard
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, hard))
    try:
        yield
    finally:
        for pid, limits in before.items():
            resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)


@pytest.mark.server
@pytest.mark.skipif(sys.platform != "linux", reason="limits of other processes are Linux's")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_gateway_survives_the_limit(tmp_path: Path, workers: int) -> None:
    log = tmp_path / "stderr"
    gateway = RealGateway(tmp_path, f"workers={workers}", log=log)
    try:
        gateway.wait_until_ready()
        with gateway.connect() as session:
            expected = [session.execute(sql).fetchall() for sql in STATEMENTS]
            with exhausted(gateway), ExitStack() as closing:
                for _ in range(20):
                    connection = socket.create_connection(("127.0.0.1", gateway.port), WAIT_S)
                    closing.enter_context(connection)
                until(lambda: "too many open files, connections" in log.read_text())
                for sql, rows in zip(STATEMENTS, expected, strict=True):
                    try:
                        assert session.execute(sql).fetchall() == rows
                    except psycopg.Error as error:
                        assert error.sqlstate == "53000", sql  # noqa: PT017 - it may also work
            for sql, rows in zip(STATEMENTS, expected, strict=True):
                assert session.execute(sql).fetchall() == rows
        until(lambda: can_connect(gateway))
    finally:
        gateway.end(signal.SIGTERM)
    assert "Traceback" not in log.read_text()


def can_connect(gateway: RealGateway) -> bool:
    try:
        with gateway.connect() as session:
            return session.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False
