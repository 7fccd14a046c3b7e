"""Shapes: one plan for statements that differ only in their literals, found without parsing.

A client without prepared statements sends a new text for each key. The *shape* of a text is the
text without its literals. Literals that are compared with columns are *lifted*: they become
parameters of one plan, which serves every text of the shape. The others, such as the number of a
LIMIT, are *kept*: texts share a plan only if these are equal. `stategate.planner.planning.lifting`
says which are which.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise, repeat
from typing import Any, NamedTuple, TypeAlias

from stategate.planner.errors import QueryError
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.values.constants import number_of
from stategate.planner.values.statement import Statement
from stategate.planner.values.text_values import parse_value
from stategate.planner.values.times.time_settings import TimeSettings
from stategate.stores.spec.schema import BIGINT, DataType, Row

_LEXEME = re.compile(
    r"""
    ['"\d$\\/-](?:
        (?<=')(?<!\b[eEbBxXnNuU]')(?<!\b[eEbBxXnNuU]&')((?:[^'\\]|'')*)'  # text, no backslashes
      | (?<=\d)(?<![\w.$"]\d)(\d{0,17}(?:\.\d{1,17})?)(?![\w.])  # a number that fits a bigint, or a
                                                  # decimal
      | (?<=")[^"]*"                              # a quoted name stays
      | ((?<=["'$\\])|(?<=-)-|(?<=/)\*)           # quotes of other kinds, parameters, comments
    )
    """,
    re.VERBOSE,
)
"""The pattern begins with a set of characters, so that the search skips all others."""
_DIGITS_MAX = 18
LITERALS_MAX = 100
"""Maximum number of literals; a text with more is planned by itself."""


class Parameterized(NamedTuple):
    """A text with parameters in place of all its literals, or of the lifted ones."""

    shape: str
    """The text with $1, $2, … in place of all literals."""
    literals: tuple[str, ...]
    """The texts of the literals, unquoted."""
    types: tuple[DataType | None, ...]
    """The type of each number; None for text literals, whose type depends on the context."""
    spans: tuple[tuple[int, int], ...]
    """Where each literal begins and ends in the text, without its quotes."""

    def only(self, places: Sequence[int]) -> Parameterized:
        """Return the same shape with only some of the literals."""
        literals, types, spans = self.literals, self.types, self.spans
        return Parameterized(
            self.shape,
            tuple([literals[place] for place in places]),
            tuple([types[place] for place in places]),
            tuple([spans[place] for place in places]),
        )


def parameterize(sql: str) -> Parameterized | None:
    """Take the literals out of a text; return None if it has no literal, or has unusual syntax."""
    literals: list[str] = []
    types: list[DataType | None] = []
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    at, end = len(sql) - len(sql.lstrip()), len(sql.rstrip())
    for found in _LEXEME.finditer(sql, at, end):
        text, digits, unusual = found.groups()
        if unusual is not None or len(literals) > LITERALS_MAX:
            return None
        if text is None and digits is None:
            continue
        pieces.append(sql[at : found.start()])
        at = found.end()
        if text is not None:
            literals.append(text.replace("''", "'") if "'" in text else text)
            types.append(None)
            spans.append(found.span(1))
        else:
            number = found[0]
            literals.append(number)
            types.append(number_of(number)[1] if "." in number else BIGINT)
            spans.append(found.span())
        pieces.append(f"${len(literals)}")
    if not literals:
        return None
    pieces.append(sql[at:end])
    return Parameterized("".join(pieces), tuple(literals), tuple(types), tuple(spans))


class _Once(Enum):
    """The entry of a shape that was seen once."""

    ONCE = 1


_CAME_ONCE = _Once.ONCE
Made: TypeAlias = tuple[int, TimeSettings]
"""What plans are made for: a version of the catalog, and the session's settings of times."""
_Key: TypeAlias = tuple[str, tuple[DataType | None, ...], Made]


class Shapes:
    """Plans by shape and by the literals kept. Not safe to share between threads without a lock.

    Args:
        shapes_max: the largest number of shapes, and also of plans.
    """

    def __init__(self, shapes_max: int) -> None:
        self._most = shapes_max
        self._lifted: OrderedDict[_Key, tuple[int, ...] | _Once] = OrderedDict()
        self._plans: OrderedDict[tuple[_Key, tuple[str, ...]], Statement | _Once | None]
        self._plans = OrderedDict()

    def find(self, sql: str, parameterized: Parameterized, made: Made) -> Statement | None:
        """Return the statement of a text whose shape has been planned; None if it has not."""
        shape = (parameterized.shape, parameterized.types, made)
        lifted = self._lifted.get(shape)
        if not lifted or lifted is _CAME_ONCE:
            return None
        self._lifted.move_to_end(shape)
        key = shape, _kept(parameterized, lifted)
        planned = self._plans.get(key)
        if not isinstance(planned, Statement):
            return None
        self._plans.move_to_end(key)
        if key[1]:
            parameterized = parameterized.only(lifted)
        return bind_literals(sql, planned, parameterized, made[1].literals)

    def is_second(self, parameterized: Parameterized, made: Made) -> bool:
        """Whether a text arrives for the second time, apart from the literals that are lifted."""
        shape = (parameterized.shape, parameterized.types, made)
        lifted = self._lifted.get(shape)
        if lifted is None:
            self._lifted[shape] = _CAME_ONCE
            _shrink(self._lifted, self._most)
            return False
        if lifted is _CAME_ONCE or not lifted:
            return lifted is _CAME_ONCE
        key = shape, _kept(parameterized, lifted)
        if key in self._plans:
            return self._plans[key] is _CAME_ONCE
        self._plans[key] = _CAME_ONCE
        _shrink(self._plans, self._most)
        return False

    def add(
        self,
        parameterized: Parameterized,
        made: Made,
        lifted: tuple[int, ...],
        planned: Statement | None,
    ) -> None:
        """Keep the plan of a shape.

        Args:
            parameterized: a text of the shape.
            made: what the plan is made for.
            lifted: the indices of its literals that are lifted.
            planned: the statement that takes these as parameters; None if each text needs its own
            plan.
        """
        shape = (parameterized.shape, parameterized.types, made)
        self._lifted[shape] = lifted
        if lifted:
            self._plans[shape, _kept(parameterized, lifted)] = planned
        _shrink(self._lifted, self._most)
        _shrink(self._plans, self._most)


def _kept(parameterized: Parameterized, lifted: tuple[int, ...]) -> tuple[str, ...]:
    """Return the literals that are not lifted."""
    literals = parameterized.literals
    if len(lifted) == len(literals):
        return ()
    return tuple([text for place, text in enumerate(literals) if place not in lifted])


def _shrink(held: OrderedDict[Any, Any], most: int) -> None:
    while len(held) > most:
        held.popitem(last=False)


def bind_literals(
    sql: str, planned: Statement, lifted: Parameterized, times: TimeSettings
) -> Statement | None:
    """Return the statement of a text, from its shape's plan; None if a literal's value is wrong."""
    try:
        values: Row = tuple(
            [
                parse_value(text, data_type, times)
                for text, data_type in zip(lifted.literals, planned.parameters, strict=True)
            ]
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
        literals_at=lifted.spans,
        look_up=planned.look_up,
    )


@dataclass(frozen=True, slots=True)
class Template:
    """Texts that differ from a planned text only in the literals that its plan takes.

    Law: `literals` returns the literals that `parameterize` takes out of the text, and the rest of
    the text is that of the planned one.
    """

    head: str
    """The text before the first literal, with its opening quote."""
    between: tuple[str, ...]
    """The texts between the literals, with their quotes."""
    tail: str
    """The text after the last literal."""
    data_types: tuple[DataType, ...]
    times: TimeSettings
    """The settings by which its literals are read."""

    def literals(self, sql: str) -> Row | None:
        """Return the literals' values in a text; None for another text or an unusual literal."""
        at, end = len(self.head), len(sql) - len(self.tail)
        if at >= end or not sql.startswith(self.head) or not sql.endswith(self.tail):
            return None
        is_text = self.head.endswith("'")
        texts: list[str] = []
        for piece in self.between:
            # A literal contains no quote and no word, so it ends where the next piece is first
            # found.
            place = sql.find(piece, at, end)
            literal = sql[at:place]
            if place < 0 or not _is_plain(literal, is_text=is_text):
                return None
            texts.append(literal)
            at, is_text = place + len(piece), piece.endswith("'")
        literal = sql[at:end]
        if not _is_plain(literal, is_text=is_text):
            return None
        texts.append(literal)
        try:
            return tuple(map(parse_value, texts, self.data_types, repeat(self.times)))
        except QueryError:
            return None


def _is_plain(literal: str, *, is_text: bool) -> bool:
    """Whether a literal is a text without quotes and backslashes, or a number without a point."""
    if is_text:
        return bool(literal) and "'" not in literal and "\\" not in literal
    return len(literal) <= _DIGITS_MAX and literal.isascii() and literal.isdigit()


def template_of(sql: str, statement: Statement, times: TimeSettings) -> Template | None:
    """Return the template of a text planned by its shape; None if no literal of it can vary.

    Args:
        sql: the text, which may end in more than was planned, such as a semicolon.
        statement: the planned statement of the text.
        times: the settings of times of the session that has sent it.
    """
    plan, spans = statement.plan, statement.literals_at
    if not spans or not isinstance(plan, QueryPlan):
        return None
    if any(sql[begin - 1 : begin] != "'" and "." in sql[begin:end] for begin, end in spans):
        return None  # each number of digits is a type of its own
    return Template(
        head=sql[: spans[0][0]],
        between=tuple([sql[one[1] : other[0]] for one, other in pairwise(spans)]),
        tail=sql[spans[-1][1] :],
        data_types=plan.taken,
        times=times,
    )
