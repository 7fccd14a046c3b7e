"""Statements that wait for a thread can be cancelled or time out, and do not hold up others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.gateway.pgwire import wire
from tests.gateway.pgwire.serving import Serving
from tests.gateway.pgwire.wire import RawClient

LONG = "SELECT sleep(60)"


@pytest.fixture
def crowded(gateway: Serving) -> Iterator[Serving]:
    """Let one user's statements have all threads that it may have."""
    threads = gateway.server.threads
    with ExitStack() as closing:
        for number in range(3):
            closing.enter_context(gateway.login()).send(wire.query(LONG))
            assert gateway.eventually(lambda n=number: threads.running == n + 1)  # type: ignore[misc]
        assert gateway.eventually(lambda: threads.running == 3)
        yield gateway


def waiting(gateway: Serving, client: RawClient) -> None:
    client.send(wire.query(LONG))
    assert gateway.eventually(lambda: gateway.server.threads.waiting == 1)


def failure(client: RawClient) -> dict[str, str]:
    (body,) = [body for kind, body in client.read_until("Z") if kind == "E"]
    return wire.error_fields(body)


def test_a_waiting_statement_is_cancelled(crowded: Serving) -> None:
    with crowded.login() as client:
        waiting(crowded, client)
        with crowded.connect() as other:
            other.send(wire.cancel_request(*client.key))
            assert other.at_end()
        told = failure(client)
    assert (told["C"], told["M"]) == ("57014", "canceling statement due to user request")
    assert crowded.server.threads.running == 3, "those that run go on"


def test_pg_cancel_backend_reaches_a_waiting_statement(crowded: Serving) -> None:
    with crowded.login() as client:
        waiting(crowded, client)
        process_id, _ = client.key
        assert crowded.server.cancel_backend(process_id)
        assert failure(client)["C"] == "57014"


def test_waiting_counts_for_the_statement_timeout(crowded: Serving) -> None:
    with crowded.login(options="-c statement_timeout=50ms") as client:
        client.send(wire.query(LONG))
        told = failure(client)
    assert (told["C"], told["M"]) == ("57014", "canceling statement due to statement timeout")


def test_a_client_that_leaves_waits_no_longer(crowded: Serving) -> None:
    client = crowded.login()
    waiting(crowded, client)
    client.socket.close()
    assert crowded.eventually(lambda: crowded.server.threads.waiting == 0)


def test_others_and_short_statements_have_threads(crowded: Serving) -> None:
    with crowded.login() as same:
        waiting(crowded, same)
        with crowded.login(user="other") as other:
            assert other.ask("SELECT 1")[-1] == ("Z", b"I")
        with crowded.login() as again:
            assert again.ask("SHOW application_name; SHOW TimeZone")[-1] == ("Z", b"I")
