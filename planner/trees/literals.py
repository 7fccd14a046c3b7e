r"""Texts and numbers as PostgreSQL reads them, from the tokens of a statement.

sqlglot has a token, and a node, for each way to write a text: `$$…$$`, `E'…'`, `U&'…'`. All of them
become plain texts here, so that a literal may be written in each way wherever one may stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby

from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError
from stategate.planner.trees.surrogates import with_whole_pairs

_TEXTS = frozenset(
    {
        *(TokenType.STRING, TokenType.HEREDOC_STRING, TokenType.BYTE_STRING),
        *(TokenType.UNICODE_STRING, TokenType.BIT_STRING, TokenType.HEX_STRING),
        TokenType.NATIONAL_STRING,
    }
)
_LOOKED_AT = _TEXTS | {TokenType.NUMBER, TokenType.VAR, TokenType.IDENTIFIER}
_JUNK = re.compile(r"[A-Za-z_\x80-\U0010ffff][\w$]*|")
_CONTINUED = re.compile(r"[ \t\f\v\r]*(?:--[^\n\r]*)?[\n\r](?:\s|--[^\n\r]*)*")
"""What may stand between the parts of a text: at least one end of a line."""
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))|''", re.DOTALL
)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LAST = 0x10FFFF


def settled(sql: str, tokens: list[Token]) -> list[Token]:
    """Return tokens with all texts as plain ones; the same list, if there are no others.

    Raises:
        InvalidSyntaxError: a text follows another one in the same line, or a word follows a number
            at once (42601).
        InvalidValueError: an escape stands for no character (22021, 22025).
    """
    found: list[Token] = []
    is_changed = False
    at, count = 0, len(tokens)
    while at < count:
        token = tokens[at]
        kind = token.token_type
        if kind in _LOOKED_AT:
            fresh, used = _settled_one(sql, tokens, at)
            is_changed = is_changed or fresh is not token
            token, at = fresh, at + used
        else:
            at += 1
        found.append(token)
    return found if is_changed else tokens


def _settled_one(sql: str, tokens: Sequence[Token], at: int) -> tuple[Token, int]:
    """Return one token in place of some, and how many they are."""
    token = tokens[at]
    kind = token.token_type
    if kind in _TEXTS and sql[token.start] != "0":
        return _text(sql, tokens, at)
    if kind is TokenType.VAR and token.text in {"u", "U"}:
        return _unicode_name(sql, tokens, at)
    if sql[token.start] in _DIGITS or kind is TokenType.NUMBER:
        before = tokens[at - 1].token_type if at else None
        _check_number(sql, token, is_parameter=before is TokenType.PARAMETER)
    return token, 1


def _check_number(sql: str, token: Token, *, is_parameter: bool) -> None:
    """Refuse a number that a word follows at once, such as `1_000` and `0x1F`."""
    end = token.end + 1
    junk = _JUNK.match(sql, end)
    is_word = token.token_type is not TokenType.NUMBER or sql[token.end] not in _ENDS
    if not is_word and (junk is None or not junk[0]):
        return
    shown = sql[token.start : end] + (junk[0] if junk is not None else "")
    kind = "parameter" if is_parameter else "numeric literal"
    raise InvalidSyntaxError(
        f'trailing junk after {kind} at or near "{"$" if is_parameter else ""}{shown}"',
        position=token.start + 1 - is_parameter,
    )


_DIGITS = "0123456789"
_ENDS = _DIGITS + "."
"""The last characters of numbers."""


def _text(sql: str, tokens: Sequence[Token], at: int) -> tuple[Token, int]:
    """Return a text that may be continued in other lines, and how many tokens it is."""
    first = tokens[at]
    kind, parts = first.token_type, [first]
    while kind is not TokenType.HEREDOC_STRING and _is_continued(sql, tokens, at + len(parts)):
        parts.append(tokens[at + len(parts)])
    used, last = len(parts), parts[-1]
    escape = "\\"
    if kind is TokenType.UNICODE_STRING and _is_word(tokens, at + used, "UESCAPE"):
        escape, last = _unicode_escape(sql, tokens, at + used + 1), tokens[at + used + 1]
        used += 2
    following = tokens[at + used] if at + used < len(tokens) else None
    if following is not None and following.token_type in _TEXTS and sql[following.start] != "0":
        shown = sql[following.start : following.end + 1]
        raise InvalidSyntaxError(f'syntax error at or near "{shown}"', position=following.start + 1)
    if kind is TokenType.STRING and used == 1:
        return first, 1
    read = _READ.get(kind)
    if read is None:
        text = "".join(part.text for part in parts)
    else:
        text = read("".join(_inside(sql, part) for part in parts), escape, first.start + 1)
    fresh_kind = kind if kind in _BITS else TokenType.STRING
    fresh = Token(fresh_kind, text, first.line, first.col, first.start, last.end, first.comments)
    return fresh, used


_BITS = frozenset({TokenType.BIT_STRING, TokenType.HEX_STRING})


def _is_continued(sql: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether a token continues the text before it: a plain text in another line."""
    if at >= len(tokens) or tokens[at].token_type is not TokenType.STRING:
        return False
    return _CONTINUED.fullmatch(sql, tokens[at - 1].end + 1, tokens[at].start) is not None


