"""Errors of Spark Connect as ours, with PostgreSQL's codes and words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from pyspark.errors import AnalysisException, ParseException, PySparkException
from pyspark.errors.exceptions.connect import SparkConnectGrpcException

from stategate.stores.errors import EngineError, EngineInterruptedError, StoreError

RAISED = "stategate error "
"""Prefix of errors that a statement raises itself; SQLSTATE, a space and the message follow."""
_OURS = "stategate.stores.errors."
"""How a traceback names the errors of our data source."""
_DETAIL_MAX = 500
"""Characters of Spark's own message that are shown."""


class _Known(NamedTuple):
    sqlstate: str
    message: str


_RANGE = _Known("22003", "value out of range")
_MEMORY = _Known("53200", "out of memory in Spark")
_KNOWN: Mapping[str, _Known] = {
    "DIVIDE_BY_ZERO": _Known("22012", "division by zero"),
    "REMAINDER_BY_ZERO": _Known("22012", "division by zero"),
    "ARITHMETIC_OVERFLOW": _RANGE,
    "BINARY_ARITHMETIC_OVERFLOW": _RANGE,
    "CAST_OVERFLOW": _RANGE,
    "NUMERIC_VALUE_OUT_OF_RANGE": _RANGE,
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": _RANGE,
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": _Known(
        "21000", "more than one row returned by a subquery used as an expression"
    ),
    "UNABLE_TO_ACQUIRE_MEMORY": _MEMORY,
    "AGGREGATE_OUT_OF_MEMORY": _MEMORY,
}
"""Spark's conditions, without what follows a point."""
_LOST = frozenset({"SESSION_CHANGED", "SESSION_CLOSED", "SESSION_NOT_FOUND"})
_LOST_CODES = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "UNAUTHENTICATED", "CANCELLED"})


def is_lost(error: BaseException) -> bool:
    """Whether the session, or the connection to the server, is lost."""
    if not isinstance(error, PySparkException) or is_stopped(error):
        return True
    condition = error.getCondition() or ""
    if condition.rpartition(".")[2] in _LOST:
        return True
    if isinstance(error, SparkConnectGrpcException) and not error.getCondition():
        code = error.getGrpcStatusCode()
        return code is None or code.name in _LOST_CODES
    return "RETRIES_EXCEEDED" in condition


def is_stopped(error: BaseException) -> bool:
    """Whether the server answers, but its Spark has stopped."""
    return "stopped SparkContext" in str(error)


def said(error: BaseException) -> str:
    """Return what an error says in one line, without the form of gRPC."""
    text = str(error).strip()
    details = re.search(r'details = "(.*)"', text)
    return details[1] if details else text.partition("\n")[0] or type(error).__name__


def unavailable(detail: str | None) -> EngineError:
    """Return the error while the engine does not run; the same statement can succeed later."""
    return EngineError(
        "the Spark engine is not running",
        sqlstate="57P03",
        detail=detail,
        hint="Retry later, or SET stategate.engine = 'local'.",
    )


def translated(error: PySparkException) -> StoreError:
    """Return an error of Spark as ours."""
    condition = (error.getCondition() or "").partition(".")[0]
    text = _text(error)
    if condition == "OPERATION_CANCELED":
        return EngineInterruptedError("the statement was interrupted")
    if RAISED in text:
        sqlstate, _, message = text.partition(RAISED)[2].partition(" ")
        return EngineError(
            message.partition(" SQLSTATE:")[0].strip().rstrip("."), sqlstate=sqlstate
        )
    known = _KNOWN.get(condition)
    if known is not None:
        return EngineError(known.message, sqlstate=known.sqlstate)
    if _OURS in text or condition.startswith("PYTHON_DATA_SOURCE"):
        return EngineError(
            "Spark cannot read a store",
            sqlstate="58030",
            detail=_cause(text)[:_DETAIL_MAX],
            hint="Retry, if the log has removed the epoch meanwhile.",
        )
    if isinstance(error, AnalysisException | ParseException):
        return EngineError(
            "Spark does not run this statement",
            sqlstate="0A000",
            detail=text[:_DETAIL_MAX],
            hint="SET stategate.engine = 'local' runs it in the gateway.",
        )
    return EngineError("Spark failed", sqlstate="58030", detail=text[:_DETAIL_MAX])


def _text(error: PySparkException) -> str:
    """Return the message without the stack of the JVM."""
    return str(error).partition("\n\nJVM stacktrace:")[0].strip()


def _cause(text: str) -> str:
    """Return the last line of a Python traceback, which has the message of our data source."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith(_OURS)]
    return ours[-1].partition(": ")[2] if ours else (lines[0] if lines else "")
