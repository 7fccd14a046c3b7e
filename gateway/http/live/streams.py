"""The messages of one live query in their order, for any kind of connection.

    [start_over] columns [rows … progress] (changes | progress) …

`events` has their content. A stream ends after its lifetime, so that rights are checked again.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Final

from starlette.datastructures import Headers
from starlette.types import Scope

from stategate.gateway.access.open_sessions import USER_IS_GONE, OpenSessions
from stategate.gateway.access.rules import SESSIONS, USER
from stategate.gateway.http.answers import ClientStalledError
from stategate.gateway.http.endpoint import ANONYMOUS, Services, client_of, threads_of
from stategate.gateway.http.live.events import ROWS_MAX, SERVER_SENT, JsonMessages, server_sent
from stategate.gateway.http.requests.parameters import convert_parameters
from stategate.gateway.http.requests.parsing import SubscribeRequest, read_subscribe_request
from stategate.gateway.http.statements.exchange import only_statement
from stategate.gateway.live import LiveReader, open_live
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import (
    FIRST_ROWS,
    Cancellation,
    FirstRows,
    LiveEvent,
    QueryError,
    Row,
    Session,
    Statement,
)

SILENCE_S: Final = 15.0
"""Time without an event after which a client gets a sign of life, so that neither it nor a proxy
gives up."""
_LAST_ID: Final = "last-event-id"
_FEW_CHANGES: Final = 1_000
"""Changes that are rendered on the event loop; more would hold it for too long."""


class Outlet(ABC):
    """Takes the messages of a live query, at the pace of the client."""

    @abstractmethod
    async def put(self, name: str, data: bytes, token: str | None = None) -> None:
        """Send one message, with the token to go on after it.

        Raises:
            ClientGoneError: the client has left, or stopped reading.
        """

    @abstractmethod
    async def put_events(self, events: Sequence[bytes]) -> None:
        """Send events, which are server-sent ones; none as a sign of life. Raises as `put`."""


def read_subscription(scope: Scope, settings: Settings) -> SubscribeRequest:
    """Return the statement that a request subscribes to.

    Raises:
        QueryError: its fields are wrong.
    """
    request = read_subscribe_request(scope["query_string"], parameters_max=settings.parameters_max)
    last = Headers(scope=scope).get(_LAST_ID)
    return request if last is None else request.after(last)


@contextmanager
def ending_with_user(scope: Scope, cancellation: Cancellation) -> Iterator[None]:
    """Cancel what runs in the block once the user of its connection is gone (28000)."""
    sessions: OpenSessions = scope[SESSIONS]
    leave = sessions.enter(scope[USER], partial(cancellation.cancel, _user_is_gone))
    try:
        yield
    finally:
        leave()


def _user_is_gone() -> QueryError:
    return QueryError("the live query ends", detail=USER_IS_GONE, sqlstate="28000")


async def open_subscription(
    services: Services, scope: Scope, request: SubscribeRequest, cancellation: Cancellation
) -> LiveReader:
    """Plan and subscribe, in a thread, as the user of a connection.

    Raises:
        QueryError: the statement cannot be subscribed to now.
    """
    engine, threads = services.engine, threads_of(services, scope)
    session = Session(settings=request.settings, user=scope[USER] or ANONYMOUS)
    session.client = client_of(scope, "live")
    if services.trace_of is not None:
        session.trace = services.trace_of(Headers(scope=scope))

    def plan() -> tuple[Statement, Row]:
        statement = engine.prepare(
            only_statement(engine, request.sql), session, cancellation=cancellation
        )
        types = statement.parameters
        return statement, convert_parameters(request.params, types, request.names)

    statement, parameters = await threads.short.run(
        plan, cancellation=cancellation, statement=(request.sql, session)
    )
    return await open_live(
        engine,
        threads,
        statement,
        parameters,
        session,
        token=request.token,
        cancellation=cancellation,
    )


async def send_live(
    reader: LiveReader,
    outlet: Outlet,
    *,
    threads: StatementThreads,
    cancellation: Cancellation,
    lifetime_s: float,
) -> None:
    """Send the first rows, and then events until the end of the lifetime.

    Args:
        reader: the subscription; it may have yet to find out how it begins.
        outlet: takes the messages.
        threads: render events with many changes.
        cancellation: ends it.
        lifetime_s: how long it lasts.

    Raises:
        ClientGoneError: the client has left, or stopped reading.
        QueryError: the subscription has ended.
    """
    try:
        await _send(reader, outlet, threads, cancellation, lifetime_s)
    except ClientStalledError:
        reader.close(slow=True)
        raise


async def _send(
    reader: LiveReader,
    outlet: Outlet,
    threads: StatementThreads,
    cancellation: Cancellation,
    lifetime_s: float,
) -> None:
    loop = asyncio.get_running_loop()
    end_s = loop.time() + lifetime_s
    subscription = reader.subscription
    messages = JsonMessages(subscription.columns)
    if not subscription.has_begun:
        # Clients wait for the head of an answer for less time than reading the log may take.
        await outlet.put_events(())
    while not await reader.begun(cancellation, timeout_s=SILENCE_S):
        await outlet.put_events(())
    if (reason := subscription.start_over) is not None:
        await outlet.put("start_over", messages.start_over(reason), FIRST_ROWS)
    if (first := subscription.first) is None:
        await outlet.put("columns", messages.columns())
    else:
        await outlet.put("columns", messages.columns(token=FIRST_ROWS), FIRST_ROWS)
        await _send_first(first, reader, outlet, messages)
        del first
    while (left_s := end_s - loop.time()) > 0:
        events = await reader.events(cancellation, timeout_s=min(left_s, SILENCE_S))
        await outlet.put_events(await _rendered(threads, messages, events))


async def _send_first(
    first: FirstRows, reader: LiveReader, outlet: Outlet, messages: JsonMessages
) -> None:
    for at in range(0, len(first.rows), ROWS_MAX):
        reader.subscription.check()
        rows = first.rows[at : at + ROWS_MAX]
        await outlet.put("rows", messages.rows(rows))
    await outlet.put("progress", messages.progress(first.moment), first.moment.token)


async def _rendered(
    threads: StatementThreads, messages: JsonMessages, events: Sequence[LiveEvent]
) -> Sequence[bytes]:
    """Return events as server-sent ones: most have been rendered for another subscriber."""
    render = partial(server_sent, messages)
    parts = []
    for event in events:
        if len(event.changes) > _FEW_CHANGES and not event.is_encoded(SERVER_SENT):
            parts.append(await threads.run(render, event))
        else:
            parts.append(render(event))
    return parts
