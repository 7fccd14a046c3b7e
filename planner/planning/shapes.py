"""Shapes: one plan for statements that differ only in their literals, found without parsing.

A client without prepared statements sends a new text for each key. The *shape* of a text is the
text without its literals. If all literals are the keys of a lookup, one plan serves every text of
the shape. Other statements are planned one by one, since a literal can change the plan.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from planner.errors import QueryError
from planner.planning.plan import Lookup, QueryPlan
from planner.values.statement import Statement
from planner.values.text_values import parse_value
from stores.spec.schema import BIGINT, DataType, Row

_LEXEME = re.compile(
    r"""
    ['"\d$\\/-](?:
        (?<=')(?<!\b[eEbBxXnNuU]')(?<!\b[eEbBxXnNuU]&')((?:[^'\\]|'')*)'  # text, no backslashes
      | (?<=\d)(?<![\w.$"]\d)(\d{0,17})(?![\w.])  # a whole number that fits a bigint
      | (?<=")[^"]*"                              # a quoted name stays
      | ((?<=["'$\\])|(?<=-)-|(?<=/)\*)           # quotes of other kinds, parameters, comments
    )
    """,
    re.VERBOSE,
)
"""It begins with a set of characters, so that the search skips all others."""
_DIGITS_MAX = 18
LITERALS_MAX = 16
"""A text with more literals is planned by itself."""


class Parameterized(NamedTuple):
    """A text without its literals."""

    shape: str
    """The text with $1, $2, … in place of the literals."""
    literals: tuple[str, ...]
    """The texts of the literals, unquoted."""
    types: tuple[DataType | None, ...]
    """bigint for numbers; None for text literals, whose type depends on the context."""
    last: tuple[int, int]
    """Where the last literal begins and ends in the text, without its quotes."""


def parameterize(sql: str) -> Parameterized | None:
    """Take the literals out of a text; return None without literals or with unusual syntax."""
    literals: list[str] = []
    types: list[DataType | None] = []
    pieces: list[str] = []
    at, end = len(sql) - len(sql.lstrip()), len(sql.rstrip())
    last = 0, 0
    for found in _LEXEME.finditer(sql, at, end):
        text, digits, unusual = found.groups()
        if unusual is not None or len(literals) > LITERALS_MAX:
            return None
        if text is None and digits is None:
            continue
        pieces.append(sql[at : found.start()])
        at, last = found.end(), found.span(0 if text is None else 1)
        literals.append(found[0] if text is None else text.replace("''", "'"))
        types.append(BIGINT if text is None else None)
        pieces.append(f"${len(literals)}")
    if not literals:
        return None
    pieces.append(sql[at:end])
    return Parameterized("".join(pieces), tuple(literals), tuple(types), last)


_Key: TypeAlias = tuple[str, tuple[DataType | None, ...], int]


class _Once(Enum):
    """The entry of a shape that was seen once."""

    ONCE = 1


_CAME_ONCE = _Once.ONCE


class Shapes:
    """The plans of lookups by shape. Not safe to share between threads without a lock.

    Args:
        shapes_max: how many shapes are kept.
    """

    def __init__(self, shapes_max: int) -> None:
        self._most = shapes_max
        self._held: OrderedDict[_Key, Statement | _Once | None] = OrderedDict()

    def find(self, sql: str, parameterized: Parameterized, version: int) -> Statement | None:
        """Return the statement of a text whose shape has been planned; None if it has not."""
        key = (parameterized.shape, parameterized.types, version)
        planned = self._held.get(key)
        if not isinstance(planned, Statement):
            return None
        self._held.move_to_end(key)
        return bind_literals(sql, planned, parameterized)

    def is_second(self, parameterized: Parameterized, version: int) -> bool:
        """Return whether a shape comes for the second time and is worth a plan."""
        key = (parameterized.shape, parameterized.types, version)
        if key in self._held:
            return self._held[key] is _CAME_ONCE
        self._keep(key, _CAME_ONCE)
        return False

    def add(self, parameterized: Parameterized, planned: Statement | None, version: int) -> None:
        """Keep the plan of a shape; None means that it is not a lookup."""
        self._keep((parameterized.shape, parameterized.types, version), planned)

    def _keep(self, key: _Key, planned: Statement | _Once | None) -> None:
        self._held[key] = planned
        while len(self._held) > self._most:
            self._held.popitem(last=False)


def is_lookup_of(statement: Statement, parameterized: Parameterized) -> bool:
    """Whether a planned shape is a lookup, and each of its literals one of the keys."""
    plan = statement.plan
    if not isinstance(plan, QueryPlan) or not isinstance(plan.node, Lookup):
        return False
    keys = {operand.parameter for operand in plan.node.operands}
    return keys == set(range(len(parameterized.literals))) and not plan.clause.parameters


def bind_literals(sql: str, planned: Statement, parameterized: Parameterized) -> Statement | None:
    """Return the statement of a text by its shape's plan; None if a literal has a wrong value."""
    try:
        values: Row = tuple(
            parse_value(text, data_type)
            for text, data_type in zip(parameterized.literals, planned.parameters, strict=True)
        )
    except QueryError:
        return None  # planned by itself, so that the error points into the text
    return Statement(
        sql=sql,
        kind=planned.kind,
        columns=planned.columns,
        returns_rows=True,
        plan=planned.plan,
        literals=values,
        literal_at=parameterized.last if len(values) == 1 else None,
        look_up=planned.look_up,
    )


@dataclass(frozen=True, slots=True)
class Template:
    """Texts that differ from a planned text only in its single literal.

    Law: `literals` returns the literals that `parameterize` takes out of the text, and the rest of
    the text is that of the planned one.
    """

    head: str
    """The text before the literal, with its quote."""
    tail: str
    """The text after it."""
    data_type: DataType

    def literals(self, sql: str) -> Row | None:
        """Return the literal's value in a text; None for another text or an unusual literal."""
        head, tail = self.head, self.tail
        literal = sql[len(head) : len(sql) - len(tail)]
        if not literal or not sql.startswith(head) or not sql.endswith(tail):
            return None
        if head.endswith("'"):
            if "'" in literal or "\\" in literal:
                return None
        elif len(literal) > _DIGITS_MAX or not (literal.isascii() and literal.isdigit()):
            return None
        try:
            return (parse_value(literal, self.data_type),)
        except QueryError:
            return None


def template_of(sql: str, statement: Statement) -> Template | None:
    """Return the template of a text planned by its shape; None if it has several literals.

    Args:
        sql: the text, which may end in more than was planned, such as a semicolon.
        statement: the planned statement of the text.
    """
    plan, at = statement.plan, statement.literal_at
    if at is None or not isinstance(plan, QueryPlan):
        return None
    return Template(sql[: at[0]], sql[at[1] :], plan.parameters[0])
