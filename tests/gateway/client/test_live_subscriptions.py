"""Subscriptions to a real gateway over sockets: threads, event loops, lost connections, silence."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

import pytest

import stategate
from stategate.answers import Row
from stategate.gateway.settings import Settings
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from tests.gateway.client.serving import http_serving, services_of
from tests.gateway.client.test_http_messages import answering, response
from tests.gateway.client.test_live_events import moment, sent
from tests.planner.live.watching import apply_to
from tests.support.past import GivenPast, until_forgotten
from tests.support.stores import FixedCatalog, keyvalue, open_store
from tests.support.waiting import WAIT_S, until

PAID = keyvalue("paid", {"usr": "text"}, {"sum": "decimal(9,2)"}, partitions=2)
ALL = "SELECT usr, sum FROM paid"
EPOCHS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid:
    """A gateway over one store, whose streams end after a tenth of a second.

    A live query without subscribers ends at once, so that each stream begins one anew.
    """

    url: str
    store: LocalStore
    engine: SqlEngine
    past: GivenPast

    def apply(self, epoch: int) -> None:
        """Apply an epoch that changes, adds and deletes rows."""
        at = Decimal(epoch)
        rows: list[Row] = [("always", at), (f"u{epoch % 7}", at)]
        gone: list[Row] = [] if epoch < 3 else [(f"u{(epoch - 3) % 7}", None)]
        apply_to(self.store, rows, epoch, gone)


@pytest.fixture
def paid() -> Iterator[Paid]:
    store = open_store(PAID)
    past = GivenPast()
    engine = SqlEngine(FixedCatalog(store), live=LiveLimits(linger_s=0), past=past)
    settings = Settings(live_lifetime_ms=100)
    with services_of(engine, settings=settings) as services, http_serving(services) as url:
        found = Paid(url=url, store=store, engine=engine, past=past)
        found.apply(0)
        yield found
    engine.close()


def usr(row: Row) -> str:
    return str(row[0])


def test_rows_are_kept_up_to_date_while_connections_are_lost(paid: Paid) -> None:
    rows: dict[str, Row] = {}
    epochs = []
    with stategate.connect(paid.url) as db, db.subscribe(ALL) as live:
        assert live.columns == (("usr", "text"), ("sum", "decimal(9,2)"))
        for event in live:
            event.apply_to(rows, usr)
            epochs.append(event.epoch)
            assert rows["always"] == ("always", Decimal(event.epoch))
            assert isinstance(event, stategate.FirstRows) == (event.epoch == 0)
            if event.epoch == EPOCHS:
                break
            if event.epoch % 10 == 5:
                lose_connections(db)
            if event.epoch % 10 == 7:
                threading.Event().wait(0.12)  # longer than the lifetime of a stream
            paid.apply(event.epoch + 1)
        assert epochs == list(range(EPOCHS + 1))
        assert db.position == stategate.at_least("events", 0, EPOCHS)
        assert sorted(rows.values()) == sorted(db.execute(ALL).fetchall())
    until(lambda: paid.engine.live_counts().subscribers == 0)


def lose_connections(db: stategate.Connection) -> None:
    busy = list(db._transport._busy)  # type: ignore[attr-defined]
    lost = [body.connection for body in busy if body.connection is not None]
    assert lost
    for each in lost:
        each.shutdown(socket.SHUT_RDWR)


@pytest.mark.anyio
async def test_an_event_loop_keeps_them_too(paid: Paid) -> None:
    rows: dict[str, Row] = {}
    async with (
        stategate.connect_async(paid.url) as db,
        await db.subscribe(ALL + " WHERE usr <> $1", ["nobody"]) as live,
    ):
        assert len(live.columns) == 2
        async for event in live:
            event.apply_to(rows, usr)
            assert rows["always"] == ("always", Decimal(event.epoch))
            if event.epoch == EPOCHS:
                break
            paid.apply(event.epoch + 1)
        cursor = await db.execute(ALL)
        assert sorted(rows.values()) == sorted(await cursor.fetchall())
        token = live.token
        await live.close()
        assert [event async for event in live] == []
    paid.apply(EPOCHS + 1)
    async with (
        stategate.connect_async(paid.url) as db,
        await db.subscribe(ALL + " WHERE usr <> $1", ["nobody"], token=token) as live,
    ):
        event = await anext(live)
        assert isinstance(event, stategate.Changes)
        event.apply_to(rows, usr)
        assert rows["always"] == ("always", Decimal(EPOCHS + 1))


@pytest.mark.anyio
async def test_a_task_that_waits_for_an_event_may_be_cancelled(paid: Paid) -> None:
    async with stategate.connect_async(paid.url) as db, await db.subscribe(ALL) as live:
        assert (await anext(live)).epoch == 0
        for epoch in (1, 2):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.05):
                    await anext(live)
            paid.apply(epoch)
            assert (await anext(live)).epoch == epoch
        closing = asyncio.create_task(close_soon(live))
        assert [event async for event in live] == []
        await closing


async def close_soon(live: stategate.AsyncSubscription) -> None:
    await asyncio.sleep(0.02)
    await live.close()


def test_another_thread_ends_it(paid: Paid) -> None:
    with stategate.connect(paid.url) as db:
        live = db.subscribe(ALL)
        assert next(live).epoch == 0
        found: list[object] = []
        waiting = threading.Thread(target=lambda: found.append(list(live)))
        waiting.start()
        threading.Event().wait(0.02)
        live.close()
        waiting.join(WAIT_S)
        assert found == [[]]


def test_what_cannot_be_subscribed_to(paid: Paid) -> None:
    with stategate.connect(paid.url) as db:
        with pytest.raises(stategate.NotSupportedError) as raised:
            db.subscribe("SELECT now() FROM paid")
        assert raised.value.sqlstate == "0A000"
        with pytest.raises(stategate.DataError) as value:
            db.subscribe(ALL, token="of another statement")
        assert value.value.sqlstate == "22023"
        with pytest.raises(stategate.ProgrammingError) as unknown:
            db.subscribe("SELECT * FROM nowhere")
        assert unknown.value.sqlstate == "42P01"


def test_a_token_that_is_too_old_gives_all_rows_again(paid: Paid) -> None:
    with stategate.connect(paid.url) as db:
        with db.subscribe(ALL) as live:
            token = next(live).token
        until_forgotten(paid.engine, [paid.store])
        for epoch in range(1, 31):
            paid.apply(epoch)
        with db.subscribe(ALL, token=token) as live:
            event = next(live)
            assert isinstance(event, stategate.FirstRows)
            held = "the changes after the token are no longer held"
            assert event.start_over == f"{held}: epoch 0 is gone"
            assert (event.epoch, len(event.rows)) == (30, 4)


def test_a_token_that_only_the_log_has_gives_one_event(paid: Paid) -> None:
    paid.past.stores[0] = open_store(PAID)
    replace(paid, store=paid.past.stores[0]).apply(0)
    with stategate.connect(paid.url) as db:
        with db.subscribe(ALL) as live:
            token = next(live).token
        until_forgotten(paid.engine, [paid.store])
        for epoch in range(1, 31):
            paid.apply(epoch)
        with db.subscribe(ALL, token=token) as live:
            event = next(live)
            assert isinstance(event, stategate.Changes)
            rows = {"always": ("always", Decimal(0)), "u0": ("u0", Decimal(0))}
            event.apply_to(rows, usr)
            assert (event.epoch, rows["always"], len(rows)) == (30, ("always", Decimal(30)), 4)


# --- silence -------------------------------------------------------------------------------------

HEAD = sent("columns", columns=[{"name": "n", "type": "bigint"}])


def begun(*events: bytes) -> bytes:
    """Return an answer as far as these events, which goes on."""
    body = HEAD + b"".join(events)
    return response(b"Transfer-Encoding: chunked\r\n", b"%x\r\n%b\r\n" % (len(body), body))


SILENT = begun(sent("progress", **moment(0)))
GOING_ON = begun(sent("progress", **moment(1)))


def test_a_gateway_that_sends_nothing_is_asked_again() -> None:
    with answering([SILENT, b""], [GOING_ON]) as (url, counts), stategate.connect(url) as db:
        live = db.subscribe("SELECT n FROM t", silence_s=0.05)
        assert [next(live).epoch, next(live).epoch] == [0, 1]
        live.close()
    assert counts == [1, 1]


@pytest.mark.anyio
async def test_an_event_loop_asks_again_too() -> None:
    with answering([SILENT, b""], [GOING_ON]) as (url, counts):
        async with stategate.connect_async(url) as db:
            live = await db.subscribe("SELECT n FROM t", silence_s=0.05)
            assert [(await anext(live)).epoch, (await anext(live)).epoch] == [0, 1]
            await live.close()
    assert counts == [1, 1]
