"""Errors of the gateway, and how each error becomes an HTTP response.

    QueryError                        the planner's: a statement failed, with its SQLSTATE
    └── HttpRequestError              the HTTP request is malformed
    GatewayError                      the command line reports it in one sentence
    ├── SettingsError                 a setting is unknown, does not parse or is out of range
    ├── ServeError                    the gateway cannot start: a port in use, no root
    └── ClientError                   the command line's client gets no answer
        ├── UnreachableError          no gateway answers at the URL, or the answer broke off
        └── RemoteError               the gateway answered with an error

One table maps SQLSTATEs to HTTP statuses. All errors, routing errors included, have one body:
`{"error": {"message", "sqlstate", "detail", "hint", "position", "retryable"}}`.
"""

from __future__ import annotations

from collections.abc import Mapping

from stategate.planner.errors import QueryError

PROTOCOL_VIOLATION = "08P01"

_STATUS_BY_CODE = {
    "25006": 501,  # a write: not supported, like other SQL that the gateway does not run
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
    """The request does not fit its path (08P01); `status` is its HTTP status."""

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
    """An error that the command line reports in one sentence, without a traceback.

    Args:
        message: one clause without a full stop.
        hint: what to do next, as a sentence.
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
    """The client of the command line gets no answer."""


class UnreachableError(ClientError):
    """No gateway answers at the URL, or its answer broke off."""


class RemoteError(ClientError):
    """The gateway answered with an error.

    Args:
        message: its primary message.
        sqlstate: its code.
        detail: facts, if any.
        hint: what to do next, if known.
        position: 1-based character offset into the statement, if known.
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
    """Return the HTTP status of a SQLSTATE: by its code, then by its class, otherwise 500."""
    exact = _STATUS_BY_CODE.get(sqlstate)
    return exact if exact is not None else _STATUS_BY_CLASS.get(sqlstate[:2], 500)


def response_status(error: QueryError) -> int:
    """Return the HTTP status of an error response."""
    return error.status if isinstance(error, HttpRequestError) else status_of(error.sqlstate)


def response_headers(error: QueryError) -> dict[str, str]:
    """Return the error's headers: `Retry-After` where the same request can succeed later."""
    headers = dict(error.headers) if isinstance(error, HttpRequestError) else {}
    if response_status(error) == 503:
        headers["Retry-After"] = _RETRY_AFTER_S
    return headers


def error_document(error: QueryError) -> dict[str, object]:
    """Return the value of the body's `error` member, always with all six members."""
    return {
        "message": error.message,
        "sqlstate": error.sqlstate,
        "detail": error.detail,
        "hint": error.hint,
        "position": error.position,
        "retryable": error.retryable or response_status(error) == 503,
    }
