"""The endpoints that run one statement: `/v1/query`, and the rows of one key."""

from __future__ import annotations

import time
from collections.abc import Coroutine
from dataclasses import asdict, replace
from functools import partial

from starlette.datastructures import Headers
from starlette.types import Scope

from stategate.gateway.access.rules import USER
from stategate.gateway.elsewhere import Elsewhere
from stategate.gateway.http.answers import Answer, known_tags
from stategate.gateway.http.endpoint import (
    ANONYMOUS,
    ANSWER_VERSION,
    ASKED_NODES,
    Call,
    QueryingEndpoint,
    Services,
    client_of,
    json_response,
    request_context,
    threads_of,
    unless_disconnected,
)
from stategate.gateway.http.formats.content_codings import choose_coding
from stategate.gateway.http.formats.negotiation import negotiate
from stategate.gateway.http.requests.receiving import (
    ReadRequest,
    asks_where,
    read_key,
    read_lookup,
    read_statement,
)
from stategate.gateway.http.statements.exchange import (
    Begun,
    Exchange,
    NotModifiedError,
    begin_answer,
    begin_later,
    is_known,
    open_result,
    plan,
    recall,
    send_result,
    version_at_once,
)
from stategate.gateway.http.statements.lookups import Body, Lookups
from stategate.gateway.http.statements.paging import page_at_once, read_page
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Cancellation, QueryError, Session, Statement
from stategate.planner.typed import TypedQueries


