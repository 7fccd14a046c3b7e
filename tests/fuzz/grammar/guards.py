"""Expressions that fail for some values of a column, each where PostgreSQL does not compute it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.fuzz.grammar.vocabulary import ORDERABLE
from tests.fuzz.tree import FIXED, Node


@dataclass(frozen=True, slots=True)
class Failing:
    """An expression of a column, and the condition that it does not fail."""

    of: str
    """Type of the column."""
    text: str
    sort: str
    condition: str


FAILING = (
    Failing("integer", "10 / c", "integer", "c <> 0"),
    Failing("integer", "7 % c", "integer", "c <> 0"),
    Failing("integer", "100 / (c - 2)", "integer", "c > 2"),
    Failing("integer", "c + 2147483646", "integer", "c < 2"),
    Failing("integer", "(c * 20000)::smallint", "smallint", "c = 1"),
    Failing("integer", "sqrt(c)", "double precision", "c >= 0"),
    Failing("integer", "ln(c::numeric)::numeric(9,3)", "numeric", "c > 0"),
    Failing("integer", "1.5 / c", "numeric", "c <> 0"),
    Failing("integer", "chr(c)", "text", "c > 0"),
    Failing("integer", "make_date(2020, c, 1)", "date", "c BETWEEN 1 AND 12"),
    Failing("integer", "make_interval(hours => 1 / c)", "interval", "c <> 0"),
    Failing("integer", "(repeat('x', c) || '1')::bigint", "bigint", "c <= 0"),
    Failing("integer", "set_byte('\\x0102'::bytea, c, 7)", "bytea", "c IN (0, 1)"),
    Failing("integer", "('{\"a\":' || repeat('}', c))::jsonb", "jsonb", "c IS NULL"),
    Failing("integer", "(c::text || 'x')::integer", "integer", "c IS NULL"),
    Failing("integer", "(c || '-01-01')::timestamp", "timestamp", "c = 7"),
    Failing("text", "c::integer", "integer", "c = '1'"),
    Failing("text", "c::numeric", "numeric", "c ~ '^[0-9]+$'"),
    Failing("text", "c::boolean", "boolean", "c IN ('true', 'f')"),
    Failing("text", "c::date", "date", "c LIKE '2020-%'"),
    Failing("text", "c::timestamptz", "timestamptz", "c LIKE '2020-%'"),
    Failing("text", "c::json::text", "text", "c IN ('1', '[]')"),
    Failing("text", "c::uuid", "uuid", "c IS NULL"),
    Failing("text", "c::bigint[]", "bigint[]", "c IN ('{}', '{1}')"),
    Failing("text", "decode(c, 'hex')", "bytea", "c IN ('', 'ab')"),
    Failing("bigint", "c + 9223372036854775807", "bigint", "c <= 0"),
    Failing("bigint", "c::integer", "integer", "abs(c / 2) < 100"),
    Failing("bigint", "7 / c", "bigint", "c <> 0"),
    Failing("numeric", "1 / c", "numeric", "c <> 0"),
    Failing("numeric", "c::smallint", "smallint", "c BETWEEN -9 AND 9"),
    Failing("double precision", "1 / c", "double precision", "c <> 0"),
    Failing("double precision", "c::bigint", "bigint", "c BETWEEN -9 AND 9"),
    Failing("jsonb", "c::integer", "integer", "jsonb_typeof(c) = 'number'"),
    Failing("jsonb", "jsonb_array_length(c)", "integer", "jsonb_typeof(c) = 'array'"),
    Failing("timestamptz", "(c + interval '8000 years')::date", "date", "c < '1000-01-01'"),
)
_ANYWHERE = (
    "(CASE WHEN {g} THEN {e} END)",
    "(CASE WHEN NOT ({g}) THEN NULL ELSE {e} END)",
    "(CASE WHEN {g} THEN (SELECT {e}) END)",
    "(CASE ({g}) WHEN true THEN (SELECT {e} FROM (VALUES (1)) q (zz) WHERE zz = 1) END)",
    "coalesce((CASE WHEN {g} THEN NULL ELSE {o} END), {e})",
    "coalesce((CASE WHEN NOT ({g}) THEN {o} END), (SELECT {e}))",
)
_ORDERED = (
    "(CASE WHEN {g} THEN (SELECT max({e}) FROM (VALUES (1), (2)) q (zz)) END)",
    "coalesce((CASE WHEN NOT ({g}) THEN {o} END), (SELECT min({e}) FROM (VALUES (1)) q (zz)))",
)
_CONDITIONS = (
    "({g} AND ({e}) IS NOT NULL)",
    "(NOT ({g}) OR ({e}) IS NULL)",
    "(({g} AND ({e}) = {o}) IS TRUE)",
    "(NOT ({g}) OR EXISTS (SELECT 1 FROM (VALUES (1)) q (zz) WHERE ({e}) IS NOT NULL AND zz = 1))",
    "({g} AND ({e}) IN (SELECT {e}))",
)
_AGGREGATES = (
    "count({e}) FILTER (WHERE {g})",
    "count(DISTINCT {e}) FILTER (WHERE {g})",
    "count(*) FILTER (WHERE {g} AND ({e}) IS NOT NULL)",
    "array_agg({e} ORDER BY {e}) FILTER (WHERE {g})",
    "bool_or(({e}) IS NULL) FILTER (WHERE {g})",
    "count(CASE WHEN {g} THEN {e} END)",
)
_EXTREMES = (
    "min({e}) FILTER (WHERE {g})",
    "max({e}) FILTER (WHERE {g} AND ({e}) IS NOT NULL)",
)
_SUMS = ("sum({e}) FILTER (WHERE {g})", "avg(DISTINCT {e}) FILTER (WHERE {g})")
_SUMMED = frozenset({"integer", "smallint", "bigint"})
_NO_EXTREMES = frozenset({"boolean", "uuid", "bytea", "jsonb", "bigint[]"})
_PLAIN: dict[str, str] = {
    "integer": "1",
    "smallint": "1::smallint",
    "bigint": "1::bigint",
    "numeric": "1.5",
    "double precision": "0.5::double precision",
    "text": "'a'",
    "boolean": "true",
    "date": "date '2020-02-29'",
    "timestamp": "timestamp '2020-02-29 01:02:03'",
    "timestamptz": "timestamptz '2020-02-29 01:02:03+00'",
    "interval": "interval '1 day'",
    "bytea": "'\\x00'::bytea",
    "jsonb": "'[1]'::jsonb",
    "uuid": "'6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a02'::uuid",
    "bigint[]": "'{1}'::bigint[]",
}


def guarded(
    chance: random.Random, sort: str, columns: Sequence[tuple[str, str]], *, aggregate: bool = False
) -> Node | None:
    """Draw an expression that fails where PostgreSQL does not compute it, if there can be one.

    Args:
        chance: decides.
        sort: its type; for an aggregate it is not used.
        columns: visible columns, with their types.
        aggregate: draw an aggregate.
    """
    kinds = {of for _, of in columns}
    wanted = [
        each
        for each in FAILING
        if each.of in kinds and (aggregate or sort in {each.sort, "boolean"})
    ]
    if not wanted:
        return None
    failing = chance.choice(wanted)
    column = chance.choice([name for name, of in columns if of == failing.of])
    contexts: list[str] = []
    extremes = failing.sort in ORDERABLE and failing.sort not in _NO_EXTREMES
    if aggregate:
        contexts += [*_AGGREGATES, *(_EXTREMES if extremes else ())]
        contexts += _SUMS if failing.sort in _SUMMED else ()
    else:
        if failing.sort == sort:
            contexts += [*_ANYWHERE, *(_ORDERED if extremes else ())]
        if sort == "boolean":
            contexts += _CONDITIONS
    text = chance.choice(contexts).replace("{o}", _PLAIN[failing.sort])
    text = text.replace("{g}", _of(failing.condition, column))
    return Node(FIXED, (text.replace("{e}", _of(failing.text, column)),), None)


def _of(text: str, column: str) -> str:
    """Return an expression of a column, which is written `c`."""
    quoted = False
    found = []
    for at, sign in enumerate(text):
        quoted ^= sign == "'"
        around = text[at - 1 : at] + text[at + 1 : at + 2]
        is_column = sign == "c" and not quoted and not any(map(str.isidentifier, around))
        found.append(column if is_column else sign)
    return "".join(found)