def _is_word(tokens: Sequence[Token], at: int, word: str) -> bool:
    return at < len(tokens) and tokens[at].text.upper() == word


def _inside(sql: str, token: Token) -> str:
    """Return what stands between the quotes of a text."""
    written = sql[token.start : token.end + 1]
    return written[written.index("'") + 1 : -1]


def _unicode_escape(sql: str, tokens: Sequence[Token], at: int) -> str:
    """Return the character of UESCAPE."""
    token = tokens[at] if at < len(tokens) else None
    if token is None or token.token_type is not TokenType.STRING:
        where = len(sql) if token is None else token.start
        raise InvalidSyntaxError(
            "UESCAPE must be followed by a simple string literal", position=where + 1
        )
    if len(token.text) != 1 or re.match(r"[0-9A-Fa-f+'\"\s]", token.text):
        raise InvalidSyntaxError(
            f"invalid Unicode escape character at or near \"'{token.text}'\"",
            position=token.start + 1,
        )
    return token.text


def _unicode_name(sql: str, tokens: Sequence[Token], at: int) -> tuple[Token, int]:
    r"""Read `U&"d\0061t"`; other tokens that begin so stay as they are."""
    parts = tokens[at : at + 3]
    if [part.token_type for part in parts[1:]] != [TokenType.AMP, TokenType.IDENTIFIER]:
        return tokens[at], 1
    first, sign, name = parts
    if not first.end + 1 == sign.start == name.start - 1:
        return tokens[at], 1
    used, last, escape = 3, name, "\\"
    if _is_word(tokens, at + 3, "UESCAPE"):
        escape, last, used = _unicode_escape(sql, tokens, at + 4), tokens[at + 4], 5
    text = _of_unicode(name.text, escape, first.start + 1)
    return (
        Token(
            TokenType.IDENTIFIER, text, first.line, first.col, first.start, last.end, first.comments
        ),
        used,
    )


def _of_unicode(text: str, escape: str, position: int) -> str:
    r"""Return a text with `\0041` and `\+000041` as characters."""
    sign = re.escape(escape)
    pattern = re.compile(rf"{sign}(?:({sign})|([0-9A-Fa-f]{{4}})|\+([0-9A-Fa-f]{{6}})|())")

    def character(found: re.Match[str]) -> str:
        if found[1]:
            return escape
        digits = found[2] or found[3]
        if not digits:
            raise InvalidSyntaxError(
                "invalid Unicode escape",
                hint="Unicode escapes must be \\XXXX or \\+XXXXXX.",
                position=position,
            )
        return _point(int(digits, 16), position)

    return with_whole_pairs(pattern.sub(character, text), position)


def _point(number: int, position: int) -> str:
    if not 0 < number <= _LAST:
        raise InvalidSyntaxError("invalid Unicode escape value", position=position)
    return chr(number)


def _of_escapes(text: str, escape: str, position: int) -> str:
    r"""Return a text with `\n`, `\x41` and `\u0041` as characters; numbers are bytes of UTF-8."""
    del escape
    pieces: list[str | bytes] = []
    at = 0
    for found in _ESCAPE.finditer(text):
        pieces += text[at : found.start()], _escaped(found, position)
        at = found.end()
    pieces.append(text[at:])
    joined = [
        with_whole_pairs("".join(str(each) for each in group), position).encode()
        if is_text
        else b"".join(each for each in group if isinstance(each, bytes))
        for is_text, group in groupby(pieces, lambda each: isinstance(each, str))
    ]
    return _decoded(b"".join(joined), position)


def _escaped(found: re.Match[str], position: int) -> str | bytes:
    """Return the character of an escape, which may be half of one, or its byte."""
    octal, hexadecimal, short, long, other = found.groups()
    if octal or hexadecimal:
        return bytes([int(octal, 8) & 255 if octal else int(hexadecimal, 16)])
    if short or long:
        return _point(int(short or long, 16), position)
    if other in {"u", "U"}:
        raise InvalidValueError(
            "invalid Unicode escape",
            hint="Unicode escapes must be \\uXXXX or \\UXXXXXXXX.",
            position=position,
            sqlstate="22025",
        )
    return "'" if other is None else _CONTROLS.get(other, other)


def _decoded(found: bytes, position: int) -> str:
    """Return the text of bytes.

    Raises:
        InvalidValueError: they are not UTF-8, or one is zero (22021).
    """
    try:
        text, wrong = found.decode(), b""
    except UnicodeDecodeError as error:
        text, wrong = "", found[error.start : error.end]
    if "\0" in text:
        wrong = b"\0"
    if wrong:
        shown = " ".join(f"0x{byte:02x}" for byte in wrong)
        raise InvalidValueError(
            f'invalid byte sequence for encoding "UTF8": {shown}',
            position=position,
            sqlstate="22021",
        )
    return text


_READ: dict[TokenType, Callable[[str, str, int], str]] = {
    TokenType.BYTE_STRING: _of_escapes,
    TokenType.UNICODE_STRING: lambda text, escape, at: _of_unicode(
        text.replace("''", "'"), escape, at
    ),
}
"""What reads the inside of a text, its escape and its position."""
