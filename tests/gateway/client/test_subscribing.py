"""Subscriptions against gateways that are simulated step by step: going on, failures, limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stategate
from stategate.failures import out_of_time
from stategate.steps import Send
from tests.gateway.client.test_live_events import moment, sent
from tests.gateway.client.test_session import Gateways, always, refusal

HEAD = sent("columns", columns=[{"name": "usr", "type": "text"}, {"name": "n", "type": "bigint"}])
SQL = "SELECT usr, n FROM clicks"
Parts = list[bytes | None]


def fields(step: Send) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(step.path).query))


def usr(row: tuple[object, ...]) -> str:
    return str(row[0])


def first(epoch: int = 0, *rows: list[object]) -> bytes:
    return HEAD + sent("rows", rows=list(rows)) + sent("progress", **moment(epoch))


# --- the law -------------------------------------------------------------------------------------


class Stream(NamedTuple):
    """What happens to one connection."""

    cut: int
    """How many bytes of its answer come."""
    is_clean: bool
    """Whether the answer then ends as it does after its lifetime."""
    oldest: int
    """The epoch from which the gateway can go on."""


@dataclass(kw_only=True)
class History:
    """A gateway whose rows have one state an epoch, and whose streams end as they are told to."""

    states: list[dict[str, int]]
    streams: list[Stream]
    part_bytes: int
    now: int = 0
    sent: list[str | None] = field(default_factory=list)

    def reply(self, step: Send) -> tuple[int, Parts]:
        token = fields(step).get("token")
        stream = self.streams.pop(0) if self.streams else Stream(1 << 20, True, 0)
        last = len(self.states) - 1
        after = None if token is None else int(token[1:])
        self.now = min(last, max(self.now, stream.oldest, after or 0))
        self.sent.append(token)
        body = self._begun(after, stream)
        at = self.now if after is None or after < stream.oldest else after
        body += b"".join(self._event(epoch) for epoch in range(at + 1, last + 1))
        cut = body[: stream.cut]
        ends: Parts = [] if stream.is_clean else [None]
        size = self.part_bytes
        return 200, [*(cut[at : at + size] for at in range(0, len(cut), size)), *ends]

    def _begun(self, after: int | None, stream: Stream) -> bytes:
        if after is not None and after >= stream.oldest:
            return HEAD
        begun = HEAD if after is None else sent("start_over", reason="gone") + HEAD
        for row in self.states[self.now].items():
            begun += sent("rows", rows=[row])
        return begun + sent("progress", **moment(self.now))

    def _event(self, epoch: int) -> bytes:
        old, new = self.states[epoch - 1], self.states[epoch]
        if old == new:
            return sent("progress", **moment(epoch))
        return sent(
            "changes",
            deleted=[[k, n] for k, n in old.items() if k not in new],
            updated=[[[k, old[k]], [k, n]] for k, n in new.items() if old.get(k, n) != n],
            inserted=[[k, n] for k, n in new.items() if k not in old],
            **moment(epoch),
        )


@given(
    states=st.lists(
        st.dictionaries(st.sampled_from("abc"), st.integers(0, 2)), min_size=1, max_size=6
    ),
    streams=st.lists(st.builds(Stream, st.integers(0, 1_500), st.booleans(), st.integers(0, 5))),
    part_bytes=st.integers(1, 600),
)
def test_events_make_the_rows_of_each_epoch_wherever_streams_end(
    states: list[dict[str, int]], streams: list[Stream], part_bytes: int
) -> None:
    last = len(states) - 1
    streams = [each._replace(oldest=min(each.oldest, last)) for each in streams]
    history = History(states=states, streams=streams, part_bytes=part_bytes)
    gateways = Gateways(reply=history.reply)
    rows: dict[str, tuple[object, ...]] = {}
    epoch = -1
    db = gateways.connect(attempts_max=len(streams) + 2, timeout_s=1e6)
    with db.subscribe(SQL) as live:
        assert live.columns == (("usr", "text"), ("n", "bigint"))
        while epoch < last:
            event = next(live)
            if isinstance(event, stategate.FirstRows):
                assert event.epoch > epoch
                assert event.start_over == (None if epoch == -1 else "gone")
            else:
                assert event.epoch == epoch + 1
            epoch = event.epoch
            event.apply_to(rows, usr)
            assert rows == {name: (name, n) for name, n in states[epoch].items()}
            assert live.token == f"t{epoch}"
            assert db.position == stategate.at_least("events", 0, epoch)


# --- requests ------------------------------------------------------------------------------------


def test_what_is_asked_for() -> None:
    gateways = Gateways(reply=always(first(4)))
    db = gateways.connect()
    live = db.subscribe(
        SQL + " WHERE n > :least", {"least": 1}, bound=stategate.at_least("t", 0, 4)
    )
    assert fields(gateways.sent[0]) == {
        "sql": SQL + " WHERE n > :least",
        "params": '{"least":1}',
        "bound": '{"t": {"0": 4}}',
        "wait_ms": "5000",
    }
    step = gateways.sent[0]
    assert (step.method, step.body, step.timeout_s, step.part_timeout_s) == ("GET", b"", 30, 40)
    assert dict(step.headers) == {"Accept": "text/event-stream"}
    assert next(live).epoch == 4
    db.subscribe(SQL, token="t4", silence_s=1)
    assert gateways.sent[-1].part_timeout_s == 1
    assert fields(gateways.sent[-1]) == {
        "sql": SQL,
        "token": "t4",
        "bound": '{"events": {"0": 4}}',
        "consistency": "monotonic",
        "unknown_topics": "ignore",
        "wait_ms": "5000",
    }


def test_going_on_does_not_wait_for_what_other_statements_have_read() -> None:
    """Another store of the same topic may be far ahead."""
    streams: list[Parts] = [[first(4)], [HEAD + sent("progress", **moment(5))]]
    gateways = Gateways(reply=lambda _: (200, streams.pop(0)))
    db = gateways.connect()
    live = db.subscribe(SQL)
    assert next(live).epoch == 4
    db.session.note(stategate.at_least("events", 0, 100))
    assert next(live).epoch == 5
    found = fields(gateways.sent[-1])
    assert (found["token"], found["bound"]) == ("t4", '{"events": {"0": 4}}')


def test_what_cannot_be_asked_for() -> None:
    gateways = Gateways(reply=always(first()))
    db = gateways.connect()
    with pytest.raises(stategate.OperationalError, match="bytes in a URL") as raised:
        db.subscribe(SQL, ["x" * 70_000])
    assert raised.value.sqlstate == "54000"
    others: list[dict[str, Any]] = [{"token": 7}, {"silence_s": "x"}, {"nothing": 1}]
    for options in others:
        with pytest.raises(stategate.InterfaceError):
            db.subscribe(SQL, **options)
    with pytest.raises(stategate.InterfaceError, match="URL"):
        db.subscribe("SELECT '\udc80'")
    assert gateways.sent == []


# --- failures ------------------------------------------------------------------------------------


def failing(error: bytes) -> bytes:
    return sent("error", error=orjson.loads(error)["error"])


def test_a_refusal_is_raised_at_once() -> None:
    gateways = Gateways(reply=always(refusal("0A000", retryable=False), status=501))
    with pytest.raises(stategate.NotSupportedError):
        gateways.connect().subscribe("SELECT now()")
    assert len(gateways.sent) == 1


def test_a_failure_that_passes_is_not_seen() -> None:
    """Another gateway is asked after the event that the caller has."""
    ends = [
        first() + failing(refusal("57P01", retryable=True)),
        HEAD + sent("progress", **moment(1)),
    ]
    gateways = Gateways(reply=lambda _: (200, [ends.pop(0)]))
    with gateways.connect("http://a", "http://b").subscribe(SQL) as live:
        assert [next(live).epoch, next(live).epoch] == [0, 1]
    assert [(step.url, fields(step).get("token")) for step in gateways.sent] == [
        ("http://a", None),
        ("http://b", "t0"),
    ]
    assert gateways.closed == 2


def test_an_error_that_stays_ends_the_loop_but_not_the_subscription() -> None:
    ends = [
        first() + failing(refusal("22012", retryable=False)),
        HEAD + sent("progress", **moment(1)),
    ]
    gateways = Gateways(reply=lambda _: (200, [ends.pop(0)]))
    live = gateways.connect().subscribe(SQL)
    assert next(live).epoch == 0
    with pytest.raises(stategate.DataError) as raised:
        next(live)
    assert (raised.value.sqlstate, gateways.closed, len(gateways.sent)) == ("22012", 1, 1)
    assert next(live).epoch == 1
    assert fields(gateways.sent[-1])["token"] == "t0"


def test_a_silent_connection_is_a_lost_one() -> None:
    class Silent(Gateways):
        def take(self, step: object) -> object:
            found = super().take(step)  # type: ignore[arg-type]
            if found == b"silence":
                raise out_of_time()
            return found

    ends: list[Parts] = [[first(), b"silence"], [HEAD, b": \n\n", b"silence"], [HEAD, b"silence"]]
    ends += [[HEAD, sent("progress", **moment(1))], [HEAD, b"silence"]]
    gateways = Silent(reply=lambda _: (200, ends.pop(0)))
    live = gateways.connect(attempts_max=2).subscribe(SQL)
    assert [next(live).epoch, next(live).epoch] == [0, 1]
    assert (len(gateways.sent), gateways.closed, len(gateways.paused_s)) == (4, 3, 3)


def test_streams_without_a_sign_of_life_are_given_up() -> None:
    streams: list[Parts] = [[first(), None], *[[HEAD, None]] * 9]
    gateways = Gateways(reply=lambda _: (200, streams.pop(0)))
    live = gateways.connect(attempts_max=3).subscribe(SQL)
    assert next(live).epoch == 0
    with pytest.raises(stategate.OperationalError, match="broke off") as raised:
        next(live)
    assert raised.value.sqlstate == "08006"
    assert len(gateways.sent) == 4
    assert all(0.02 <= pause_s <= 0.3 for pause_s in gateways.paused_s)
    assert sorted(gateways.paused_s) == gateways.paused_s


def test_a_restart_of_the_gateway_ends_no_subscription() -> None:
    """A proxy may answer for it meanwhile, with streams that end at once."""

    def reply(_: Send) -> tuple[int, Parts]:
        if gateways.now_s > 25:
            return 200, [HEAD, sent("progress", **moment(1))]
        if 0 < gateways.now_s < 12:
            raise stategate.OperationalError("refused", sqlstate="08001", retryable=True)
        return 200, [first() if len(gateways.sent) == 1 else HEAD, None]

    gateways = Gateways(reply=reply)
    live = gateways.connect().subscribe(SQL)
    assert [next(live).epoch, next(live).epoch] == [0, 1]
    assert gateways.now_s < 27.1


def test_streams_without_a_sign_of_life_are_given_up_in_time() -> None:
    streams: list[Parts] = [[first(), None]]
    gateways = Gateways(reply=lambda _: (200, streams.pop() if streams else [HEAD, None]))
    live = gateways.connect().subscribe(SQL)
    assert next(live).epoch == 0
    with pytest.raises(stategate.OperationalError, match="broke off"):
        next(live)
    assert 30 <= gateways.now_s <= 32.1


def test_streams_that_end_well_are_never_given_up() -> None:
    """A gateway may have nothing to tell for many lifetimes."""
    quiet: Parts = [HEAD]
    streams: list[Parts] = [[first()], *[quiet] * 50, [HEAD, None]]
    streams += [[HEAD, sent("progress", **moment(1))]]
    gateways = Gateways(reply=lambda _: (200, streams.pop(0)))
    live = gateways.connect(attempts_max=2).subscribe(SQL)
    assert [next(live).epoch, next(live).epoch] == [0, 1]
    assert len(gateways.sent) == 53
    assert max(gateways.paused_s) <= 2


def test_no_gateway_answers_when_it_goes_on() -> None:
    def reply(_: Send) -> tuple[int, Parts]:
        if len(gateways.sent) > 1:
            raise stategate.OperationalError("refused", sqlstate="08001", retryable=True)
        return 200, [first(), None]

    gateways = Gateways(reply=reply)
    live = gateways.connect(attempts_max=3).subscribe(SQL)
    next(live)
    with pytest.raises(stategate.OperationalError, match="refused"):
        next(live)
    assert len(gateways.sent) == 4


def test_a_value_that_python_does_not_have() -> None:
    dates = sent("columns", columns=[{"name": "d", "type": "date"}])
    body = dates + sent("rows", rows=[["10000-01-01"]]) + sent("progress", **moment(0))
    gateways = Gateways(reply=always(body))
    live = gateways.connect().subscribe("SELECT d FROM dates")
    for _ in range(2):
        with pytest.raises(stategate.DataError) as raised:
            next(live)
        assert raised.value.sqlstate == "22008"
    assert gateways.closed == 2


# --- the end -------------------------------------------------------------------------------------


def test_a_closed_subscription_has_no_events() -> None:
    gateways = Gateways(reply=always(first(), first(1)))
    db = gateways.connect()
    with db.subscribe(SQL) as live:
        for event in live:
            assert event.epoch == 0
            live.close()
        live.close()
    assert list(live) == []
    assert gateways.closed == 1
    other = db.subscribe(SQL)
    db.close()
    other.close()
    with pytest.raises(stategate.InterfaceError, match="connection is closed"):
        next(other)
