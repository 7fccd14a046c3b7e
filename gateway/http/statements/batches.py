"""`POST /v1/batch`: several statements in one request, run in one statement thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from itertools import chain

from starlette.datastructures import Headers

from stategate.gateway.access.rules import USER
from stategate.gateway.http.answers import Answer
from stategate.gateway.http.endpoint import (
    ANONYMOUS,
    Call,
    QueryingEndpoint,
    Services,
    client_of,
    request_context,
    threads_of,
    unless_disconnected,
)
from stategate.gateway.http.formats.content_codings import (
    BYTES_MIN,
    Coder,
    choose_coding,
    coder_for,
)
from stategate.gateway.http.formats.json_renderers import JsonRenderer, NdjsonRenderer
from stategate.gateway.http.requests.batches import read_batch
from stategate.gateway.http.requests.receiving import read_json
from stategate.gateway.http.statements.batch_answers import Batch
from stategate.gateway.statement_threads import StatementThreads
from stategate.planner.engine import Cancellation, Session


class BatchEndpoint(QueryingEndpoint):
    """Runs the statements of a request.

    Args:
        services: its dependencies.
    """

    def __init__(self, services: Services) -> None:
        self._engine, self._services = services.engine, services
        self._settings, self._trace_of = services.settings, services.trace_of

    async def _answer(self, call: Call) -> None:
        started_s = time.perf_counter()
        headers = Headers(scope=call.scope)
        body = await read_json(headers, call.receive, self._settings)
        coding = choose_coding(headers.get("accept-encoding"))
        cancellation = Cancellation(timeout_s=self._settings.statement_timeout_ms / 1000)
        answer = Answer(call.send, cancellation, stall_s=self._settings.stall_timeout_ms / 1000)
        begin = partial(
            self._begin, call, body, headers.get("accept"), cancellation, started_s=started_s
        )
        threads = threads_of(self._services, call.scope)
        waiting = Session(user=call.scope[USER] or ANONYMOUS)
        waiting.client = client_of(call.scope, "batch")
        work = self._send(begin, answer, coding, threads, cancellation, waiting=waiting)
        await unless_disconnected(work, cancellation, call.receive, is_ended=lambda: answer.ended)

    async def _send(
        self,
        begin: Callable[[], _Begun],
        answer: Answer,
        coding: str | None,
        threads: StatementThreads,
        cancellation: Cancellation,
        *,
        waiting: Session,
    ) -> None:
        begun = await threads.run(
            begin,
            cancellation=cancellation,
            on_abandon=_Begun.close,
            statement=("POST /v1/batch", waiting),
        )
        coder = coder_for(coding, begun.media_type)
        if begun.rest is None and (coder is None or len(begun.first) < BYTES_MIN):
            await answer.whole(begun.media_type, begun.first)
            return
        answer.coding = None if coder is None else coder.name
        try:
            async with aclosing(threads.stream(begun.coded(coder), cancellation)) as stream:
                async for part in stream:
                    await answer.part(begun.media_type, part)
        finally:
            await threads.release(begun.close)
        await answer.end()

    def _begin(
        self,
        call: Call,
        body: bytes,
        accept: str | None,
        cancellation: Cancellation,
        *,
        started_s: float,
    ) -> _Begun:
        request = read_batch(body, accept, self._settings)
        session = Session(settings=request.settings, user=call.scope[USER] or ANONYMOUS)
        session.client = client_of(call.scope, "batch")
        if self._trace_of is not None:
            session.trace = self._trace_of(Headers(scope=call.scope))
        chunks = Batch(
            engine=self._engine,
            request=request,
            session=session,
            cancellation=cancellation,
            started_s=started_s,
            context=request_context(call.scope),
            node=self._settings.node,
            chunk_bytes=self._settings.chunk_bytes,
        ).render()
        first = next(chunks)
        is_whole = len(first) < self._settings.chunk_bytes
        renderer = NdjsonRenderer if request.is_lines else JsonRenderer
        return _Begun(renderer.media_type, first, None if is_whole else chunks)


@dataclass(frozen=True, slots=True)
class _Begun:
    """All of a short answer, or its beginning and the rest."""

    media_type: str
    first: bytes
    rest: Generator[bytes, None, None] | None

    def coded(self, coder: Coder | None) -> Generator[bytes, None, None]:
        """Yield the body, compressed."""
        for part in chain((self.first,), self.rest or ()):
            if part:
                yield part if coder is None else coder.code(part)
        if coder is not None:
            yield coder.end()

    def close(self) -> None:
        """Release the statement that runs."""
        if self.rest is not None:
            self.rest.close()
