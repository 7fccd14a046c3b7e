"""Lookups that other nodes answer: the client waits, and no thread does."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.gateway.pgwire import wire
from tests.gateway.pgwire.serving import Serving, serving
from tests.support.later_engine import LaterEngine

READ = "SELECT v FROM kv WHERE k = $1"
ROUND = wire.bind("", "one", [b"7"]) + wire.describe("P", "") + wire.execute("") + wire.SYNC


@pytest.fixture
def engine() -> LaterEngine:
    return LaterEngine()


@pytest.fixture
def running(engine: LaterEngine) -> Iterator[Serving]:
    with serving(engine=engine) as made:
        yield made


@pytest.fixture
def client(running: Serving) -> Iterator[wire.RawClient]:
    with running.login() as made:
        made.send(wire.parse("one", READ), wire.SYNC)
        made.read_until("Z")
        yield made


def rows(messages: list[wire.Message]) -> list[list[bytes | None]]:
    return [wire.row_fields(body) for kind, body in messages if kind == "D"]


def error(messages: list[wire.Message]) -> tuple[str, str]:
    (body,) = [body for kind, body in messages if kind == "E"]
    fields = wire.error_fields(body)
    return fields["C"], fields["M"]


def test_an_answer_of_another_node_takes_no_thread(
    client: wire.RawClient, engine: LaterEngine
) -> None:
    for number in range(3):
        client.send(ROUND)
        engine.answer(number)
        found = client.read_until("Z")
        assert [kind for kind, _ in found] == ["2", "T", "D", "C", "Z"]
        assert rows(found) == [[b"value-7"]]
    assert set(engine.executed_in) == set(engine.looked_up_in) == {"server"}


def test_a_query_is_answered_by_other_nodes(client: wire.RawClient, engine: LaterEngine) -> None:
    for number, key in enumerate((5, 6, 7)):
        client.send(wire.query(f"SELECT v FROM kv WHERE k = {key}"))
        engine.answer(number)
        found = client.read_until("Z")
        assert [kind for kind, _ in found] == ["T", "D", "C", "Z"]
        assert rows(found) == [[f"value-{key}".encode()]]
    assert set(engine.executed_in) == {"server"}


def test_what_follows_waits_for_its_turn(client: wire.RawClient, engine: LaterEngine) -> None:
    client.send(ROUND)
    engine.question(0)
    client.send(wire.query("SELECT 1"), wire.query("SELECT 2"))
    time.sleep(0.05)
    client.send(ROUND)
    engine.answer(0)
    assert rows(client.read_until("Z")) == [[b"value-7"]]
    assert rows(client.read_until("Z")) == [[b"1"]]
    assert rows(client.read_until("Z")) == [[b"2"]]
    engine.answer(1)
    assert rows(client.read_until("Z")) == [[b"value-7"]]


@pytest.mark.parametrize("sent", [ROUND, wire.query("SELECT v FROM kv WHERE k = 7")])
def test_a_thread_runs_what_other_nodes_cannot_answer(
    client: wire.RawClient, engine: LaterEngine, sent: bytes
) -> None:
    client.send(sent)
    engine.answer(0, fails=True)
    assert rows(client.read_until("Z")) == [[b"value-7"]]
    assert len(engine.asked) == 1, "it is asked once"
    assert engine.executed_in[-1] != "server"


def test_a_thread_runs_what_is_overdue(client: wire.RawClient, engine: LaterEngine) -> None:
    engine.overdue_s = 0.01
    client.send(ROUND)
    assert rows(client.read_until("Z")) == [[b"value-7"]]
    assert engine.asked[0].is_cancelled


def test_a_cancel_request_ends_the_wait(running: Serving, engine: LaterEngine) -> None:
    for sent in (ROUND, wire.query("SELECT v FROM kv WHERE k = 7")):
        asked = len(engine.asked)
        with running.connect() as client:
            key = dict(client.login())["K"]
            client.send(wire.parse("one", READ), wire.SYNC)
            client.read_until("Z")
            client.send(sent)
            engine.question(asked)
            with running.connect() as other:
                other.send(wire.cancel_request(int.from_bytes(key[:4], "big"), key[4:]))
                assert other.at_end()
            assert error(client.read_until("Z")) == (
                "57014",
                "canceling statement due to user request",
            )
            assert engine.asked[asked].is_cancelled
            client.send(wire.query("SELECT 1"))  # the cancel was of one statement
            assert rows(client.read_until("Z")) == [[b"1"]]


@pytest.mark.parametrize("sent", [ROUND, wire.query("SELECT v FROM kv WHERE k = 7")])
def test_the_statement_timeout_ends_the_wait(
    client: wire.RawClient, engine: LaterEngine, sent: bytes
) -> None:
    client.send(wire.query("SET statement_timeout = 50"))
    client.read_until("Z")
    client.send(sent)
    assert error(client.read_until("Z")) == (
        "57014",
        "canceling statement due to statement timeout",
    )
    assert engine.asked[0].is_cancelled


def test_a_client_may_leave_while_other_nodes_are_asked(
    running: Serving, engine: LaterEngine
) -> None:
    with running.login() as client:
        client.send(wire.parse("one", READ), wire.SYNC)
        client.read_until("Z")
        client.send(ROUND)
        engine.question(0)
    assert running.eventually(lambda: running.server.connections == 0)
    assert engine.asked[0].is_cancelled
    with running.login() as client:
        client.send(wire.query("SELECT 1"))
        assert rows(client.read_until("Z")) == [[b"1"]]
