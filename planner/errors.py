"""The errors of statements, each class with its SQLSTATE.

A class exists only where a caller would act differently on it. Where one class covers several
codes, an instance sets its own `sqlstate`. The gateway turns errors into ErrorResponse and HTTP
bodies. This module imports no other module: composing processes raise these errors, and import
little.
"""

from __future__ import annotations

from typing import ClassVar

RAISED = "stategate error "
"""Prefix of the errors that a macro raises; SQLSTATE, a space and the message follow."""
BETWEEN_PARTS = "\x1f"
"""What stands before the detail and the hint that may follow the message, each."""


class QueryError(Exception):
    """The root of all errors of statements.

    Args:
        message: one lower-case clause without a full stop, naming the kind and the name.
        detail: facts, as sentences.
        hint: what to do next, as a sentence.
        position: 1-based character offset of the offending word in the statement's text.
        sqlstate: overrides the class's code.
    """

    sqlstate: str = "XX000"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        message: str,
        *,
        detail: str | None = None,
        hint: str | None = None,
        position: int | None = None,
        sqlstate: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position
        if sqlstate is not None:
            self.sqlstate = sqlstate


class InvalidSyntaxError(QueryError):
    """The text is not SQL (42601)."""

    sqlstate = "42601"


class UnknownNameError(QueryError):
    """An unknown or ambiguous relation, column, function or type (42P01 and similar codes)."""

    sqlstate = "42P01"


class MismatchedTypeError(QueryError):
    """Values of types that do not match (42804)."""

    sqlstate = "42804"


class InvalidValueError(QueryError):
    """A value that does not parse, is out of range or is not allowed (22023 and similar codes)."""

    sqlstate = "22023"


class NotSupportedError(QueryError):
    """SQL that is not supported (0A000), or a write (25006)."""

    sqlstate = "0A000"


class TransactionError(QueryError):
    """The transaction's state does not allow the statement (25P02, 3B001 and similar codes)."""

    sqlstate = "25P02"


class LimitExceededError(QueryError):
    """A limit of the gateway was reached (54000, 54001, 53200, 53300)."""

    sqlstate = "54000"


def out_of_memory(detail: str | None = None) -> LimitExceededError:
    """Return the error of a statement that needs more memory than there is (53200)."""
    return LimitExceededError(
        "out of memory",
        detail=detail,
        hint="Sort, group or join fewer rows at once, or raise memory_bytes_max.",
        sqlstate="53200",
    )


TOO_MANY_FILES = "Too many open files"
"""What the operating system says, and after it Python, Arrow, RocksDB and DuckDB."""
_CAUSES_MAX = 16


def is_out_of_files(error: BaseException | None) -> bool:
    """Whether an error comes from the limit of open files, itself or by its cause."""
    for _ in range(_CAUSES_MAX):
        if error is None:
            return False
        if TOO_MANY_FILES in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def out_of_files(detail: str | None = None) -> UnavailableError:
    """Return the error of a statement that needs a file, when no more may be open (53000)."""
    return UnavailableError(
        "too many open files",
        detail=detail,
        hint="Retry. Raise the gateway's limit of open files (ulimit -n), or lower open_files or "
        "the limits of connections.",
        sqlstate="53000",
    )


class QueryCancelledError(QueryError):
    """The statement was cancelled, or reached its deadline (57014)."""

    sqlstate = "57014"


class UnavailableError(QueryError):
    """A partition cannot answer now; the same statement can succeed later (class 55)."""

    sqlstate = "55000"
    retryable = True


class SnapshotTooOldError(QueryError):
    """A transaction reads at an epoch that is no longer kept; begin it again (72000)."""

    sqlstate = "72000"
    retryable = True


class StoreFailedError(QueryError):
    """A store failed while it answered (58030)."""

    sqlstate = "58030"


class InternalError(QueryError):
    """A bug of the gateway (XX000)."""
