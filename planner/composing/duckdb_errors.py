"""DuckDB's errors translated: PostgreSQL's message, SQLSTATE, and position in the client's text.

An error is recognised by its message, or else by its class. If DuckDB changes its wording, only
the tables have to change.
"""

from __future__ import annotations

import logging
import re

from planner.composing.database import OUT_OF_MEMORY, ROW_TOO_LONG, STREAM, DatabaseError
from planner.composing.functions.raising import raised_error
from planner.errors import (
    InternalError,
    InvalidSyntaxError,
    InvalidValueError,
    LimitExceededError,
    MismatchedTypeError,
    NotSupportedError,
    QueryCancelledError,
    QueryError,
    UnknownNameError,
    out_of_memory,
)
from planner.postgres.refused import NO_FUNCTION
from planner.trees.outline import Outline

_logger = logging.getLogger(__name__)

_BY_ZERO = "Division by zero"
_QUOTED = re.compile(rf"(?<={_BY_ZERO}) in expression \(|\n\nLINE \d+: ")
"""Where DuckDB begins to quote the statement, which is not part of the message."""

_NUMBER = r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*"
_PATTERNS: tuple[tuple[str, type[QueryError], str, str], ...] = (
    (
        r'Referenced column "(?P<name>[^"]+)"',
        UnknownNameError,
        'column "{name}" does not exist',
        "42703",
    ),
    (
        r'(?:Table|Values list) "(?P<table>[^"]+)" does not have a column named "(?P<name>[^"]+)"',
        UnknownNameError,
        "column {table}.{name} does not exist",
        "42703",
    ),
    (
        r'Referenced table "(?P<name>[^"]+)" not found',
        UnknownNameError,
        'missing FROM-clause entry for table "{name}"',
        "42P01",
    ),
    (
        r'Ambiguous reference to column name "(?P<name>[^"]+)"',
        UnknownNameError,
        'column reference "{name}" is ambiguous',
        "42702",
    ),
    (
        r"(?:Function|Macro Function) with name (?P<name>\S+) does not exist",
        UnknownNameError,
        "function {name}() does not exist",
        "42883",
    ),
    (
        r"Macro (?:pg_sg_(?:cat_)?)?(?P<name>\w+)\(\) does not support the supplied arguments",
        UnknownNameError,
        "function {name}() does not exist",
        "42883",
    ),
    (
        r"No function matches the given name and argument types '(?P<name>[^']+)'",
        UnknownNameError,
        "function {name} does not exist",
        "42883",
    ),
    (
        r"Type with name (?P<name>\S+) does not exist",
        UnknownNameError,
        'type "{name}" does not exist',
        "42704",
    ),
    (
        r"Overflow in \w+ of (?P<type>INT(?:16|32|64)) (?P<name>\()",
        InvalidValueError,
        "{type} out of range",
        "22003",
    ),
    (
        r"Malformed JSON (?P<name>at byte \d+) of input",
        InvalidValueError,
        "invalid input syntax for type json",
        "22P02",
    ),
    (
        r'column "(?P<name>[^"]+)" must appear in the GROUP BY clause',
        InvalidSyntaxError,
        'column "{name}" must appear in the GROUP BY clause or be used in an aggregate function',
        "42803",
    ),
    (
        r"(?P<name>WHERE|HAVING|GROUP BY|JOIN) clause cannot contain aggregate",
        InvalidSyntaxError,
        "aggregate functions are not allowed in {name}",
        "42803",
    ),
    (
        r"aggregate function calls cannot be (?P<name>nested)",
        InvalidSyntaxError,
        "aggregate function calls cannot be nested",
        "42803",
    ),
    (
        r"[Aa]rgument for (?P<name>ntile) must be greater than zero",
        InvalidValueError,
        "argument of ntile must be greater than zero",
        "22014",
    ),
    (
        r"Could not convert string '(?P<name>.*)' to INTERVAL",
        InvalidValueError,
        'invalid input syntax for type interval: "{name}"',
        "22007",
    ),
    (
        rf"Could not convert string ['\"](?P<name>{_NUMBER})['\"] to DECIMAL",
        InvalidValueError,
        "numeric field overflow",
        "22003",
    ),
    (
        r"Could not convert string '(?P<name>\s*[+-]?\d+\s*)' to (?P<type>INT\d+)",
        InvalidValueError,
        'value "{name}" is out of range for type {type}',
        "22003",
    ),
    (
        r"Could not convert string '(?P<name>.*)' to (?P<type>[A-Z][A-Z0-9() ,]*)",
        InvalidValueError,
        'invalid input syntax for type {type}: "{name}"',
        "22P02",
    ),
    (
        r"(?:Could not cast|Casting) value \"?(?P<name>[^\s\"]+)\"? to (?:type )?DECIMAL",
        InvalidValueError,
        "numeric field overflow",
        "22003",
    ),
    (
        r"(?P<what>Date|Time) out of range: (?P<name>\S+)",
        InvalidValueError,
        'date/time field value out of range: "{name}"',
        "22008",
    ),
    (
        r"while executing the UDF: (?P<name>OverflowError)",
        InvalidValueError,
        "timestamp out of range",
        "22008",
    ),
    (
        r"More than one row returned by a (?P<name>subquery)",
        InvalidValueError,
        "more than one row returned by a subquery used as an expression",
        "21000",
    ),
    (
        r"cannot take (?P<what>square root) of a (?P<name>negative) number",
        InvalidValueError,
        "cannot take square root of a negative number",
        "2201F",
    ),
    (
        r"cannot take logarithm of (?P<name>zero|a negative number)",
        InvalidValueError,
        "cannot take logarithm of {name}",
        "2201E",
    ),
    (
        r"(?P<name>missing \)|missing \]|unexpected \)|invalid escape sequence|"
        r"bad repetition operator|no argument for repetition operator|"
        r"invalid character class range|invalid perl operator)",
        InvalidValueError,
        "invalid regular expression: {name}",
        "2201B",
    ),
    (
        r"Invalid (?P<name>escape string)\. Escape string must be empty or one character",
        InvalidValueError,
        "invalid escape string",
        "22025",
    ),
    (
        r"Like pattern must not end with (?P<name>escape character)",
        InvalidValueError,
        "LIKE pattern must not end with escape character",
        "22025",
    ),
    (
        r"aggregate function calls cannot contain (?P<name>window) function calls",
        InvalidSyntaxError,
        "aggregate function calls cannot contain window function calls",
        "42803",
    ),
    (
        r"invalid (?P<what>timestamp|date|time|interval) field format: \"(?P<name>[^\"]*)\"",
        InvalidValueError,
        'invalid input syntax for type {what}: "{name}"',
        "22007",
    ),
    (
        r"(?:timestamp|date|time) field value out of range: \"(?P<name>[^\"]*)\"",
        InvalidValueError,
        'date/time field value out of range: "{name}"',
        "22008",
    ),
    (
        r"with value (?P<name>\S+) can't be cast because the value is out of range for the "
        r"destination type (?P<type>[A-Z][A-Z0-9() ,]*)",
        InvalidValueError,
        'value "{name}" is out of range for type {type}',
        "22003",
    ),
    (
        r"Failed to cast decimal value (?P<name>\S+) to type (?P<type>[A-Z][A-Z0-9]*)",
        InvalidValueError,
        "{type} out of range",
        "22003",
    ),
    (
        r"(?P<name>ACOS|ASIN) is undefined outside",
        InvalidValueError,
        "input is out of range",
        "22003",
    ),
    (
        r"(?P<name>Epoch seconds) out of range",
        InvalidValueError,
        "timestamp out of range",
        "22008",
    ),
    (
        r'[Ee]xtract specifier "(?P<name>[^"]*)" not recognized',
        InvalidValueError,
        'unit "{name}" not recognized',
        "22023",
    ),
    (
        r"Unknown TimeZone '(?P<name>[^']*)'",
        InvalidValueError,
        'time zone "{name}" not recognized',
        "22023",
    ),
    (
        r"Overflow in (?P<name>multiplication|addition|subtraction) of INTERVAL",
        InvalidValueError,
        "interval out of range",
        "22008",
    ),
    (
        r"Set operations can only apply to expressions with the same number of (?P<name>result)",
        InvalidSyntaxError,
        "each side of a set operation must have the same number of columns",
        "42601",
    ),
    (
        r"(?P<what>ORDER|GROUP) (?:BY )?term (?P<name>out of range)",
        InvalidSyntaxError,
        "{what} BY position is not in select list",
        "42P10",
    ),
    (
        r"LIMIT/OFFSET cannot be (?P<name>negative)",
        InvalidValueError,
        "LIMIT and OFFSET must not be negative",
        "2201W",
    ),
)
"""DuckDB's message → error class, message and SQLSTATE. The group `name` has the position."""
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
}
"""DuckDB's name of a type → PostgreSQL's."""
_TYPE_NAME = re.compile(r"\b(TIMESTAMP WITH TIME ZONE|[A-Z][A-Z_]+[0-9]*)\b")
_SHORTER_ROWS = "At most 16 MiB are returned; select part of the text or array."
_CLASSES: dict[str, tuple[type[QueryError], str]] = {
    ROW_TOO_LONG: (LimitExceededError, "54000"),
    OUT_OF_MEMORY: (LimitExceededError, "53200"),
    "Interrupt": (QueryCancelledError, "57014"),
    "OutOfRange": (InvalidValueError, "22003"),
    "Conversion": (InvalidValueError, "22P02"),
    "TypeMismatch": (MismatchedTypeError, "42804"),
    "Parser": (InvalidSyntaxError, "42601"),
    "Syntax": (InvalidSyntaxError, "42601"),
    "Permission": (NotSupportedError, "42501"),
    "NotImplemented": (NotSupportedError, "0A000"),
    "Catalog": (UnknownNameError, "42704"),
    "Binder": (MismatchedTypeError, "42804"),
    "InvalidInput": (InvalidValueError, "22023"),
    STREAM: (InternalError, "XX000"),
}
"""Kind of DuckDB's errors → error class and SQLSTATE."""


def translate(error: DatabaseError, outline: Outline) -> QueryError:
    """Return a DuckDB error with PostgreSQL's message and SQLSTATE, and its position if known."""
    text = _QUOTED.split(str(error), maxsplit=1)[0]
    if (raised := raised_error(str(error), text)) is not None:
        return raised
    for pattern, kind, message, sqlstate in _PATTERNS:
        if found := re.search(pattern, text):
            names = found.groupdict()
            shown = {
                name: _our_types(said) if name == "type" or "(" in said else said
                for name, said in names.items()
            }
            return kind(
                _said(message.format(**shown), sqlstate, outline),
                hint=_candidates(text) or (NO_FUNCTION if sqlstate == "42883" else None),
                position=outline.position(names["name"]),
                sqlstate=sqlstate,
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
