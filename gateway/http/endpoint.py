"""The parts that all endpoints share: dependencies, errors as responses, clients that leave."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import orjson
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from stategate.gateway.access.rules import ADDRESS, USER
from stategate.gateway.errors import error_document, response_headers, response_status
from stategate.gateway.failures import RequestContext, to_query_error
from stategate.gateway.http.answers import ON_STALLED, ClientGoneError, ClientStalledError
from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.metrics.spark_state import SparkStatus
from stategate.gateway.http.page_snapshots import PageSnapshots
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Cancellation, Engine, QueryError, Rights
from stategate.planner.errors import UnavailableError
from stategate.planner.typed import TypedQueries

logger = logging.getLogger(__name__)

T = TypeVar("T")

ANONYMOUS = "stategate"
"""The value of `current_user` where no login is required."""

StoreDocument = Mapping[str, Any]
"""The JSON document of a store; it always has `name` and `replicas`."""


async def _ignore(store: str) -> None:
    """Do nothing: nothing follows a log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The dependencies of the endpoints."""

    engine: Engine
    threads: StatementThreads
    settings: Settings
    describe_stores: Callable[[], Sequence[StoreDocument]]
    """Describes the current stores; may block, so it is called in a thread."""
    not_ready: Callable[[], Sequence[str]]
    """Returns the reasons why the node is not ready, as clauses; empty once it is."""
    require_missing: Callable[[str], None] = lambda _: None
    """Raises a QueryError if an undescribed store of that name may exist."""
    wire_address: Callable[[], str | None] = lambda: None
    """Returns where the Postgres wire listens, HOST:PORT; None if it is off, or not known."""
    notify: Callable[[str], Awaitable[None]] = _ignore
    """Looks for the next epoch of a store soon."""
    rights: Rights = field(default_factory=Rights)
    """The stores that each user may read."""
    typed: TypedQueries | None = None
    """Runs queries by name; None omits their routes."""
    pages: PageSnapshots = field(default_factory=PageSnapshots)
    """The snapshots whose pages are read."""
    metrics: Metrics | None = None
    """The metrics; None omits their route."""
    trace_of: Callable[[Mapping[str, str]], object | None] | None = None
    """Returns the trace that the headers of a request name; None without traces."""
    shares_sessions: bool = True
    """Whether lookups of a user may share a session. It has no address, which an audit needs."""
    spark: Callable[[], SparkStatus] | None = None
    """Returns the state of the Spark engine; None for a gateway without Spark."""


ANSWER_VERSION = "stategate.answer_version"
"""The key of a scope for the version of the answer, if it was found already; the client has another
one."""
ASKED_NODES = "stategate.asked_nodes"
"""The key of a scope that is true if other nodes were asked and did not answer in time."""


def json_response(document: object, status: int = 200) -> Response:
    """Return a JSON response that is never cached, because all answers change."""
    return Response(
        orjson.dumps(document),
        status_code=status,
        media_type="application/json",
        headers={"Cache-Control": "no-store"},
    )


def error_response(error: QueryError) -> Response:
    """Return the response of an error; all errors have one shape."""
    response = json_response({"error": error_document(error)}, response_status(error))
    response.headers.update(response_headers(error))
    return response


def threads_of(services: Services, scope: Scope) -> StatementThreads:
    """Return the statement threads for the calls of a request: its user and connection share."""
    client = scope.get("client")
    return services.threads.of(scope[USER] or ANONYMOUS, tuple(client) if client else None)


def request_context(scope: Scope, sql: str | None = None) -> RequestContext:
    """Return the client and the statement, for the log."""
    client = scope.get("client")
    where = f"{client[0]}:{client[1]}" if client else "unknown"
    return RequestContext(client=where, user=scope.get(USER) or ANONYMOUS, sql=sql)


def client_of(scope: Scope, protocol: str = "http") -> tuple[str, str | None]:
    """Return the protocol and the address of a client, as a session has them."""
    address: str | None = scope.get(ADDRESS)
    return protocol, address


class Call:
    """A request to an endpoint.

    Args:
        scope: the request.
        receive: receives its body.
        send: sends the answer.
    """

    __slots__ = ("_send", "begun", "receive", "scope", "sql")

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.receive, self._send = scope, receive, send
        self.begun = False
        """Whether the answer has begun, so that it cannot become an error."""
        self.sql: str | None = None
        """The statement, for the log; None before it is read."""

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        self.begun = True
        await self._send(message)


class QueryingEndpoint(ABC):
    """Answers requests that run queries; all their errors become answers here.

    It is an ASGI application and not a function, because it watches the connection: a client that
    disconnects cancels its query.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, with an error if it fails."""
        call = Call(scope, receive, send)
        error: QueryError | None
        try:
            error = await self._answer(call)
        except ClientGoneError as gone:
            # The answer was not sent, or only in part, so the server closes the connection.
            logger.info("client disconnected: %s", gone)
            if isinstance(gone, ClientStalledError) and (cut_off := scope.get(ON_STALLED)):
                cut_off()
            return
        except asyncio.CancelledError:
            # The grace period is over. This is the outermost call of its task, so the cancellation
            # ends here; the client gets an error, if its answer has not begun.
            if call.begun:
                logger.warning("answer cut off by shutdown")
                return
            error = UnavailableError("the gateway is shutting down", sqlstate="57P01")
        except Exception as caught:  # the outermost call: unplanned errors are logged
            error = to_query_error(caught, request_context(scope, call.sql))
        if error is not None:
            await error_response(error)(scope, receive, send)

    @abstractmethod
    async def _answer(self, call: Call) -> QueryError | None:
        """Answer a request; return the error if it failed before its answer began.

        Raises:
            QueryError: as if it was returned.
            ClientGoneError: the client does not get the answer.
        """


async def unless_disconnected(
    work: Coroutine[None, None, T],
    cancellation: Cancellation,
    receive: Receive,
    *,
    is_ended: Callable[[], bool],
) -> T:
    """Await the work, and cancel the statement if the client disconnects.

    Raises:
        ClientGoneError: the client has disconnected.
    """
    return await unless_left(work, cancellation, _wait_for_disconnect(receive), is_ended=is_ended)


async def unless_left(
    work: Coroutine[None, None, T],
    cancellation: Cancellation,
    leave: Coroutine[None, None, None],
    *,
    is_ended: Callable[[], bool],
) -> T:
    """Await the work, and cancel the statement if the client leaves.

    Args:
        work: the work.
        cancellation: cancels its statement.
        leave: returns once the client has left.
        is_ended: whether the client has all of the answer, and may leave.

    Raises:
        ClientGoneError: the client has left.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(leave)
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done() or is_ended():
            return await working
        raise ClientGoneError("the client has closed the connection")
    finally:
        if not working.done() or working.cancelled():
            # Cancel only while it runs: later, the cancellation's callback may belong to another.
            cancellation.cancel()
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
