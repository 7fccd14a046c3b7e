"""The life of a gateway process: listening, draining, ending, and failing to start."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import http.client
import json
import signal
import socket
import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
import sqlglot

from stategate.gateway.serve import look_often, reduce_garbage_collection
from tests.gateway.conftest import FakeGateway
from tests.support.waiting import WAIT_S

Start = Callable[..., FakeGateway]
pytestmark = pytest.mark.server


def post(url: str, sql: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=WAIT_S)
    try:
        body = json.dumps({"sql": sql})
        headers = {"Content-Type": "application/json"}
        connection.request("POST", "/v1/query", body=body, headers=headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(start_gateway: Start, number: signal.Signals) -> None:
    gateway = start_gateway("pg=127.0.0.1:0")
    assert gateway.line().startswith("Postgres wire on 127.0.0.1:")
    status, body = post(gateway.url(), "SELECT 1")
    assert status == 200
    assert json.loads(body)["rows"] == [[1]]
    status, out, err = gateway.end(number)
    assert (status, err) == (0, "")
    assert out == "stopping\nwire stopped within 9 s\n"


@pytest.mark.parametrize("path", ["/healthz", "/", "/none", "/v1/query", "/docs"])
def test_no_browser_guesses_the_type_of_an_answer(start_gateway: Start, path: str) -> None:
    gateway = start_gateway()
    connection = http.client.HTTPConnection(urlsplit(gateway.url()).netloc, timeout=WAIT_S)
    with contextlib.closing(connection):
        if path == "/v1/query":
            body = json.dumps({"sql": "SELECT 1"})
            connection.request("POST", path, body, {"Content-Type": "application/json"})
        else:
            connection.request("GET", path)
        response = connection.getresponse()
        assert response.headers.get_all("X-Content-Type-Options") == ["nosniff"]
        response.read()


def test_an_answer_that_has_begun_is_finished_within_the_grace_period(
    start_gateway: Start,
) -> None:
    gateway = start_gateway()
    parts = urlsplit(gateway.url())
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 0), timeout=WAIT_S) as client:
        body = b'{"sql": "SELECT n, name FROM series(300000)"}'
        client.sendall(
            b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        received = client.recv(1000)
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.line() == "stopping"
        while read := client.recv(1 << 20):
            received = (received + read)[-2000:]
    assert b'"elapsed_ms":' in received
    assert received.endswith(b"0\r\n\r\n")
    assert gateway.end()[0] == 0


def test_a_statement_that_outlasts_the_grace_period_is_cancelled(start_gateway: Start) -> None:
    gateway = start_gateway("grace_ms=1000")
    url = gateway.url()
    ended: list[object] = []

    def ask() -> None:
        try:
            ended.append(post(url, "SELECT sleep(10)"))
        except (OSError, http.client.HTTPException) as error:
            ended.append(error)

    asking = threading.Thread(target=ask)
    asking.start()
    wait_until_asked(url)
    begun = time.monotonic()
    status, _, err = gateway.end(signal.SIGTERM)
    assert status == 0
    assert "Traceback" not in err
    assert time.monotonic() - begun < WAIT_S / 2
    asking.join(WAIT_S)
    assert len(ended) == 1


def wait_until_asked(url: str) -> None:
    """Wait until a statement sleeps; the fake shows it only by not answering a second one."""
    post(url, "SELECT n, name FROM series(1)")
    post(url, "SELECT n, name FROM series(1)")


def test_a_second_signal_ends_the_grace_period(start_gateway: Start) -> None:
    gateway = start_gateway("grace_ms=60000")
    url = gateway.url()
    with socket.create_connection((urlsplit(url).hostname or "", urlsplit(url).port or 0)) as idle:
        body = b'{"sql": "SELECT sleep(10)"}'
        idle.sendall(
            b"POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        wait_until_asked(url)
        gateway.process.send_signal(signal.SIGTERM)
        assert gateway.line() == "stopping"
        assert gateway.end(signal.SIGINT)[0] == 0


@pytest.mark.parametrize("name", ["http", "pg"])
def test_the_error_of_a_port_in_use_is_one_sentence(start_gateway: Start, name: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        status, out, err = start_gateway(f"{name}={address}").end()
    assert (status, out) == (2, "")
    assert err == (
        f"cannot listen on {address}: address already in use. "
        f"Choose another address with --{name}.\n"
    )


def test_the_error_of_an_unknown_host_is_one_sentence(start_gateway: Start) -> None:
    status, _, err = start_gateway("http=no-such-host.invalid:1").end()
    assert status == 2
    assert err.startswith("cannot listen on no-such-host.invalid:1: ")
    assert err.count("\n") == 1


def test_stores_that_cannot_be_opened_end_it(start_gateway: Start) -> None:
    status, out, err = start_gateway("pg=127.0.0.1:0", FAKE_OPEN="fail").end()
    assert status == 2
    assert err.startswith("cannot open the stores: ")
    assert "wire stopped" in out


def test_bytes_that_are_not_http_are_answered_and_harm_no_one(start_gateway: Start) -> None:
    url = start_gateway().url()
    with socket.create_connection((urlsplit(url).hostname or "", urlsplit(url).port or 0)) as odd:
        odd.sendall(b"\x00\x00\x00\x08\x04\xd2\x16\x2f\r\n\r\n")
        assert odd.recv(100).startswith(b"HTTP/1.1 400")
    assert post(url, "SELECT 1")[0] == 200


def test_garbage_collection_scans_few_objects() -> None:
    # The trees of statements are cycles, and no thread runs while the collector looks for them.
    # That takes some 0.3 µs an object.
    kept, looked_at = list[object](), list[int]()

    def watch(phase: str, about: dict[str, int]) -> None:
        if phase == "start":
            generations = range(about["generation"] + 1)
            looked_at.append(sum(len(gc.get_objects(each)) for each in generations))

    before = gc.get_threshold()
    gc.disable()  # as while a gateway loads its modules
    reduce_garbage_collection()
    gc.callbacks.append(watch)
    try:
        for number in range(1_500):
            text = f"SELECT a{number}, sum(b + 1) FROM t WHERE c LIKE 'n%' AND d > 3 GROUP BY 1"
            kept.append(sqlglot.parse_one(text))
            del kept[:-200]
    finally:
        gc.callbacks.remove(watch)
        gc.set_threshold(*before)
    assert len(looked_at) > 10
    assert max(looked_at) < 15_000


def test_looking_goes_on_after_an_error(caplog: pytest.LogCaptureFixture) -> None:
    looks: list[int] = []

    async def run() -> None:
        done = asyncio.Event()

        def look() -> None:
            looks.append(len(looks))
            if len(looks) == 3:
                done.set()
            raise RuntimeError(f"look {len(looks)}")

        looking = asyncio.create_task(look_often(look, every_s=0))
        await asyncio.wait_for(done.wait(), WAIT_S)
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking

    asyncio.run(run())
    assert len(looks) >= 3
    assert "RuntimeError: look 1" in caplog.text
    assert "RuntimeError: look 2" in caplog.text
