"""The client against a fake gateway, and against other servers."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from stategate.gateway.cli import client as client_module
from stategate.gateway.cli.client import Client, ResultColumn
from stategate.gateway.errors import ClientError, RemoteError, UnreachableError
from tests.gateway.conftest import FakeGateway
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.server


@contextmanager
def answering(*parts: bytes) -> Iterator[str]:
    """Run a server that answers any first request with these bytes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                for part in parts:
                    connection.sendall(part)

        serving = threading.Thread(target=serve)
        serving.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        serving.join(WAIT_S)


def ndjson(*lines: bytes) -> bytes:
    """Return an answer that ends when the connection does."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n"
    return head + b"".join(line + b"\n" for line in lines)


def test_an_answer_has_columns_rows_and_a_trailer(url: str) -> None:
    with Client(url).query("SELECT n, name FROM series(12345)") as answer:
        assert answer.columns == (ResultColumn("n", "bigint"), ResultColumn("name", "text"))
        assert answer.trailer == {}
        assert list(answer) == [[n, f"row {n}"] for n in range(12_345)]
        assert answer.trailer["position"] == {"events": {"0": 41}}


def test_fields_are_sent(url: str) -> None:
    with Client(url).query("SHOW ALL", {"wait_ms": 5}) as answer:
        assert list(answer) == [["stategate.wait", "5ms"]]


def test_an_error_is_raised_with_all_its_parts(url: str) -> None:
    with pytest.raises(RemoteError) as raised:
        Client(url).query("SELECT refuse('55S01')")
    error = raised.value
    assert (error.message, error.sqlstate, error.detail, error.hint, error.position) == (
        "it was refused",
        "55S01",
        "As asked.",
        "Ask less.",
        8,
    )


def test_an_error_after_the_first_row_is_raised_after_it(url: str) -> None:
    taken: list[object] = []
    with (
        Client(url).query("SELECT n, name FROM broken(3, '55S01')") as answer,
        pytest.raises(RemoteError, match="it failed") as raised,
    ):
        taken.extend(answer)
    assert (len(taken), raised.value.sqlstate) == (3, "55S01")


def test_closing_an_answer_frees_the_gateway(
    start_gateway: Callable[..., FakeGateway],
) -> None:
    client = Client(start_gateway("threads=1", "threads_queue_max=16").url())
    for _ in range(5):
        with client.query("SELECT n, name FROM series(10000000)") as answer:
            assert next(iter(answer)) == [0, "row 0"]
    with client.query("SELECT n, name FROM series(1)") as answer:
        assert len(list(answer)) == 1


def test_stores_are_listed_and_shown(url: str) -> None:
    client = Client(url + "/")
    assert [store["name"] for store in client.stores()] == ["clicks"]
    assert len(client.store("clicks")["replicas"]) == 2
    with pytest.raises(RemoteError) as raised:
        client.store("no/such?store")
    assert raised.value.sqlstate in {"42P01", "08P01"}


@pytest.mark.parametrize("text", ["", "127.0.0.1:7420", "ftp://x", "http://", "http://x:port"])
def test_a_malformed_url_is_refused(text: str) -> None:
    with pytest.raises(ClientError, match="is not a URL"):
        Client(text)


def test_an_unreachable_gateway_gives_a_hint() -> None:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    with pytest.raises(UnreachableError, match="connection refused") as raised:
        Client(f"http://127.0.0.1:{port}").stores()
    assert "stategate serve" in (raised.value.hint or "")


HEADER = b'{"columns":[{"name":"n","type":"bigint"}]}'


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-x\r\n",
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 20\r\n\r\n<html>",
        ndjson(HEADER, b"[1]"),
        ndjson(HEADER, b"[1"),
        ndjson(b"[1]"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2c\r\n" + HEADER + b"\n\r\n9\r\n[1",
    ],
)
def test_an_incomplete_answer_is_an_error(answer: bytes) -> None:
    with (
        answering(answer) as url,
        pytest.raises(UnreachableError),
        Client(url).query("SELECT 1") as opened,
    ):
        list(opened)


def test_an_endless_row_is_not_buffered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "LINE_BYTES_MAX", 1000)
    with (
        answering(ndjson(HEADER), b'["' + b"x" * 200_000) as url,
        pytest.raises(UnreachableError, match="longer than 1000 bytes"),
        Client(url).query("SELECT 1") as answer,
    ):
        list(answer)


def test_a_silent_gateway_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = Client(f"http://127.0.0.1:{listener.getsockname()[1]}", read_timeout_s=0.05)
        with pytest.raises(UnreachableError, match="timed out"):
            client.stores()
