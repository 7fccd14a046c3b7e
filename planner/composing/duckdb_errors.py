"""DuckDB's errors translated: PostgreSQL's message, SQLSTATE, and position in the client's text.

An error is recognised by its message, or else by its class. If DuckDB changes its wording, only
the tables have to change (`duckdb_messages`).
"""

from __future__ import annotations

import logging
import re

from stategate.planner.composing.database import OUT_OF_MEMORY, ROW_TOO_LONG, STREAM, DatabaseError
from stategate.planner.composing.duckdb_messages import MESSAGES
from stategate.planner.composing.functions.raising import raised_error
from stategate.planner.errors import (
    TOO_MANY_FILES,
    InternalError,
    InvalidValueError,
    LimitExceededError,
    NotSupportedError,
    QueryCancelledError,
    QueryError,
    out_of_files,
    out_of_memory,
)
from stategate.planner.postgres.refused import NO_FUNCTION
from stategate.planner.trees.outline import Outline

_logger = logging.getLogger(__name__)

_BY_ZERO = "Division by zero"
_QUOTED = re.compile(rf"(?<={_BY_ZERO}) in expression \(|\n\nLINE \d+: ")
"""Where DuckDB begins to quote the statement, which is not part of the message."""

_TYPE_NAMES = {
    "INT8": "tinyint",
    "INT16": "smallint",
    "INT32": "integer",
    "INT64": "bigint",
    "TINYINT": "tinyint",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "DOUBLE": "double",
    "BOOLEAN": "boolean",
    "BOOL": "boolean",
    "VARCHAR": "text",
    "INTEGER_LITERAL": "integer",
    "STRING_LITERAL": "text",
    "BLOB": "bytea",
    "DATE": "date",
    "UUID": "uuid",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
    "TIMESTAMP": "timestamp",
    "TIME": "time",
    "INTERVAL": "interval",
    "DECIMAL": "numeric",
}
"""DuckDB's name of a type → PostgreSQL's."""
_TYPE_NAME = re.compile(r"\b(TIMESTAMP WITH TIME ZONE|[A-Z][A-Z_]+[0-9]*)\b")
_SHORTER_ROWS = "At most 16 MiB are returned; select part of the text or array."
_OF_STATEMENTS = (
    *("Binder", "Catalog", "NotImplemented", "Parser", "Serialization", "Syntax", "TypeMismatch"),
)
"""Errors of the statement, not of its values. Our own checks took it, so PostgreSQL may run it."""
_CLASSES: dict[str, tuple[type[QueryError], str]] = {
    ROW_TOO_LONG: (LimitExceededError, "54000"),
    OUT_OF_MEMORY: (LimitExceededError, "53200"),
    "Interrupt": (QueryCancelledError, "57014"),
    "OutOfRange": (InvalidValueError, "22003"),
    "Conversion": (InvalidValueError, "22P02"),
    "Permission": (NotSupportedError, "42501"),
    **dict.fromkeys(_OF_STATEMENTS, (NotSupportedError, "0A000")),
    "InvalidInput": (InvalidValueError, "22023"),
    STREAM: (InternalError, "XX000"),
}
"""Kind of DuckDB's errors → error class and SQLSTATE."""


def translate(error: DatabaseError, outline: Outline) -> QueryError:
    """Return a DuckDB error with PostgreSQL's message and SQLSTATE, and its position if known."""
    text = _QUOTED.split(str(error), maxsplit=1)[0]
    is_out = TOO_MANY_FILES in text
    if (raised := out_of_files() if is_out else raised_error(str(error), text)) is not None:
        return raised
    for pattern, kind, message, sqlstate in MESSAGES:
        if found := re.search(pattern, text):
            names = found.groupdict()
            shown = {
                name: _our_types(said) if name in {"type", "other"} or "(" in said else said
                for name, said in names.items()
            }
            error_class, code = kind, sqlstate
            if message.startswith("function {name} ") and not outline.calls(names["name"]):
                error_class, code = NotSupportedError, "0A000"  # a function that a rule calls
            return error_class(
                _said(message.format(**shown), sqlstate, outline),
                hint=_candidates(text) or (NO_FUNCTION if code == "42883" else None),
                position=outline.position(names["name"]),
                sqlstate=code,
            )
    if "Max expression depth limit" in text:
        return LimitExceededError("statement is nested too deep")
    if _BY_ZERO in text:
        return InvalidValueError("division by zero", sqlstate="22012")
    said = outline.in_words_of_statement(_our_types(_first_sentence(text)))
    if error.kind in _CLASSES:
        return _of_kind(error.kind, said)
    # The message may contain a value, and values must not be logged.
    _logger.error("composition failed kind=%s", error.kind)
    _logger.debug("composition failed error=%s", text)
    return InternalError(said)


def _said(message: str, sqlstate: str, outline: Outline) -> str:
    return outline.in_words_of_statement(message) if sqlstate == "42883" else message


def _of_kind(kind: str, said: str) -> QueryError:
    if kind == OUT_OF_MEMORY:
        return out_of_memory(said)
    ours, sqlstate = _CLASSES[kind]
    hint = _SHORTER_ROWS if kind == ROW_TOO_LONG else None
    return ours(said, hint=hint, sqlstate=sqlstate)


def _first_sentence(text: str) -> str:
    line = text.split("\n", maxsplit=1)[0]
    said = re.sub(r"^[A-Za-z ]+ Error: ", "", line).rstrip(".! ")
    return said[:1].lower() + said[1:] if said[1:2].islower() else said


def _our_types(text: str) -> str:
    return _TYPE_NAME.sub(lambda found: _TYPE_NAMES.get(found[0], found[0]), text).strip()


def _candidates(text: str) -> str | None:
    found = re.search(r"(?:Candidate bindings|Did you mean):? (?P<names>.*)", text)
    names = re.findall(r'"([^"]+)"', found["names"]) if found else []
    visible = [name for name in names if not re.fullmatch(r"r+\d+(\..*)?", name)][:3]
    return f"Perhaps you meant {' or '.join(visible)}." if visible else None
