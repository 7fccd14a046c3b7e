"""The events in a body of server-sent ones, whatever parts it comes in, and rows by their keys."""

from __future__ import annotations

import itertools
from decimal import Decimal

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stategate
from stategate import live_events
from stategate.live_events import EventReader
from stategate.values import Json

COLUMNS = [{"name": "usr", "type": "text"}, {"name": "paid", "type": "decimal(9,2)"}]


def sent(name: str, **members: Json) -> bytes:
    """Return a server-sent event as a gateway writes it."""
    last = f"id: {members['token']}\n" if "token" in members else ""
    data = orjson.dumps({"event": name, **members}).decode()
    return f"event: {name}\n{last}data: {data}\n\n".encode()


def moment(epoch: int) -> dict[str, Json]:
    return {
        "epoch": epoch,
        "epochs": {"clicks": epoch},
        "position": {"events": {"0": epoch}},
        "token": f"t{epoch}",
    }


HEAD = sent("columns", columns=COLUMNS)
FIRST = sent("rows", rows=[["ann", "1.50"]]) + sent("rows", rows=[["bob", None]])
CHANGES = sent(
    "changes",
    deleted=[["ann", "1.50"]],
    updated=[[["bob", None], ["bob", "2.00"]]],
    inserted=[["cat", "3.00"]],
    **moment(2),
)
BODY = (
    HEAD
    + FIRST
    + sent("progress", **moment(0))
    + b": \n\n"
    + sent("progress", **moment(1))
    + sent("news", of="a later version")
    + CHANGES
)


def read(reader: EventReader, *parts: bytes) -> list[stategate.Event]:
    """Return all events of these parts."""
    events = []
    for part in parts:
        reader.feed(part)
        while (event := reader.take()) is not None:
            events.append(event)
    return events


@given(cuts=st.lists(st.integers(0, len(BODY)), max_size=8))
def test_a_body_may_be_split_anywhere(cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(BODY)]
    reader = EventReader(goes_on=False)
    first, progress, changes = read(
        reader, *(BODY[start:end] for start, end in itertools.pairwise(ends))
    )
    assert reader.columns == (("usr", "text"), ("paid", "decimal(9,2)"))
    assert first == stategate.FirstRows(
        rows=[("ann", Decimal("1.50")), ("bob", None)],
        epoch=0,
        epochs={"clicks": 0},
        position=stategate.at_least("events", 0, 0),
        token="t0",
    )
    assert isinstance(progress, stategate.Progress)
    assert (progress.epoch, progress.token) == (1, "t1")
    assert isinstance(changes, stategate.Changes)
    assert changes.deleted == [("ann", Decimal("1.50"))]
    assert changes.updated == [(("bob", None), ("bob", Decimal("2.00")))]
    assert changes.inserted == [("cat", Decimal("3.00"))]


def test_the_columns_are_found_before_events_are_taken() -> None:
    reader = EventReader(goes_on=True)
    reader.feed(HEAD + CHANGES)
    reader.find_columns()
    assert reader.columns is not None
    assert not reader.is_alive
    assert [event.epoch for event in read(reader, b"")] == [2]
    assert reader.is_alive


def test_a_comment_is_a_sign_of_life() -> None:
    reader = EventReader(goes_on=True)
    assert read(reader, HEAD, b": \n\n") == []
    assert reader.is_alive


def test_rows_that_come_again_take_the_place_of_all() -> None:
    again = sent("start_over", reason="gone") + HEAD + sent("progress", **moment(7))
    (event,) = read(EventReader(goes_on=True), again)
    assert isinstance(event, stategate.FirstRows)
    assert (event.rows, event.start_over, event.epoch) == ([], "gone", 7)


def test_the_last_event_is_an_error() -> None:
    error = {"message": "not now", "sqlstate": "57P01", "retryable": True, "hint": "Retry."}
    reader = EventReader(goes_on=True)
    with pytest.raises(stategate.OperationalError, match="not now") as raised:
        read(reader, HEAD, sent("error", error=error))
    assert (raised.value.sqlstate, raised.value.retryable) == ("57P01", True)


@pytest.mark.parametrize(
    "body",
    [
        b"data: {}\n",
        b"data: 7\n",
        b"data: {\n",
        HEAD + CHANGES,
        HEAD + sent("progress"),
        HEAD + sent("progress", **{**moment(1), "epoch": "x"}),
        HEAD + sent("progress", **{**moment(1), "position": {"events": {"x": 1}}}),
        HEAD + FIRST + sent("progress", **moment(1)) + FIRST,
        HEAD + sent("progress", **moment(1)) + CHANGES.replace(b'[["bob",null],', b"[7,"),
        HEAD + sent("progress", **moment(1)) + sent("changes", **moment(2)),
        sent("columns", columns=7),
    ],
)
def test_other_messages_break_it_off(body: bytes) -> None:
    with pytest.raises(stategate.OperationalError, match="broke off") as raised:
        read(EventReader(goes_on=False), body)
    assert (raised.value.sqlstate, raised.value.retryable) == ("08006", True)


def test_events_before_the_columns_break_it_off() -> None:
    reader = EventReader(goes_on=True)
    reader.feed(CHANGES)
    with pytest.raises(stategate.OperationalError, match="does not begin with columns"):
        reader.find_columns()


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_events, "EVENT_BYTES_MAX", 100)
    with pytest.raises(stategate.OperationalError, match="first rows are longer") as raised:
        read(EventReader(goes_on=False), HEAD, *[sent("rows", rows=[["ann", "1"]])] * 10)
    assert (raised.value.sqlstate, raised.value.retryable) == ("54000", False)
    with pytest.raises(stategate.OperationalError, match="an event is longer") as raised:
        read(EventReader(goes_on=False), b"data: " + b"x" * 200)
    assert not raised.value.retryable


def usr(row: tuple[object, ...]) -> str:
    return str(row[0])


def test_rows_by_their_keys() -> None:
    rows: dict[str, tuple[object, ...]] = {"old": ("old", 1)}
    for event in read(EventReader(goes_on=False), BODY):
        event.apply_to(rows, usr)
    assert rows == {"bob": ("bob", Decimal("2.00")), "cat": ("cat", Decimal("3.00"))}
    (changes,) = read(EventReader(goes_on=True), HEAD, CHANGES)
    with pytest.raises(stategate.InterfaceError, match="no row with the key 'ann'"):
        changes.apply_to({}, usr)


def test_updates_may_exchange_keys() -> None:
    exchange = [[["a", "1"], ["b", "1"]], [["b", "2"], ["a", "2"]]]
    body = sent("changes", deleted=[], updated=exchange, inserted=[], **moment(1))
    (changes,) = read(EventReader(goes_on=True), HEAD, body)
    rows: dict[str, tuple[object, ...]] = {"a": ("a", 1), "b": ("b", 2)}
    changes.apply_to(rows, usr)
    assert rows == {"b": ("b", Decimal(1)), "a": ("a", Decimal(2))}


def test_a_key_that_several_rows_have_is_refused() -> None:
    (first,) = read(EventReader(goes_on=False), HEAD, FIRST, sent("progress", **moment(0)))
    with pytest.raises(stategate.InterfaceError, match="two rows have the key 1"):
        first.apply_to({}, lambda _: 1)
