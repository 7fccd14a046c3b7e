"""Statements whose parameters have inferred types, for each function, operator and argument.

The signatures of functions come from PostgreSQL's catalog. In each call each argument in turn is a
parameter, and finally all of them are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stategate.planner.postgres.types.functions import FUNCTIONS

EXPRESSIONS = {
    "smallint": "s",
    "integer": "i",
    "bigint": "b",
    "numeric": "n",
    "double precision": "d",
    "real": "r",
    "text": "t",
    "boolean": "f",
    "date": "day",
    "timestamp without time zone": "at",
    "timestamp with time zone": "tz",
    "time without time zone": "time '10:00'",
    "interval": "(tz - tz)",
    "jsonb": "j::jsonb",
    "json": "j",
    "bytea": "'x'::bytea",
    "text[]": "string_to_array(t, 'b')",
    "anyarray": "a",
    "anyelement": "b",
    "anycompatiblearray": "a",
    "anycompatible": "b",
    "any": "t",
}
"""An expression over `samples` for each type."""
OPERATORS = ("+", "-", "*", "/", "%", "^", "||", "=", "<", "~", "LIKE", "->", "->>", "#>", "#>>")
SIGNATURES = """
    SELECT DISTINCT proname, array(SELECT format_type(unnest(proargtypes), NULL)) AS given
    FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND provariadic = 0 AND prokind <> 'p'
      AND prorettype <> 'internal'::regtype AND proargtypes <> '' AND proname = ANY(%s)
    ORDER BY 1, 2
"""
"""A query for the signatures of functions by name."""
NAMES = sorted(FUNCTIONS)
"""The names of the functions."""


def statements(signatures: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Yield the statements, each once."""
    found: dict[str, None] = {}
    for name, given in signatures:
        if all(each in EXPRESSIONS for each in given):
            arguments = [EXPRESSIONS[each] for each in given]
            for chosen in _chosen(arguments):
                found[f"SELECT {name}({', '.join(chosen)}) FROM samples"] = None
    for operator in OPERATORS:
        for expression in dict.fromkeys((*EXPRESSIONS.values(), "'1'", "NULL")):
            found[f"SELECT $1 {operator} {expression} FROM samples"] = None
            found[f"SELECT {expression} {operator} $1 FROM samples"] = None
    yield from found


def _chosen(arguments: list[str]) -> Iterator[list[str]]:
    for at in range(len(arguments)):
        yield [*arguments[:at], "$1", *arguments[at + 1 :]]
    if len(arguments) > 1:
        yield [f"${n}" for n in range(1, len(arguments) + 1)]
