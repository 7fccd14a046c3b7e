"""Remove parameters of type void from calls: they stand for a result, not for arguments.

pgjdbc writes the call `{? = call upper(?)}` as `upper($1, $2)` with a void `$1`. Postgres ignores
that parameter at any place among the arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.trees.dialect import DIALECT
from stategate.planner.values.catalog_types import VOID
from stategate.stores.spec.schema import DataType

_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET}
_NAMES = {
    *(TokenType.VAR, TokenType.IDENTIFIER, *DIALECT.parser_class.FUNC_TOKENS),
} - {TokenType.IN, TokenType.VALUES}
"""Tokens that can be the name of a function."""


@dataclass(slots=True)
class _List:
    """The content of a pair of brackets."""

    is_call: bool
    commas: list[Token] = field(default_factory=list)
    items: list[list[Token]] = field(default_factory=lambda: [[]])
    """Return the tokens between the commas, without those in inner brackets."""

    def left_out(self, numbers: frozenset[str]) -> list[Token]:
        """Return the void arguments with their commas."""
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
    """Return the statement with blanks in place of void parameters, so that positions stay.

    Args:
        sql: the statement.
        tokens: its tokens.
        types: the types of its parameters that the client gives.
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
