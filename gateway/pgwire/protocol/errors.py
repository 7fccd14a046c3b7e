"""Errors of the protocol, and how errors are reported to a client.

    ProtocolError
    ├── LocalProtocolError      a bug: the server tried to send what the state does not allow
    └── RemoteProtocolError     the client sent what the protocol does not allow (08P01)

Errors of statements are `QueryError`s of the engine. `respond` makes an ErrorResponse of any.
"""

from __future__ import annotations

from stategate.gateway.pgwire.protocol.server_messages import ErrorResponse, NoticeResponse
from stategate.planner.engine import Notice, QueryError

FATAL = "FATAL"
"""Severity of an error after which the connection is closed."""

STATEMENT_EXISTS = "42P05"
NO_STATEMENT = "26000"
PORTAL_EXISTS = "42P03"
NO_PORTAL = "34000"
BAD_BINARY = "22P03"
PROTOCOL_VIOLATION = "08P01"


class ProtocolError(Exception):
    """Base class of the errors of the protocol."""


class LocalProtocolError(ProtocolError):
    """The server tried to send what the state does not allow; nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The client broke the protocol.

    Args:
        message: one lower-case clause, as for a `QueryError`.
        sqlstate: 08P01, except for text that is not UTF-8.
        fatal: whether the connection must end, because the next bytes cannot be understood.
    """

    def __init__(
        self, message: str, *, sqlstate: str = PROTOCOL_VIOLATION, fatal: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sqlstate = sqlstate
        self.fatal = fatal


def respond(error: Exception, *, severity: str = "ERROR") -> ErrorResponse:
    """Return the ErrorResponse for an exception.

    Args:
        error: the exception. An unplanned one becomes XX000; its text belongs in the log only.
        severity: FATAL if the connection ends; a fatal RemoteProtocolError is always FATAL.
    """
    match error:
        case QueryError():
            return ErrorResponse(
                severity=severity,
                sqlstate=error.sqlstate,
                message=error.message,
                detail=error.detail,
                hint=error.hint,
                position=error.position,
            )
        case RemoteProtocolError():
            return ErrorResponse(
                severity=FATAL if error.fatal else severity,
                sqlstate=error.sqlstate,
                message=error.message,
            )
        case _:
            return ErrorResponse(severity=severity, sqlstate="XX000", message="internal error")


def notice_response(notice: Notice) -> NoticeResponse:
    """Return the NoticeResponse for a notice of the engine."""
    return NoticeResponse(
        message=notice.message, severity=notice.severity, sqlstate=notice.sqlstate
    )


def fatal(sqlstate: str, message: str, detail: str | None = None) -> ErrorResponse:
    """Return an ErrorResponse after which the connection is closed."""
    return ErrorResponse(severity=FATAL, sqlstate=sqlstate, message=message, detail=detail)
