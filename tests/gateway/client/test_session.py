"""Positions, attempts and deadlines, against gateways that are simulated step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stategate
from stategate.connections import Connection
from stategate.errors import broken_off
from stategate.position import EMPTY
from stategate.requesting import Defaults
from stategate.session import Session
from stategate.steps import Close, Pause, Read, Reply, Send, Step

HEADER = b'{"columns":[{"name":"n","type":"bigint"}]}\n'
Components = dict[str, dict[str, int]]


def trailer(position: Components) -> bytes:
    return orjson.dumps({"position": position, "partitions": [], "elapsed_ms": 0.1}) + b"\n"


def refusal(sqlstate: str, *, retryable: bool) -> bytes:
    error = {"message": "not now", "sqlstate": sqlstate, "retryable": retryable}
    return orjson.dumps({"error": error})


def answer(*rows: int, position: int = 41) -> list[bytes]:
    return [HEADER, *(b"[%d]\n" % row for row in rows), trailer({"events": {"0": position}})]


@dataclass(kw_only=True)
class Gateways:
    """A transport that answers each request by a function, and counts seconds.

    Args:
        reply: returns the status and the parts of a body, of which `None` breaks the answer off;
            or raises.
    """

    reply: Callable[[Send], tuple[int, list[bytes | None]]]
    retry_after: str = ""
    now_s: float = 0.0
    sent: list[Send] = field(default_factory=list)
    paused_s: list[float] = field(default_factory=list)
    closed: int = 0

    def take(self, step: Step) -> object:
        match step:
            case Send():
                self.sent.append(step)
                status, parts = self.reply(step)
                return Reply(step.url, status, self.retry_after, iter(parts))
            case Read():
                part = next(step.reply.body, b"")
                if part is None:
                    raise broken_off("as asked")
                return part
            case Close():
                self.closed += 1
                return None
            case Pause():
                self.paused_s.append(step.seconds)
                self.now_s += step.seconds
                return None

    def close(self) -> None:
        pass

    def connect(self, *urls: str, **defaults: float) -> Connection:
        session = Session(
            Defaults(urls=urls or ("http://a",), **defaults),  # type: ignore[arg-type]
            clock=lambda: self.now_s,
        )
        return Connection(session, self)

    def body(self, at: int = -1) -> dict[str, object]:
        found: dict[str, object] = orjson.loads(self.sent[at].body)
        return found


def always(
    *parts: bytes | None, status: int = 200
) -> Callable[[Send], tuple[int, list[bytes | None]]]:
    return lambda _: (status, list(parts))


def in_turn(
    *replies: tuple[int, list[bytes]],
) -> Callable[[Send], tuple[int, list[bytes | None]]]:
    left: Iterator[tuple[int, list[bytes]]] = iter(replies)

    def reply(_: Send) -> tuple[int, list[bytes | None]]:
        status, parts = next(left)
        return status, [*parts]

    return reply


NOT_NOW = (503, [refusal("55S04", retryable=True)])


# --- the position --------------------------------------------------------------------------------


def test_the_first_request_has_no_bound_and_later_ones_have_all_that_was_read() -> None:
    gateways = Gateways(reply=in_turn((200, answer(1)), (200, answer(2)), (200, answer(3))))
    db = gateways.connect()
    assert db.execute("SELECT 1").fetchall() == [(1,)]
    assert gateways.body() == {"sql": "SELECT 1"}
    assert db.position == stategate.at_least("events", 0, 41)
    db.execute("SELECT 1")
    assert gateways.body() == {
        "sql": "SELECT 1",
        "bound": db.position.token,
        "consistency": "monotonic",
        "unknown_topics": "ignore",
        "wait_ms": 5000,
    }


def test_a_connection_that_is_not_monotonic_sends_only_the_bound_that_is_asked_for() -> None:
    gateways = Gateways(reply=always(*answer(1)))
    db = gateways.connect(monotonic=False)
    db.execute("SELECT 1")
    db.execute("SELECT 1")
    assert gateways.body() == {"sql": "SELECT 1"}
    db.execute("SELECT 1", bound=stategate.at_least("events", 1, 7), wait_s=0.25)
    assert gateways.body() == {"sql": "SELECT 1", "bound": '{"events": {"1": 7}}', "wait_ms": 250}


def test_a_position_counts_once_its_rows_are_read() -> None:
    gateways = Gateways(reply=always(HEADER, b"[1]\n[2]\n", *answer(3)[1:]))
    cursor = gateways.connect().execute("SELECT 1")
    assert cursor.fetchone() == (1,)
    assert (cursor.position, cursor.connection.session.position) == (None, EMPTY)
    assert (cursor.rowcount, cursor.fetchall(), cursor.rowcount) == (-1, [(2,), (3,)], 3)
    assert (
        cursor.position == cursor.connection.session.position == stategate.at_least("events", 0, 41)
    )


class RecordMetadata(NamedTuple):
    topic: str
    partition: int
    offset: int | None


class Message:
    def __init__(self, topic: str, partition: int, offset: int | None) -> None:
        self._found = topic, partition, offset

    def topic(self) -> str:
        return self._found[0]

    def partition(self) -> int:
        return self._found[1]

    def offset(self) -> int | None:
        return self._found[2]


@pytest.mark.parametrize("kind", [RecordMetadata, Message])
def test_read_your_writes(kind: type[RecordMetadata] | type[Message]) -> None:
    gateways = Gateways(reply=always(*answer(1)))
    db = gateways.connect()
    db.execute("SELECT 1", after=kind("orders", 3, 12)).fetchall()
    assert gateways.body()["bound"] == '{"orders": {"3": 12}}'
    assert "unknown_topics" not in gateways.body(), "a misspelled topic is an error"
    db.execute("SELECT 1", after=[kind("orders", 3, 12), kind("orders", 4, 1)])
    assert orjson.loads(str(gateways.body()["bound"])) == {
        "events": {"0": 41},
        "orders": {"3": 12, "4": 1},
    }
    for wrong in (kind("orders", 3, None), kind("orders", 3, -1001), "orders", 7, [7]):
        with pytest.raises(stategate.InterfaceError):
            db.execute("SELECT 1", after=wrong)  # type: ignore[arg-type]


def at(offsets: dict[int, int]) -> Components:
    return {"events": {str(partition): offset for partition, offset in offsets.items()}}


OFFSETS = st.dictionaries(st.integers(0, 2), st.integers(0, 3))


@given(
    moves=st.lists(
        st.tuples(
            st.integers(0, 1),
            OFFSETS,
            st.sampled_from(["up", "up", "down", "breaks", "fails"]),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_reads_never_go_back(moves: list[tuple[int, dict[int, int], str, bool]]) -> None:
    """Two gateways advance, fall back to an older state, go away and break answers off."""
    urls = ("http://a", "http://b")
    state = {url: dict[int, int]() for url in urls}
    health = dict.fromkeys(urls, "up")

    def reply(step: Send) -> tuple[int, list[bytes | None]]:
        if health[step.url] == "down":
            raise stategate.OperationalError("refused", sqlstate="08001", retryable=True)
        if health[step.url] == "fails":
            return 503, [refusal("55S04", retryable=True)]
        bound = orjson.loads(orjson.loads(step.body).get("bound", "{}")).get("events", {})
        mine = state[step.url]
        if any(mine.get(int(part), -1) < offset for part, offset in bound.items()):
            return 503, [refusal("55S01", retryable=True)]
        rows = b"[%d]\n" % sum(mine.values())
        if health[step.url] == "breaks":
            return 200, [HEADER, rows, None]
        return 200, [HEADER + rows, trailer(at(mine))]

    gateways = Gateways(reply=reply)
    db = gateways.connect(*urls, attempts_max=4)
    read = EMPTY
    for which, offsets, condition, is_whole in moves:
        state[urls[which]], health[urls[which]] = offsets, condition
        try:
            cursor = db.execute("SELECT sum")
            rows = cursor.fetchall() if is_whole else [*cursor]
        except stategate.OperationalError:
            continue
        assert cursor.position is not None
        assert len(rows) == 1
        assert cursor.position.covers(read)
        read = cursor.position
        assert db.position.covers(read)


# --- attempts ------------------------------------------------------------------------------------


def test_an_error_that_passes_is_tried_again() -> None:
    gateways = Gateways(reply=in_turn(NOT_NOW, NOT_NOW, (200, answer(1))))
    assert gateways.connect().execute("SELECT 1").fetchall() == [(1,)]
    first_s, second_s = gateways.paused_s
    assert 0.025 <= first_s <= 0.05 <= second_s <= 0.1


def test_an_error_that_stays_is_raised_at_once() -> None:
    gateways = Gateways(reply=always(refusal("42P01", retryable=False), status=400))
    with pytest.raises(stategate.ProgrammingError) as raised:
        gateways.connect().execute("SELECT 1")
    assert (raised.value.sqlstate, len(gateways.sent), gateways.paused_s) == ("42P01", 1, [])


def test_a_page_of_a_lost_snapshot_is_not_asked_for_again() -> None:
    """The same token cannot succeed; the caller has to begin anew."""
    page = orjson.dumps({"position": {}, "partitions": [], "elapsed_ms": 0, "next": "token"})
    lost = (503, [refusal("72000", retryable=True)])
    gateways = Gateways(reply=in_turn((200, [HEADER, b"[1]\n", page + b"\n"]), lost))
    pages = gateways.connect().pages("SELECT 1", page_rows=1, consistency="snapshot")
    assert next(pages) == [(1,)]
    with pytest.raises(stategate.OperationalError) as raised:
        next(pages)
    assert (raised.value.sqlstate, len(gateways.sent)) == ("72000", 2)
    assert (gateways.body()["next"], gateways.body()["page_rows"]) == ("token", 1)


@pytest.mark.parametrize(
    "line",
    [b"{}", b'{"columns":7}', b'{"columns":[7]}', b'{"columns":[{"name":"n"}]}', b"7", b"[1]"],
)
def test_answers_in_another_form_are_errors(line: bytes) -> None:
    for parts in ([line + b"\n"], [HEADER, b'{"rows":7}\n'], [HEADER, b"{}\n"]):
        gateways = Gateways(reply=always(*parts))
        db = gateways.connect(attempts_max=1)
        with pytest.raises(stategate.OperationalError, match="broke off"):
            db.execute("SELECT 1").fetchall()
        with pytest.raises(stategate.Error):
            db.batch("SELECT 1", [[]])


def test_a_restart_of_the_gateway_fails_no_statement() -> None:
    """By default the time alone ends attempts, and pauses stay short enough to notice the end."""

    def reply(_: Send) -> tuple[int, list[bytes | None]]:
        if gateways.now_s < 25:
            raise stategate.OperationalError("refused", sqlstate="08001", retryable=True)
        return 200, [*answer(1)]

    gateways = Gateways(reply=reply)
    db = gateways.connect()
    assert db.execute("SELECT 1").fetchall() == [(1,)]
    assert gateways.now_s < 27.1
    assert max(gateways.paused_s) <= 2
    assert len(gateways.sent) < 40


def test_attempts_are_limited() -> None:
    gateways = Gateways(reply=always(*NOT_NOW[1], status=503))
    with pytest.raises(stategate.OperationalError, match="not now"):
        gateways.connect(attempts_max=3).execute("SELECT 1")
    assert (len(gateways.sent), len(gateways.paused_s)) == (3, 2)


@given(
    timeout_s=st.floats(0, 20),
    takes_s=st.floats(0, 3),
    asks_s=st.integers(0, 5),
    attempts=st.integers(1, 50),
)
def test_attempts_end_at_the_deadline(
    timeout_s: float, takes_s: float, asks_s: int, attempts: int
) -> None:
    """No attempt begins after the deadline, none waits beyond it, and each pause is long enough."""

    def reply(step: Send) -> tuple[int, list[bytes | None]]:
        assert gateways.now_s + step.timeout_s <= timeout_s + 0.0011
        assert orjson.loads(step.body).get("wait_ms", 0) <= step.timeout_s * 1000
        gateways.now_s += min(takes_s, step.timeout_s)
        return 503, [refusal("55S01", retryable=True)]

    gateways = Gateways(reply=reply, retry_after=str(asks_s))
    db = gateways.connect(timeout_s=timeout_s, attempts_max=attempts)
    with pytest.raises(stategate.OperationalError):
        db.execute("SELECT 1", bound=stategate.at_least("events", 0, 1))
    assert gateways.now_s <= timeout_s + 0.0011
    assert len(gateways.sent) <= attempts
    assert all(pause_s >= asks_s for pause_s in gateways.paused_s)


def test_other_gateways_are_asked_before_any_pause_and_kept_while_they_answer() -> None:
    def reply(step: Send) -> tuple[int, list[bytes | None]]:
        if step.url != "http://c":
            raise stategate.OperationalError("refused", sqlstate="08001", retryable=True)
        return 200, [*answer(1)]

    gateways = Gateways(reply=reply)
    db = gateways.connect("http://a", "http://b", "http://c")
    db.execute("SELECT 1")
    db.execute("SELECT 1")
    assert [step.url[-1] for step in gateways.sent] == ["a", "b", "c", "c"]
    assert gateways.paused_s == []


def test_rows_that_the_caller_has_are_not_read_again() -> None:
    gateways = Gateways(reply=always(HEADER, b"[1]\n", b"[2]\n", None))
    cursor = gateways.connect().execute("SELECT 1")
    assert cursor.fetchone() == (1,)
    assert cursor.fetchone() == (2,)
    with pytest.raises(stategate.OperationalError, match="broke off") as raised:
        cursor.fetchone()
    assert (raised.value.sqlstate, len(gateways.sent)) == ("08006", 1)
    with pytest.raises(stategate.OperationalError, match="broke off"):
        cursor.fetchall()


def test_an_answer_without_its_trailer_is_no_result() -> None:
    gateways = Gateways(reply=always(HEADER, b"[1]\n"))
    with pytest.raises(stategate.OperationalError, match="it has no trailer"):
        gateways.connect().execute("SELECT 1").fetchall()


def test_an_error_after_some_rows_comes_after_them() -> None:
    error = refusal("58030", retryable=False) + b"\n"
    gateways = Gateways(reply=always(HEADER + b"[1]\n[2]\n" + error))
    db = gateways.connect()
    cursor = db.execute("SELECT 1")
    assert cursor.fetchmany(5) == [(1,), (2,)]
    with pytest.raises(stategate.OperationalError, match="not now"):
        cursor.fetchone()
    with pytest.raises(stategate.OperationalError, match="not now"):
        db.execute("SELECT 1").fetchall()
    assert (len(gateways.sent), db.position) == (2, EMPTY)


@pytest.mark.parametrize(
    ("status", "retryable"), [(200, True), (404, False), (502, True), (503, True), (500, False)]
)
def test_answers_of_other_servers(status: int, retryable: bool) -> None:
    gateways = Gateways(reply=always(b"<html>", b"\n", status=status))
    with pytest.raises(stategate.OperationalError) as raised:
        gateways.connect(attempts_max=1).execute("SELECT 1")
    assert raised.value.retryable is retryable
    assert gateways.closed


@pytest.mark.parametrize("cut", range(1, 40))
def test_answers_may_be_cut_anywhere(cut: int) -> None:
    body = b"".join(answer(1, 22, 333))
    parts = [body[at : at + cut] for at in range(0, len(body), cut)]
    gateways = Gateways(reply=always(*parts))
    cursor = gateways.connect().execute("SELECT 1")
    assert [cursor.fetchone(), *cursor.fetchall()] == [(1,), (22,), (333,)]
    assert cursor.position == stategate.at_least("events", 0, 41)


@pytest.mark.parametrize(
    "options",
    [
        {"wait": 5},
        {"bound": {"events": {0: 41}}},
        {"wait_s": -1, "bound": stategate.at_least("events", 0, 1)},
        {"timeout_s": "5"},
        {"timeout_s": float("nan")},
    ],
)
def test_wrong_options_are_refused(options: dict[str, object]) -> None:
    gateways = Gateways(reply=always(*answer(1)))
    with pytest.raises(stategate.InterfaceError):
        gateways.connect().execute("SELECT 1", **options)  # type: ignore[arg-type]
    assert gateways.sent == []
