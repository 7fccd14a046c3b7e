"""What can go wrong at the gateway's edge, and how every error is told to a client.

    QueryError                        planner.errors: a statement failed, with its SQLSTATE
    └── RequestProblem                the HTTP request is wrong, whatever its statement says
    GatewayError                      root of what the command line reports in one sentence
    ├── SettingsError                 a setting is unknown, does not parse or is out of range
    ├── ServeError                    the gateway cannot start: a port in use, no root
    └── ClientError                   the command line's client cannot get an answer
        ├── UnreachableError          nothing answers at the URL, or the answer broke off
        └── RemoteError               the gateway answered with an error

One table maps SQLSTATE to HTTP status. The body has one shape for all errors, of routing too:
`{"error": {"message", "sqlstate", "detail", "hint", "position", "retryable"}}`.
"""

from __future__ import annotations

from collections.abc import Mapping

from planner.errors import QueryError

PROTOCOL_VIOLATION = "08P01"

_STATUS_BY_CODE = {
    "25006": 501,  # a write: as unsupported here as any other SQL that is not run
    "28P01": 401,
    "42501": 403,
    "53300": 503,
    "57014": 504,
}
_STATUS_BY_CLASS = {
    "08": 400,
    "0A": 501,
    "21": 400,
    "22": 400,
    "25": 400,
    "26": 400,
    "28": 401,
    "34": 400,
    "3B": 400,
    "42": 400,
    "53": 503,
    "54": 400,
    "55": 503,
    "57": 503,
    "58": 500,
    "72": 503,
    "XX": 500,
}
_RETRY_AFTER_S = "1"


class HttpRequestError(QueryError):
    """The request cannot be read as what its path takes (08P01); `status` is its HTTP status."""

    sqlstate = PROTOCOL_VIOLATION

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        detail: str | None = None,
        hint: str | None = None,
        sqlstate: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message, detail=detail, hint=hint, sqlstate=sqlstate)
        self.status = status
        self.headers = dict(headers or {})


class GatewayError(Exception):
    """What the command line reports in one sentence, without a traceback.

    Args:
        message: one clause without a full stop.
        hint: the next act, as a sentence.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class SettingsError(GatewayError):
    """A setting is unknown, does not parse or is out of range."""


class ServeError(GatewayError):
    """The gateway cannot start."""


class ClientError(GatewayError):
    """The client of the command line cannot get an answer."""


class UnreachableError(ClientError):
    """Nothing that speaks our protocol answers at the URL, or its answer broke off."""


class RemoteError(ClientError):
    """The gateway answered with an error.

    Args:
        message: its primary message.
        sqlstate: its code.
        detail: facts, if it gave any.
        hint: the next act, if it gave one.
        position: 1-based character offset into the statement, if it is known.
    """

    def __init__(
        self,
        message: str,
        *,
        sqlstate: str = "XX000",
        detail: str | None = None,
        hint: str | None = None,
        position: int | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.sqlstate = sqlstate
        self.detail = detail
        self.position = position


def status_of(sqlstate: str) -> int:
    """The HTTP status of a SQLSTATE: by the exact code, then by its class; 500 for others."""
    exact = _STATUS_BY_CODE.get(sqlstate)
    return exact if exact is not None else _STATUS_BY_CLASS.get(sqlstate[:2], 500)


def response_status(error: QueryError) -> int:
    """The HTTP status of an error that is the whole response."""
    return error.status if isinstance(error, HttpRequestError) else status_of(error.sqlstate)


def response_headers(error: QueryError) -> dict[str, str]:
    """The headers that go with it: `Retry-After` where the same request can succeed later."""
    headers = dict(error.headers) if isinstance(error, HttpRequestError) else {}
    if response_status(error) == 503:
        headers["Retry-After"] = _RETRY_AFTER_S
    return headers


def error_document(error: QueryError) -> dict[str, object]:
    """The value of the body's `error` member; all six members are always there."""
    return {
        "message": error.message,
        "sqlstate": error.sqlstate,
        "detail": error.detail,
        "hint": error.hint,
        "position": error.position,
        "retryable": error.retryable or response_status(error) == 503,
    }
