"""Answers lookups of one key without the framework, which takes four times as long as a lookup.

`POST /v1/query` and `GET /v1/stores/{name}/{key}` are read, checked and answered by the functions
that the application calls too. The application gets a request that is not such a lookup, whose plan
is not kept yet, whose credentials need checking, or that is not admitted.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct
from starlette.responses import Response

from gateway.access.peers import Headers, Peer, Proxies
from gateway.access.rules import USER, Access
from gateway.elsewhere import Elsewhere
from gateway.failures import to_query_error
from gateway.http.app import user_at_once
from gateway.http.endpoint import Services, error_response, request_context
from gateway.http.formats.negotiation import negotiate
from gateway.http.requests.fields import read_object
from gateway.http.requests.parsing import QueryRequest, query_request
from gateway.http.requests.receiving import is_statement_text, key_request, require_json, segments
from gateway.http.statements.lookups import Body, Lookups
from planner.engine import QueryError

Read: TypeAlias = "Callable[[bytes, Head, bytes], QueryRequest]"
"""Reads a request from its target, its head and its body.

Raises:
    QueryError: the request does not fit its path.
"""

_KEY_PATH: Final = re.compile(rb"/v1/stores/[\w.-]+/(?:[\w.~!$&'()*+,;=:@/-]|%(?!0[Aa]))*")
"""The path of a key, without a query. The routes take all others, such as names with escapes."""

_REFUSES_PLAIN: Final = re.compile(r"(?:identity|\*)\s*;\s*q\s*=\s*0(?![.0]*[1-9])", re.IGNORECASE)
"""An Accept-Encoding header that may refuse a body as it is."""


class Head(Struct, frozen=True):
    """The content of a request's head, except its method and its target."""

    client: tuple[str, int] | None
    """The other end of the connection; None if unknown."""
    peer: Peer
    headers: Headers
    """The headers, with names in lower case."""
    accept: str | None
    content_type: str | None
    is_special: bool
    """Whether only the application reads such a request: it has the origin of a page, refused
    codings, a trace, or the text of a statement as its body."""


class AtOnce:
    """Answers lookups within microseconds, on the event loop.

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
        timeout_s = settings.statement_timeout_ms / 1000
        self._lookups = Lookups(services.engine, node=settings.node, timeout_s=timeout_s)
        self._trace_of = services.trace_of

    def reader(self, method: bytes, target: bytes) -> Read | None:
        """Return the function that reads a request, if it may be a lookup."""
        if method == b"POST":
            return self._read_statement if target == b"/v1/query" else None
        if method != b"GET" or self._typed is None or _KEY_PATH.fullmatch(target) is None:
            return None
        return self._read_key

    def head(self, headers: Headers, *, client: tuple[str, int] | None, secured: bool) -> Head:
        """Return the content of a head. It may be kept for further requests with the same headers.

        Args:
            headers: the headers of the request, with names in lower case.
            client: the other end of the connection; None if unknown.
            secured: whether the connection is TLS.
        """
        # The first of headers with the same name counts, as in the application.
        first = {name: value.decode("latin-1") for name, value in reversed(headers)}
        return Head(
            client=client,
            peer=self._proxies.peer(client[0] if client else None, headers, secured=secured),
            headers=headers,
            accept=first.get(b"accept"),
            content_type=first.get(b"content-type"),
            is_special=b"origin" in first
            or b"sec-fetch-site" in first
            or is_statement_text(first.get(b"content-type"))
            or self._is_traced(first)
            or _REFUSES_PLAIN.search(first.get(b"accept-encoding", "")) is not None,
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
        on_authenticated: Callable[[], None],
        *,
        take: Callable[[Body | None], object] | None = None,
    ) -> Body | Response | Elsewhere | None:
        """Return the body of an answer of status 200, or an error; None for the application.

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
        except QueryError:
            return None
        if user is None:
            return None
        on_authenticated()
        sql = None
        try:
            request = read(target, head, body)
            sql = request.sql
            factory = negotiate(head.accept, request.format)
            return self._lookups.answer(request, factory, started_s, take)
        except Exception as caught:  # the outermost call: unplanned errors are logged
            context = request_context({"client": head.client, USER: user}, sql)
            return error_response(to_query_error(caught, context))

    def _read_statement(self, target: bytes, head: Head, body: bytes) -> QueryRequest:
        require_json(head.content_type)
        return query_request(read_object(body), parameters_max=self._parameters_max)

    def _read_key(self, target: bytes, head: Head, body: bytes) -> QueryRequest:
        assert self._typed is not None, "otherwise there is no such reader"
        return key_request(self._typed, segments(target)[1:])
