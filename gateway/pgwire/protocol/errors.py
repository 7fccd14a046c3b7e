"""What can go wrong between a client and the wire.

    ProtocolError
    ├── LocalProtocolError      our bug: a message that the state does not allow us to send
    └── RemoteProtocolError     theirs: bytes or messages that the protocol does not allow (08P01)

What a statement fails with is a `QueryError` of the engine; `respond` makes an ErrorResponse of
either.
"""

from __future__ import annotations

from gateway.pgwire.protocol.messages import ErrorResponse, NoticeResponse
from planner.engine import Notice, QueryError

FATAL = "FATAL"
"""Severity of an error behind which the connection is closed."""

STATEMENT_EXISTS = "42P05"
NO_STATEMENT = "26000"
PORTAL_EXISTS = "42P03"
NO_PORTAL = "34000"
BAD_BINARY = "22P03"
PROTOCOL_VIOLATION = "08P01"


class ProtocolError(Exception):
    """Root of the errors of the wire itself."""


class LocalProtocolError(ProtocolError):
    """We tried to send what the state does not allow; nothing was sent."""


class RemoteProtocolError(ProtocolError):
    """The client broke the protocol.

    Args:
        message: one lower-case clause, as for a `QueryError`.
        sqlstate: 08P01 but for text that is not UTF-8.
        fatal: the bytes that follow cannot be understood, so the connection must end.
    """

    def __init__(
        self, message: str, *, sqlstate: str = PROTOCOL_VIOLATION, fatal: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sqlstate = sqlstate
        self.fatal = fatal


def respond(error: Exception, *, severity: str = "ERROR") -> ErrorResponse:
    """The ErrorResponse that tells a client of an error; one we did not plan for is XX000.

    Args:
        error: what was raised. Of an unplanned one nothing is told: it belongs in the log.
        severity: FATAL if the connection ends with it, as it always does for a fatal one.
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
    """The NoticeResponse that tells a client what the engine wants it to know."""
    return NoticeResponse(
        message=notice.message, severity=notice.severity, sqlstate=notice.sqlstate
    )


def fatal(sqlstate: str, message: str) -> ErrorResponse:
    """An error behind which the connection is closed."""
    return ErrorResponse(severity=FATAL, sqlstate=sqlstate, message=message)