class QueryEndpoint(QueryingEndpoint):
    """Runs the statement of a request.

    Args:
        services: its dependencies.
        read: reads the request.
    """

    def __init__(self, services: Services, read: ReadRequest = read_statement) -> None:
        self._read_request = read
        self._engine = services.engine
        self._services = services
        self._settings, self._pages = services.settings, services.pages
        self._trace_of, self._shares_sessions = services.trace_of, services.shares_sessions
        timeout_s = services.settings.statement_timeout_ms / 1000
        self._lookups = Lookups(services.engine, node=services.settings.node, timeout_s=timeout_s)

    async def _answer(self, call: Call) -> QueryError | None:
        exchange = await self._read(call)
        answer = Answer(
            call.send,
            exchange.cancellation,
            stall_s=self._settings.stall_timeout_ms / 1000,
            is_head=exchange.is_head,
        )
        request = exchange.request
        tags = exchange.known_tags
        body: Body | None
        if request.page is not None:
            body = self._page_at_once(exchange)
            if body is not None:
                answer.headers.extend(body.headers)
                await answer.whole(body.media_type, body.data)
                return None
            work: Coroutine[None, None, QueryError | None] = self._read_page(
                exchange, answer, threads_of(self._services, call.scope)
            )
            return await unless_disconnected(
                work, exchange.cancellation, call.receive, is_ended=lambda: answer.ended
            )
        if tags:
            version = call.scope.get(ANSWER_VERSION) or version_at_once(
                self._engine, request, exchange.factory, exchange.session
            )
            if version is not None and is_known(version, tags):
                await answer.not_modified(version)
                return None
            exchange = replace(exchange, version=version)
        is_slow = tags is not None or not self._may_share(exchange.session)
        body = None if is_slow else await self._looked_up(exchange, call)
        if body is not None:
            await answer.whole(body.media_type, body.data)
            return None
        threads = threads_of(self._services, call.scope)
        statement = recall(self._engine, request.sql, exchange.session)
        if (
            tags is None
            and statement is not None
            and self._engine.is_inline(statement, exchange.session)
        ):
            exchange.cancellation.holds_loop = True
            result = open_result(self._engine, exchange, statement)
            begun = begin_later(exchange, result, chunk_bytes=self._settings.chunk_bytes)
            work = send_result(exchange, begun, answer, threads=threads)
            if result.batches is None:
                return await work
        else:
            work = self._run(exchange, statement, answer, threads)
        return await unless_disconnected(
            work, exchange.cancellation, call.receive, is_ended=lambda: answer.ended
        )

    def _may_share(self, session: Session) -> bool:
        """Whether a lookup may use a session of all requests: one that belongs to no trace."""
        return self._shares_sessions and session.trace is None

    def _page_at_once(self, exchange: Exchange) -> Body | None:
        if not self._may_share(exchange.session):
            return None
        given = self._engine, self._lookups, exchange.request, exchange.factory, exchange.started_s
        return page_at_once(*given, user=exchange.session.user, coding=exchange.coding)

    async def _looked_up(self, exchange: Exchange, call: Call) -> Body | None:
        """Return the body of the answer to a lookup; None if the request is another one."""
        given = exchange.request, exchange.factory, exchange.started_s
        if not self._engine.asks_nodes or call.scope.get(ASKED_NODES):
            body = self._lookups.answer(*given, user=exchange.session.user)
            assert not isinstance(body, Elsewhere), "no other node is asked"
            return body
        return await unless_disconnected(
            self._lookups.answer_anywhere(
                *given, exchange.cancellation, user=exchange.session.user
            ),
            exchange.cancellation,
            call.receive,
            is_ended=lambda: False,
        )

    async def _read(self, call: Call) -> Exchange:
        started_s = time.perf_counter()
        scope = call.scope
        headers = Headers(scope=scope)
        request = await self._read_request(scope, call.receive, self._settings)
        call.sql = request.sql
        factory = negotiate(headers.get("accept"), request.format)
        session = Session(settings=request.settings, user=scope[USER] or ANONYMOUS)
        session.client = client_of(scope)
        if self._trace_of is not None:
            session.trace = self._trace_of(headers)
        return Exchange(
            request=request,
            session=session,
            cancellation=Cancellation(timeout_s=self._settings.statement_timeout_ms / 1000),
            factory=factory,
            started_s=started_s,
            context=request_context(scope, request.sql),
            coding=choose_coding(headers.get("accept-encoding")),
            is_head=scope["method"] == "HEAD",
            known_tags=known_tags(headers.getlist("if-none-match"))
            if self._may_keep(scope)
            else None,
        )

    def _may_keep(self, scope: Scope) -> bool:
        """Whether the client may keep the answer: only of GET, as caches understand it."""
        is_post: bool = scope["method"] == "POST"
        return not is_post

    async def _read_page(
        self, exchange: Exchange, answer: Answer, threads: StatementThreads
    ) -> None:
        work = partial(read_page, self._engine, exchange, self._pages)
        waits = exchange.request.sql, exchange.session
        page = await threads.run(work, cancellation=exchange.cancellation, statement=waits)
        answer.coding = page.coding
        if page.next is not None:
            answer.headers.append((b"stategate-next", page.next.encode()))
        await answer.whole(page.media_type, page.body)

    async def _run(
        self,
        exchange: Exchange,
        statement: Statement | None,
        answer: Answer,
        threads: StatementThreads,
    ) -> QueryError | None:
        cancellation, given = exchange.cancellation, (self._engine, exchange)
        waits = exchange.request.sql, exchange.session
        if statement is None:
            statement = await threads.short.run(
                plan, *given, cancellation=cancellation, statement=waits
            )
        if self._engine.is_short(statement):
            threads = threads.short
        begin = partial(begin_answer, *given, statement, chunk_bytes=self._settings.chunk_bytes)
        try:
            begun = await threads.run(
                begin, cancellation=cancellation, on_abandon=Begun.close, statement=waits
            )
        except NotModifiedError as same:
            await answer.not_modified(same.tag)
            return None
        return await send_result(exchange, begun, answer, threads=threads)


class KeyEndpoint(QueryEndpoint):
    """Reads the rows of a key, or with `?locate` says which nodes have them.

    Args:
        services: its dependencies.
        typed: knows the stores.
    """

    def __init__(self, services: Services, typed: TypedQueries) -> None:
        super().__init__(services, partial(read_lookup, typed))
        self._typed = typed

    def _may_keep(self, scope: Scope) -> bool:
        """Whether the client may keep the answer: no, since a lookup takes less than the check."""
        del scope
        return False

    async def _answer(self, call: Call) -> QueryError | None:
        if not asks_where(call.scope["query_string"]):
            return await super()._answer(call)
        store, key = read_key(self._typed, call.scope)
        threads = threads_of(self._services, call.scope).short
        found = await threads.run(self._typed.locate, store, key, call.scope[USER])
        await json_response(asdict(found))(call.scope, call.receive, call.send)
        return None
