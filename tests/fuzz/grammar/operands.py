"""Operators, and what compares or joins values, over all pairs of types.

Most pairs have no operator. The grammar draws what is well typed, so it never meets them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from tests.fuzz.tree import Node

_VALUES: Mapping[str, str] = {
    "smallint": "2",
    "integer": "3",
    "bigint": "5",
    "real": "1.5",
    "double precision": "2.5",
    "numeric": "4.25",
    "text": "'abc'",
    "varchar": "'abd'",
    "boolean": "true",
    "date": "'2024-02-03'",
    "time": "'03:04:05'",
    "timestamp": "'2024-02-03 04:05:06'",
    "timestamptz": "'2024-02-03 04:05:06+00'",
    "interval": "'1 day 2 hours'",
    "bytea": r"'\x6162'",
    "uuid": "'6b1c9a34-8a1b-4c1f-9f1a-3b1c9a348a1b'",
    "json": """'{"a": 1}'""",
    "jsonb": """'{"a": 1}'""",
    "inet": "'10.0.0.1'",
    "oid": "7",
    "name": "'nm'",
    "integer[]": "'{1,2}'",
    "text[]": "'{a,b}'",
    "numeric[]": "'{1.5}'",
    "date[]": "'{2024-01-01}'",
    "jsonb[]": "'{1}'",
    "boolean[]": "'{t}'",
}
"""A value of each type."""
_BARE = ("'1'", "'x'", "NULL", "1", "-1", "1.5", "ARRAY[1, 2]", "ROW(1, 2)")
_SYMBOLS = """
    + - * / % ^ || = <> < <= > >= -> ->> #> #>> #- @> <@ && ? ?| ?& @? @@ & | # << >>
    ~ !~ ~* !~* ~~ !~~ ~~* !~~* ^@ LIKE ILIKE AND OR
"""
_INFIX = (*_SYMBOLS.split(), "SIMILAR TO", "IS DISTINCT FROM", "AT TIME ZONE")
_PREFIX = ("+", "-", "~", "@", "|/", "||/", "NOT", "- -", "+ -")
_FORMS = (
    *(
        "CASE WHEN true THEN {} ELSE {} END",
        "coalesce({}, {})",
        "greatest({}, {})",
        "least({}, {})",
    ),
    *("nullif({}, {})", "(SELECT {} UNION ALL SELECT {} LIMIT 1)", "ARRAY[{}, {}]"),
    *("(SELECT v FROM (VALUES ({}), ({})) AS t (v) LIMIT 1)", "({}, 1) IN (VALUES ({}, 1))"),
    *("{} = ANY (ARRAY[{}])", "CASE {} WHEN {} THEN 1 END", "{} BETWEEN {} AND {}"),
    *("({}, 1) = ({}, 1)", "{} = ALL (SELECT {})", "ROW({}, 1) IS DISTINCT FROM ROW({}, 1)"),
    *("{} IN (SELECT {})", "{} IN ({}, NULL)", "{} NOT IN ({})", "{} = SOME (ARRAY[{}, NULL])"),
    *("ARRAY[{}] || {}", "ARRAY[{}] || ARRAY[{}]", "array_append(ARRAY[{}], {})"),
    *("array_position(ARRAY[{}], {})", "lag({}, 1, {}) OVER ()"),
)
"""Where values of two types have to agree."""


def drawn(chance: random.Random) -> Node:
    """Return a statement with one operator or form, over values of types that need not fit."""
    kind = chance.random()
    if kind < 0.5:
        written = f"{_value(chance)} {chance.choice(_INFIX)} {_value(chance)}"
    elif kind < 0.9:
        form = chance.choice(_FORMS)
        written = form.format(*(_value(chance) for _ in range(form.count("{}"))))
    elif kind < 0.95:
        written = f"{chance.choice(_PREFIX)} {_value(chance)}"
    else:
        written = f"({_value(chance)})::{chance.choice(list(_VALUES))}"
    return Node("statement", (f"SELECT {written}",))


def _value(chance: random.Random) -> str:
    if chance.random() < 0.25:
        return chance.choice(_BARE)
    name, text = chance.choice(list(_VALUES.items()))
    return f"{'NULL' if chance.random() < 0.2 else text}::{name}"
