"""Answers short requests without the framework, which takes four times as long as a lookup.

They are lookups and pages of few rows, queries by name of one row, and answers that the client has
already. They are read, checked and answered by the functions that the application calls, too. The
application gets a request that is longer, whose plan is not kept yet, whose credentials need
checking, or that is not admitted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct
from starlette.responses import Response

from stategate.gateway.access.peers import Headers, Peer, Proxies
from stategate.gateway.access.rules import USER, Access, OnAuthenticated
from stategate.gateway.elsewhere import Elsewhere
from stategate.gateway.failures import to_query_error
from stategate.gateway.http.answers import known_tags, not_modified
from stategate.gateway.http.app import user_at_once
from stategate.gateway.http.endpoint import ANONYMOUS, Services, error_response, request_context
from stategate.gateway.http.formats.content_codings import choose_coding
from stategate.gateway.http.formats.negotiation import negotiate
from stategate.gateway.http.requests.fields import read_object
from stategate.gateway.http.requests.parsing import query_request, read_url_request
from stategate.gateway.http.requests.receiving import (
    is_statement_text,
    key_request,
    require_json,
    segments,
)
from stategate.gateway.http.statements.exchange import is_known, version_at_once
from stategate.gateway.http.statements.lookups import Body, Lookups
from stategate.gateway.http.statements.paging import page_at_once
from stategate.gateway.http.statements.typed_queries import TypedCall, typed_at_once
from stategate.planner.engine import Cancellation, QueryError, Session

Take: TypeAlias = Callable[[Body | None], object]
"""Takes an answer that comes later; None is for the application."""
Read: TypeAlias = "Callable[[Asked], Body | Response | Elsewhere | Changed | None]"
"""Reads a request and answers it; see `AtOnce.answer`.

Raises:
    QueryError: the request does not fit its path, or fails.
"""

_KEY_PATH: Final = re.compile(rb"/v1/stores/[\w.-]+/(?:[\w.~!$&'()*+,;=:@/-]|%(?!0[Aa]))*")
"""The path of a key, without a query. The routes take all others, such as names with escapes."""

_QUERY_PATH: Final = b"/v1/query"
_QUERY_URL: Final = re.compile(rb"/v1/query\?[!\"$-~]*")
"""Characters that a parser takes; what follows a number sign is no part of the query."""
_TYPED_PATH: Final = re.compile(rb"/v1/stores/([\w.-]+)/query")
_REFUSES_PLAIN: Final = re.compile(r"(?:identity|\*)\s*;", re.IGNORECASE)
"""An Accept-Encoding header that may refuse a body as it is: it says how much it wants one."""


class Head(Struct, frozen=True):
    """The content of a request's head, except its method and its target."""

    client: tuple[str, int] | None
    """The other end of the connection; None if unknown."""
    peer: Peer
    headers: Headers
    """The headers, with names in lower case."""
    accept: str | None
    content_type: str | None
    accept_encoding: str | None
    known_tags: frozenset[str]
    """The versions of the answer that the client has."""
    is_special: bool
    """Whether only the application reads such a request: it has the origin of a page, refused
    codings, a trace, or the text of a statement as its body."""


class Changed(Struct, frozen=True):
    """Leaves a request to the application: the client has another version of the answer."""

    version: str


class Asked(Struct):
    """A whole request of an authenticated client."""

    target: bytes
    head: Head
    body: bytes
    user: str
    started_s: float
    """`time.perf_counter()` when it arrived."""
    take: Take | None
    sql: str | None = None
    """Its statement, once it is read: for the log."""


