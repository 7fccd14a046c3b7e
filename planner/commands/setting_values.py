"""The settings that SET names, and the values that it gives, read as PostgreSQL does."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from planner.errors import InvalidSyntaxError, InvalidValueError
from planner.values.interval_text import parse_interval
from planner.values.quoting import quote_name
from planner.values.times.time_settings import interval_zone

_TEXTS = {TokenType.STRING, TokenType.BYTE_STRING, TokenType.HEREDOC_STRING}
_LISTS = {"datestyle", "search_path"}
"""Settings with several values, separated by commas."""
_SHORT = {"NAMES": "client_encoding", "SCHEMA": "search_path"}
"""Settings that SET takes without "=": SET NAMES 'utf8', SET SCHEMA 'public'."""
_UNITS = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}


def setting_value(name: str, tokens: Sequence[Token]) -> str | None:
    """Return what a setting is set to; None for its default.

    A word without quotes is folded to lower case. A name of search_path has quotes where SQL needs
    them.

    Raises:
        InvalidSyntaxError: the tokens are no values.
        InvalidValueError: there are several, and the setting takes one (22023).
    """
    if len(tokens) == 1 and _is_word(tokens[0]) and tokens[0].text.upper() == "DEFAULT":
        return None
    if name == "timezone" and _is_word(tokens[0]) and tokens[0].text.upper() == "INTERVAL":
        return _zone_of_interval(tokens)
    values = [_one(each) for each in _separated(tokens)]
    if name == "search_path":
        values = [quote_name(each) for each in values]
    elif name not in _LISTS and len(values) > 1:
        raise InvalidValueError(f"SET {name} takes only one argument")
    return ", ".join(values)


def is_name(token: Token) -> bool:
    """Whether a token is a name, quoted or not."""
    if token.token_type is TokenType.IDENTIFIER:
        return True
    text = token.text.replace("_", "a").replace("$", "a")
    return _is_word(token) and text.isalnum() and not text[0].isdigit()


def _is_word(token: Token) -> bool:
    return token.token_type not in {TokenType.IDENTIFIER, *_TEXTS}


def _separated(tokens: Sequence[Token]) -> list[list[Token]]:
    groups: list[list[Token]] = [[]]
    for token in tokens:
        if token.token_type is TokenType.COMMA:
            groups.append([])
        else:
            groups[-1].append(token)
    return groups


def _one(tokens: Sequence[Token]) -> str:
    """Return one value: a text, a name, a word or a number with or without a sign."""
    if not tokens:
        raise InvalidSyntaxError("syntax error at end of input")
    first = tokens[0]
    sign = ""
    if first.token_type in {TokenType.DASH, TokenType.PLUS} and len(tokens) == 2:
        sign, first = first.text.replace("+", ""), tokens[1]
    elif len(tokens) > 1:
        raise _unexpected(tokens[1])
    if first.token_type is TokenType.NUMBER:
        return sign + first.text
    if sign or not (first.text or first.token_type in _TEXTS):
        raise _unexpected(first)
    if not _is_word(first):
        return first.text
    if (
        first.token_type is TokenType.NULL
        or not first.text.replace("_", "a").replace("$", "a").isalnum()
    ):
        raise _unexpected(first)
    return first.text.lower()


def _zone_of_interval(tokens: Sequence[Token]) -> str:
    """Return the zone of `INTERVAL '+02:00' HOUR TO MINUTE`; units say what a bare number counts.

    Raises:
        InvalidValueError: the interval is no offset of a zone (22023).
    """
    rest = list(tokens[1:])
    if rest and rest[0].token_type is TokenType.L_PAREN:
        del rest[: 1 + next((i for i, t in enumerate(rest) if t.text == ")"), len(rest))]
    if not rest or rest[0].token_type not in _TEXTS:
        raise _unexpected(rest[0] if rest else tokens[0])
    units = [token.text.upper() for token in rest[1:]]
    if any(unit not in _UNITS for unit in units[::2]) or units[1::2] not in ([], ["TO"]):
        raise _unexpected(rest[1])
    text = rest[0].text
    is_bare = text.strip().lstrip("+-").replace(".", "", 1).isdigit()
    interval = parse_interval(f"{text} {units[-1]}" if is_bare and units else text)
    return interval_zone(interval, f"INTERVAL '{text}'").name


def _unexpected(token: Token) -> InvalidSyntaxError:
    return InvalidSyntaxError(f'syntax error at or near "{token.text}"', position=token.start + 1)


def assignment(rest: Sequence[Token], words: Sequence[str]) -> tuple[str, Sequence[Token]]:
    """Return the setting of a SET, and the tokens of its value; none stand for its default.

    Raises:
        InvalidSyntaxError: it has no value.
    """
    if words[:2] == ["TIME", "ZONE"]:
        name, values = "timezone", rest[2:]
        if words[2:] == ["LOCAL"]:
            return name, ()
    elif words[:1] and words[0] in _SHORT:
        name, values = _SHORT[words[0]], rest[1:]
        if words in (["NAMES"], ["NAMES", "DEFAULT"]):
            return name, ()
        if len(values) != 1 or values[0].token_type is not TokenType.STRING:
            raise syntax_error(values)
    else:
        at = next((i for i, word in enumerate(words) if word in {"=", "TO"}), None)
        if at is None or at == 0:
            raise syntax_error(rest)
        name, values = setting_name(rest[:at]), rest[at + 1 :]
    if not values:
        raise syntax_error([])
    return name, values


def setting_name(tokens: Sequence[Token]) -> str:
    """Return the name of a setting from its words and dots."""
    if not tokens:
        raise InvalidSyntaxError("syntax error at end of input")
    for at, token in enumerate(tokens):
        if (token.token_type is TokenType.DOT) is (at % 2 == 0) or (
            at % 2 == 0 and not is_name(token)
        ):
            raise syntax_error([token])
    if tokens[-1].token_type is TokenType.DOT:
        raise syntax_error([])
    return "".join(token.text for token in tokens).lower()


def syntax_error(tokens: Sequence[Token]) -> InvalidSyntaxError:
    """Return the error for the next of some tokens; none stand for the end."""
    if not tokens:
        return InvalidSyntaxError("syntax error at end of input")
    return InvalidSyntaxError(
        f'syntax error at or near "{tokens[0].text}"', position=tokens[0].start + 1
    )
