"""Named parameters, `:name`, which are numbered before a statement is parsed.

The text is read by the tokenizer, so that casts, strings, quoted names and comments are left as
they are. In brackets or braces a name without a value may be the end of a slice, or the value in a
struct.
"""

from __future__ import annotations

from collections.abc import Set
from functools import lru_cache
from typing import NamedTuple

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError
from stategate.planner.trees.dialect import raw_tokens

_OPENING = frozenset({TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_BRACKET, TokenType.R_BRACE})
_CACHED_CHARACTERS_MAX = 10_000
"""Longest text that is kept; the others together could take 500 MB."""


class NumberedText(NamedTuple):
    """A statement with numbers in the places of its named parameters."""

    sql: str
    names: tuple[str, ...]
    """The names of `$1`, `$2`, …"""


class _Place(NamedTuple):
    name: str
    start: int
    end: int
    is_inner: bool
    """Whether it is in brackets or braces."""


def number_parameters(sql: str, given: Set[str]) -> NumberedText:
    """Replace each `:name` of a statement by `$1`, `$2`, ….

    Args:
        sql: the text.
        given: the names that have values.

    Returns:
        The text, in which all other characters keep their places, so that the position of an error
        is that in the given text. Only with more than nine names of one letter they may move.

    Raises:
        InvalidValueError: a name has no value (42P02).
        InvalidSyntaxError: the text has `$1`, too.
    """
    if len(sql) <= _CACHED_CHARACTERS_MAX:
        return _numbered(sql, frozenset(given))
    return _numbered.__wrapped__(sql, frozenset(given))


@lru_cache(maxsize=256)
def _numbered(sql: str, given: frozenset[str]) -> NumberedText:
    try:
        tokens = raw_tokens(sql)
    except TokenError:
        return NumberedText(sql, ())  # it is refused when it is parsed
    places = [place for place in _places(sql, tokens) if _is_given(place, given)]
    # Short names have short numbers, which take no more room than they do.
    names = sorted({place.name for place in places}, key=lambda name: (len(name), name))
    numbers = {name: f"${number}" for number, name in enumerate(names, start=1)}
    pieces, at = list[str](), 0
    for place in places:
        pieces += sql[at : place.start], numbers[place.name].ljust(place.end - place.start)
        at = place.end
    return NumberedText("".join(pieces) + sql[at:], tuple(names))


def _places(sql: str, tokens: list[Token]) -> list[_Place]:
    found: list[_Place] = []
    depth = 0
    for at, token in enumerate(tokens):
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if kind is TokenType.PARAMETER:
            raise InvalidSyntaxError(
                "a statement with named parameters cannot have numbered ones",
                hint="Send params as a list for $1, $2, …, or as an object for :name.",
                position=token.start + 1,
            )
        if kind is not TokenType.COLON or at + 1 == len(tokens):
            continue
        word = tokens[at + 1]
        name = sql[word.start : word.end + 1]
        if word.start == token.end + 1 and name.isidentifier():
            found.append(_Place(name, token.start, word.end + 1, is_inner=depth > 0))
    return found


def _is_given(place: _Place, given: frozenset[str]) -> bool:
    if place.name in given:
        return True
    if place.is_inner:
        return False
    raise InvalidValueError(
        f'parameter ":{place.name}" has no value',
        detail=f"There are values of {', '.join(sorted(given)) or 'no parameters'}.",
        position=place.start + 1,
        sqlstate="42P02",
    )