class AtOnce:
    """Answers short requests within microseconds, on the event loop.

    Args:
        services: the services of the application.
        access: the access control of the application.
        proxies: the proxies of the application.
    """

    def __init__(
        self, services: Services, *, access: Access | None = None, proxies: Proxies | None = None
    ) -> None:
        self._access, self._proxies = access or Access(), proxies or Proxies()
        self._typed, settings = services.typed, services.settings
        self._body_bytes_max = settings.body_bytes_max
        self._parameters_max = settings.parameters_max
        self._engine = services.engine
        self._timeout_s = settings.statement_timeout_ms / 1000
        self._lookups = Lookups(services.engine, node=settings.node, timeout_s=self._timeout_s)
        self._trace_of = services.trace_of
        self._users = services.threads.users

    def reader(self, method: bytes, target: bytes) -> Read | None:
        """Return the function that reads and answers a request, if it may be short."""
        if method == b"POST":
            if target == _QUERY_PATH:
                return self._answer_statement
            is_typed = self._typed is not None and _TYPED_PATH.fullmatch(target) is not None
            return self._answer_typed if is_typed else None
        if method != b"GET":
            return None
        if _QUERY_URL.fullmatch(target) is not None:
            return self._answer_unchanged
        is_key = self._typed is not None and _KEY_PATH.fullmatch(target) is not None
        return self._answer_key if is_key else None

    def head(self, headers: Headers, *, client: tuple[str, int] | None, secured: bool) -> Head:
        """Return the content of a head. It may be kept for further requests with the same headers.

        Args:
            headers: the headers of the request, with names in lower case.
            client: the other end of the connection; None if unknown.
            secured: whether the connection is TLS.
        """
        # The first of headers with the same name counts, as in the application.
        first = {name: value.decode("latin-1") for name, value in reversed(headers)}
        codings = first.get(b"accept-encoding")
        return Head(
            client=client,
            peer=self._proxies.peer(client[0] if client else None, headers, secured=secured),
            headers=headers,
            accept=first.get(b"accept"),
            content_type=first.get(b"content-type"),
            accept_encoding=codings,
            known_tags=known_tags([first.get(b"if-none-match", "")]),
            is_special=b"origin" in first
            or b"sec-fetch-site" in first
            or is_statement_text(first.get(b"content-type"))
            or self._is_traced(first)
            or _REFUSES_PLAIN.search(codings or "") is not None,
        )

    def _is_traced(self, headers: Mapping[bytes, str]) -> bool:
        """Whether a request belongs to a trace, of which lookups that share a session know none."""
        if self._trace_of is None:
            return False
        return (
            self._trace_of({name.decode("latin-1"): headers[name] for name in headers}) is not None
        )

    def answer(
        self,
        read: Read,
        target: bytes,
        head: Head,
        body: bytes,
        on_authenticated: OnAuthenticated,
        *,
        take: Take | None = None,
    ) -> Body | Response | Elsewhere | Changed | None:
        """Return the body of an answer of status 200, or an error.

        None or `Changed` leaves the request to the application.

        If other nodes are asked, `take` gets the answer later.

        Args:
            read: the function that `reader` has returned.
            target: the target of the request.
            head: the head of the request.
            body: the whole body.
            on_authenticated: called once the client is authenticated.
            take: gets the answer of other nodes, which is None for the application; without it no
                node is asked.
        """
        started_s = time.perf_counter()
        if len(body) > self._body_bytes_max or head.is_special:
            return None
        try:
            user = user_at_once(self._access, head.peer, head.headers)
            if user is None:
                return None
            on_authenticated(user, head.peer)
            self._users.note(user or ANONYMOUS)
        except QueryError:
            return None  # the application says why
        asked = Asked(target, head, body, user, started_s, take)
        try:
            return read(asked)
        except Exception as caught:  # the outermost call: unplanned errors are logged
            context = request_context({"client": head.client, USER: user}, asked.sql)
            return error_response(to_query_error(caught, context))

    def _answer_statement(self, asked: Asked) -> Body | Elsewhere | None:
        head = asked.head
        require_json(head.content_type)
        request = query_request(read_object(asked.body), parameters_max=self._parameters_max)
        asked.sql = request.sql
        factory = negotiate(head.accept, request.format)
        if request.page is None:
            return self._lookups.answer(
                request, factory, asked.started_s, asked.take, user=asked.user
            )
        given = self._engine, self._lookups, request, factory, asked.started_s
        return page_at_once(*given, user=asked.user, coding=choose_coding(head.accept_encoding))

    def _answer_key(self, asked: Asked) -> Body | Elsewhere | None:
        assert self._typed is not None, "otherwise there is no such reader"
        request = key_request(self._typed, segments(asked.target)[1:])
        asked.sql = request.sql
        factory = negotiate(asked.head.accept, request.format)
        return self._lookups.answer(request, factory, asked.started_s, asked.take, user=asked.user)

    def _answer_typed(self, asked: Asked) -> Body | None:
        path = _TYPED_PATH.fullmatch(asked.target)
        assert self._typed is not None, "otherwise there is no such reader"
        assert path is not None, "otherwise there is no such reader"
        require_json(asked.head.content_type)
        call = TypedCall(
            store=path[1].decode(),
            body=asked.body,
            user=asked.user,
            started_s=asked.started_s,
            cancellation=Cancellation(timeout_s=self._timeout_s),
        )
        raw = typed_at_once(self._typed, call)
        return None if raw is None else Body("application/json", raw)

    def _answer_unchanged(self, asked: Asked) -> Response | Changed | None:
        """Say that the client has the answer already, if it has."""
        head = asked.head
        if not head.known_tags:
            return None
        query = asked.target.partition(b"?")[2]
        request = read_url_request(query, sql=None, parameters_max=self._parameters_max)
        asked.sql = request.sql
        factory = negotiate(head.accept, request.format)
        session = Session(settings=request.settings, user=asked.user or ANONYMOUS)
        tag = version_at_once(self._engine, request, factory, session)
        if tag is None:
            return None
        return not_modified(tag) if is_known(tag, head.known_tags) else Changed(tag)
