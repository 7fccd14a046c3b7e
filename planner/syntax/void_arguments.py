"""Parameters of type void in calls: places for a result, which are no arguments.

pgjdbc writes the call `{? = call upper(?)}` as `upper($1, $2)` with a void `$1`, and Postgres
leaves that out, wherever it stands among the arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType

from planner.trees.dialect import DIALECT
from planner.values.catalog_types import VOID
from stores.spec.schema import DataType

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET}
_NAMES = {
    *(TokenType.VAR, TokenType.IDENTIFIER, *DIALECT.parser_class.FUNC_TOKENS),
} - {TokenType.IN, TokenType.VALUES}
"""What may be a function's name; the others have no arguments in parentheses."""


@dataclass(slots=True)
class _List:
    """What stands in a pair of brackets."""

    is_call: bool
    commas: list[Token] = field(default_factory=list)
    items: list[list[Token]] = field(default_factory=lambda: [[]])
    """The tokens between the commas; of brackets inside only the outer ones."""

    def left_out(self, numbers: frozenset[str]) -> list[Token]:
        """The void arguments, and the commas that go with them."""
        if not self.is_call:
            return []
        found: list[Token] = []
        is_first = True
        for comma, item in zip((None, *self.commas), self.items, strict=True):
            is_void = _is_parameter(item) and item[1].text in numbers
            if is_void:
                found += item
            if comma is not None and (is_void or is_first):
                found.append(comma)
            is_first = is_first and is_void
        return found


def without_void(sql: str, tokens: Sequence[Token], types: Sequence[DataType | None]) -> str:
    """A statement whose calls have no void parameters; blanks keep the place of all else.

    Args:
        sql: the statement.
        tokens: all of it.
        types: of its parameters, as far as the client says them.
    """
    numbers = frozenset(str(number) for number, each in enumerate(types, 1) if each == VOID)
    text = list(sql)
    lists = [_List(is_call=False)]
    before = TokenType.SEMICOLON
    for token in tokens:
        if token.token_type in _CLOSING and len(lists) > 1:
            for each in lists.pop().left_out(numbers):
                text[each.start : each.end + 1] = " " * (each.end + 1 - each.start)
        if token.token_type is TokenType.COMMA:
            lists[-1].commas.append(token)
            lists[-1].items.append([])
        else:
            lists[-1].items[-1].append(token)
        if token.token_type in _OPENING:
            is_call = token.token_type is TokenType.L_PAREN and before in _NAMES
            lists.append(_List(is_call=is_call))
        before = token.token_type
    return "".join(text)


def _is_parameter(item: list[Token]) -> bool:
    return len(item) == 2 and item[0].token_type is TokenType.PARAMETER
