"""Errors, in the tree of DB-API 2.0.

    Warning                       never raised; DB-API asks for it
    Error
    ├── InterfaceError            the client was used wrongly
    └── DatabaseError             the gateway has answered with an error, or not at all
        ├── DataError             a value does not fit (class 22)
        ├── OperationalError      no answer, or not now: 08, 28, 53, 54, 55, 57, 58, 72
        ├── IntegrityError        never raised; DB-API asks for it
        ├── InternalError         a transaction's state, or a bug (25, XX)
        ├── ProgrammingError      the statement or the request is wrong (42, 08P01)
        └── NotSupportedError     SQL that the gateway does not run (0A)

The class follows from the SQLSTATE as it does in psycopg, but for two: 08P01 is a mistake of the
program here, such as too few parameters; and 72000, a lost snapshot, has the class of what passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


class Warning(Exception):  # noqa: A001, N818 - DB-API's name
    """A warning; never raised."""


class Error(Exception):
    """The root of all errors.

    Args:
        message: one clause without a full stop.
        sqlstate: the SQLSTATE, if there is one.
        detail: facts, if any.
        hint: what to do next, if known.
        position: 1-based offset of a character of the statement, if known.
        retryable: whether the same request can succeed later.
    """

    def __init__(
        self,
        message: str,
        *,
        sqlstate: str | None = None,
        detail: str | None = None,
        hint: str | None = None,
        position: int | None = None,
        retryable: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.sqlstate = sqlstate
        self.detail = detail
        self.hint = hint
        self.position = position
        self.retryable = retryable
        self.retry_after_s = 0.0
        """How long the gateway asks to wait before the next attempt."""

    def __str__(self) -> str:
        """Return the message, its detail and its hint, each on a line."""
        lines = [self.message]
        lines += [f"DETAIL: {self.detail}"] if self.detail else []
        lines += [f"HINT: {self.hint}"] if self.hint else []
        return "\n".join(lines)


class InterfaceError(Error):
    """The client was used wrongly: a closed cursor, a parameter of an unknown type."""


class DatabaseError(Error):
    """The gateway has answered with an error, or not at all."""


class DataError(DatabaseError):
    """A value does not parse, is out of range, or has no equal in Python."""


class OperationalError(DatabaseError):
    """No gateway has answered, or it cannot answer now."""


class IntegrityError(DatabaseError):
    """A constraint; never raised, because statements only read."""


class InternalError(DatabaseError):
    """The state of a transaction, or a bug."""


class ProgrammingError(DatabaseError):
    """The statement or the request is wrong."""


class NotSupportedError(DatabaseError):
    """SQL that the gateway does not run, or a library that is not installed."""


PROTOCOL_VIOLATION: Final = "08P01"
NO_CONNECTION: Final = "08001"
CONNECTION_LOST: Final = "08006"
OUT_OF_TIME: Final = "57014"

_CLASSES: dict[str, type[DatabaseError]] = {
    PROTOCOL_VIOLATION: ProgrammingError,
    "08": OperationalError,
    "0A": NotSupportedError,
    "21": ProgrammingError,
    "22": DataError,
    "25": InternalError,
    "26": ProgrammingError,
    "28": OperationalError,
    "34": ProgrammingError,
    "3B": OperationalError,
    "3F": ProgrammingError,
    "42": ProgrammingError,
    "53": OperationalError,
    "54": OperationalError,
    "55": OperationalError,
    "57": OperationalError,
    "58": OperationalError,
    "72": OperationalError,
    "XX": InternalError,
}
_RETRYABLE_STATUSES: Final = frozenset({502, 503, 504})
"""Statuses that a proxy sends while no gateway answers behind it."""


def class_of(sqlstate: str) -> type[DatabaseError]:
    """Return the class of the errors with a SQLSTATE: by its code, then by its class."""
    return _CLASSES.get(sqlstate) or _CLASSES.get(sqlstate[:2]) or DatabaseError


def error_of(document: Mapping[str, Any]) -> DatabaseError:
    """Return the error of an answer's member `error`."""
    sqlstate = str(document.get("sqlstate") or "XX000")
    return class_of(sqlstate)(
        str(document.get("message")),
        sqlstate=sqlstate,
        detail=document.get("detail"),
        hint=document.get("hint"),
        position=document.get("position"),
        retryable=bool(document.get("retryable")),
    )


def not_a_gateway(url: str, status: int) -> OperationalError:
    """Return the error for an answer that no gateway has sent."""
    return OperationalError(
        f"{url} does not answer like a gateway: HTTP status {status}",
        sqlstate=NO_CONNECTION,
        retryable=status in _RETRYABLE_STATUSES,
    )


def broken_off(why: str) -> OperationalError:
    """Return the error for an answer without its end."""
    return OperationalError(
        f"the answer broke off: {why}", sqlstate=CONNECTION_LOST, retryable=True
    )
