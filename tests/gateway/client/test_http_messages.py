"""Responses, however their bytes arrive and end, and connections that are used again."""

from __future__ import annotations

import gc
import itertools
import socket
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stategate
from stategate.http_messages import HEAD_BYTES_MAX, Requests, Response, address_of
from stategate.steps import Send
from tests.support.waiting import WAIT_S

BODY = b'{"columns":[{"name":"n","type":"bigint"}]}\n[1]\n{"position":{},"elapsed_ms":0}\n'
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
CHUNKS = b"5\r\n%b\r\n%x;x=y\r\n%b\r\n0\r\nX: trailer\r\n\r\n" % (
    BODY[:5],
    len(BODY) - 5,
    BODY[5:],
)


def response(head: bytes, body: bytes, *, status: bytes = b"200 OK", before: bytes = b"") -> bytes:
    return before + b"HTTP/1.1 " + status + b"\r\nX-A: \xe9\r\n" + head + b"\r\n" + body


INTERIM = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"


@given(
    form=st.sampled_from(
        [
            (response(LENGTH, BODY), True),
            (response(LENGTH + b"Connection: close\r\n", BODY), False),
            (response(CHUNKED, CHUNKS), True),
            (response(LENGTH, BODY, before=INTERIM * 2), True),
            (response(LENGTH, BODY, status=b"503 Busy"), True),
            (response(LENGTH, BODY).replace(b"HTTP/1.1", b"HTTP/1.0"), False),
        ]
    ),
    cuts=st.lists(st.integers(0, 400), max_size=6),
)
def test_a_response_may_be_split_anywhere(form: tuple[bytes, bool], cuts: list[int]) -> None:
    data, keeps_alive = form
    ends = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    found, body = Response(), b""
    for start, end in itertools.pairwise(ends):
        if start < end:
            assert not found.is_whole
            found.feed(data[start:end])
            body += found.taken()
    assert (found.is_whole, found.keeps_alive, body) == (True, keeps_alive, BODY)
    assert found.status == (503 if b"503" in data else 200)
    assert (found.header(b"x-a"), found.header(b"link")) == ("é", "")


def test_a_whole_response_is_freed_without_a_collection() -> None:
    found = Response()
    found.feed(response(LENGTH, BODY))
    reference = weakref.ref(found)
    gc.disable()
    try:
        del found
        assert reference() is None
    finally:
        gc.enable()


def test_the_end_of_a_connection_ends_a_body_without_a_length() -> None:
    found = Response()
    found.feed(response(b"", BODY))
    assert not found.is_whole
    found.feed(b"")
    assert (found.is_whole, found.keeps_alive, found.taken()) == (True, False, BODY)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"SSH-2.0-x\r\n",
        response(LENGTH, BODY)[:-1],
        response(CHUNKED, CHUNKS)[:-1],
        response(CHUNKED, b"zz\r\n"),
        response(LENGTH, BODY)[:30],
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * (HEAD_BYTES_MAX + 70_000),
    ],
)
def test_other_bytes_are_no_response(data: bytes) -> None:
    parts = [data[start : start + 65_536] for start in range(0, len(data), 65_536)]
    with pytest.raises(stategate.OperationalError):
        feed_all(Response(), [*parts, b""])


def feed_all(found: Response, parts: list[bytes]) -> None:
    for part in parts:
        found.feed(part)


def test_a_connection_with_more_bytes_than_a_response_is_not_used_again() -> None:
    found = Response()
    found.feed(response(LENGTH, BODY) + b"HTTP/1.1 200 OK\r\n")
    assert (found.is_whole, found.keeps_alive, found.taken()) == (True, False, BODY)


@pytest.mark.parametrize(
    ("url", "host", "address"),
    [
        ("http://a", "a", ("a", 80, False)),
        ("https://a.example:7420/x", "a.example:7420", ("a.example", 7420, True)),
        ("http://[::1]:1", "[::1]:1", ("::1", 1, False)),
        ("https://[::1]", "[::1]", ("::1", 443, True)),
    ],
)
def test_requests(url: str, host: str, address: tuple[str, int, bool]) -> None:
    headers = (("Authorization", "Bearer x"), ("Accept", "a/b"))
    step = Send(
        url=url, path="/v1/query", headers=headers, body=b"{}", timeout_s=1, part_timeout_s=1
    )
    path = "/x/v1/query" if url.endswith("/x") else "/v1/query"
    assert Requests().of(step).decode() == (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer x\r\nAccept: a/b\r\n"
        "Content-Length: 2\r\n\r\n{}"
    )
    live = replace(step, path="/v1/subscribe?sql=x", method="GET", body=b"")
    assert Requests().of(live).decode() == (
        f"GET {path.replace('query', 'subscribe')}?sql=x HTTP/1.1\r\nHost: {host}\r\n"
        "Authorization: Bearer x\r\nAccept: a/b\r\n\r\n"
    )
    assert address_of(url) == address


# --- connections ---------------------------------------------------------------------------------


@contextmanager
def answering(*conversations: list[bytes]) -> Iterator[tuple[str, list[int]]]:
    """Run a server that answers the requests of each connection in turn, and then closes it.

    Yields its URL, and how many requests each connection has had.
    """
    counts: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            for answers in conversations:
                connection, _ = listener.accept()
                counts.append(0)
                with connection:
                    for each in answers:
                        if connection.recv(65_536):
                            counts[-1] += 1
                            connection.sendall(each)

        serving = threading.Thread(target=serve)
        serving.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", counts
        serving.join(WAIT_S)


KEPT = response(LENGTH, BODY)
CLOSED = response(LENGTH + b"Connection: close\r\n", BODY)


def test_a_connection_is_used_again() -> None:
    with answering([KEPT, KEPT, KEPT]) as (url, counts), stategate.connect(url) as db:
        for _ in range(3):
            assert db.execute("SELECT 1").fetchall() == [(1,)]
    assert counts == [3]


@pytest.mark.parametrize("answers", [[KEPT], [CLOSED]])
def test_a_connection_that_the_gateway_has_closed_is_made_anew(answers: list[bytes]) -> None:
    """Without an attempt that the caller would see, or wait for."""
    with (
        answering(answers, answers, answers) as (url, counts),
        stategate.connect(url, attempts_max=1) as db,
    ):
        for _ in range(3):
            assert db.execute("SELECT 1").fetchall() == [(1,)]
    assert counts == [1, 1, 1]


@pytest.mark.anyio
@pytest.mark.parametrize("answers", [[KEPT], [CLOSED]])
async def test_an_event_loop_makes_it_anew_too(answers: list[bytes]) -> None:
    with answering(answers, answers, [KEPT, KEPT]) as (url, counts):
        async with stategate.connect_async(url, attempts_max=1) as db:
            for _ in range(4):
                assert await (await db.execute("SELECT 1")).fetchall() == [(1,)]
    assert counts == [1, 1, 2]


def test_closing_a_connection_wakes_a_thread_that_waits(fake_url: str) -> None:
    db = stategate.connect(fake_url)
    found: list[Exception] = []

    def wait() -> None:
        try:
            db.execute("SELECT sleep(60)")
        except stategate.InterfaceError as error:
            found.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    pause = threading.Event()
    while not db._transport._busy:  # type: ignore[attr-defined]
        pause.wait(0.01)  # nothing signals it
    pause.wait(0.1)
    db.close()
    waiting.join(WAIT_S)
    assert not waiting.is_alive()
    assert len(found) == 1
