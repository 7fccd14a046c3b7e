"""Checks names of types, as PostgreSQL's grammar has them.

sqlglot reads the types of many systems, any modifier after each, and any subscript after those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import (
    InvalidSyntaxError,
    InvalidValueError,
    NotSupportedError,
    UnknownNameError,
)
from stategate.planner.trees.interpreted_sqlglot import PostgresParser
from stategate.planner.trees.reserved_words import FUNCTION_WORDS, RESERVED_WORDS

_WITHOUT_SIZE = frozenset(
    {"int", "integer", "smallint", "bigint", "real", "boolean", "double precision"}
)
"""Words of the grammar after which no bracket may stand."""
_OF_ONE_SIZE = frozenset(
    {
        *("char", "character", "char varying", "character varying", "nchar", "varchar"),
        *("float", "time", "timestamp", "interval"),
    }
)
"""Words of the grammar after which a whole number may stand in brackets."""
_SIZED = frozenset({"dec", "decimal", "numeric", "bit"})
"""Words of the grammar that take what names of types with modifiers do."""
WITH_MODIFIERS = frozenset(
    {
        *("varchar", "bpchar", "numeric", "time", "timetz", "timestamp", "timestamptz"),
        *("interval", "bit", "varbit"),
    }
)
"""Names of types that take modifiers."""
_TYPES = frozenset(
    {
        *("bool", "bytea", "date", "float4", "float8", "inet", "int2", "int4", "int8", "json"),
        *("jsonb", "money", "name", "point", "text", "unknown", "uuid", "xml"),
        *("int4range", "int8range", "numrange", "daterange", "tsrange", "tstzrange"),
        *("int4multirange", "int8multirange", "nummultirange", "datemultirange"),
        *("tsmultirange", "tstzmultirange"),
    }
)
"""Names of types of PostgreSQL that are words to sqlglot."""
_FIELDS = ("year", "month", "day", "hour", "minute", "second")
_SPANS = frozenset(
    {
        *(("year", "month"), ("day", "hour"), ("day", "minute"), ("day", "second")),
        *(("hour", "minute"), ("hour", "second"), ("minute", "second")),
    }
)
_FLOAT_BITS_MAX = 53
_INTEGER_MAX = (1 << 31) - 1
_OF_TIMES = frozenset({"time", "timestamp"})
_CONSTANTS = frozenset({TokenType.NUMBER, TokenType.STRING})


def check_type_name(sql: str, tokens: Sequence[Token], at: int) -> None:
    """Check the name of the type that begins at a token.

    Raises:
        InvalidSyntaxError: the grammar has no such name, or the type takes no modifier (42601).
        UnknownNameError: only other systems have the type (42704).
        InvalidValueError: a modifier is no number, or too large (22P02, 22023).
        NotSupportedError: PostgreSQL's grammar has the name, and we do not read it (0A000).
    """
    if at < len(tokens):
        _Reader(sql, tokens, at).read()


class _Reader:
    """Reads the tokens of one name."""

    def __init__(self, sql: str, tokens: Sequence[Token], at: int) -> None:
        self._sql, self._tokens, self._at = sql, tokens, at

    def read(self) -> None:
        """Read the name, its modifiers and the brackets of an array."""
        first = self._tokens[self._at]
        word = " ".join(first.text.lower().split())
        is_plain = first.token_type is not TokenType.IDENTIFIER
        if is_plain and self._is_unread(word):
            raise NotSupportedError(
                f"a type with the word {word.upper()} is not supported",
                hint="Write its other name, such as varchar.",
                position=first.start + 1,
            )
        self._at += 1
        if is_plain and word in _WITHOUT_SIZE:
            self._refuse(TokenType.L_PAREN)
        elif is_plain and word in _OF_ONE_SIZE:
            self._read_sized(word)
        elif not is_plain or word not in _SIZED:
            word = self._read_name(word, is_plain=is_plain)
            self._read_modifiers(word)
        else:
            self._read_modifiers("numeric")
        self._read_bounds()
        if self._word(self._at) == "unsigned":
            raise NotSupportedError(
                "the name UNSIGNED after a type is not supported without AS",
                position=self._tokens[self._at].start + 1,
            )

    def _is_unread(self, word: str) -> bool:
        """Whether it is `national char` or `setof int`."""
        following = self._word(self._at + 1)
        if word in {"national", "nchar"}:
            return following in {
                "char",
                "character",
                "character varying",
                "char varying",
                "varying",
            }
        return word == "setof" and following.isalpha()

    def _read_name(self, word: str, *, is_plain: bool) -> str:
        """Read the name of a type, with its schema; return it."""
        first = self._tokens[self._at - 1]
        if is_plain and word in RESERVED_WORDS - FUNCTION_WORDS:
            self._fail(self._at - 1)
        is_foreign = first.token_type in PostgresParser.TYPE_TOKENS
        is_foreign = is_foreign and word not in _TYPES | WITH_MODIFIERS
        if is_plain and is_foreign and not self._is(TokenType.DOT):
            raise UnknownNameError(
                f'type "{word}" does not exist', position=first.start + 1, sqlstate="42704"
            )
        while self._is(TokenType.DOT):
            self._at += 2
            word = self._word(self._at - 1)
        return word

    def _read_sized(self, word: str) -> None:
        first = self._at
        if self._is(TokenType.L_PAREN):
            self._at += 1
            size = self._read_count()
            self._read_token(TokenType.R_PAREN)
            if word == "float":
                self._check_bits(size, self._tokens[first])
        if word in _OF_TIMES and self._word(self._at) in {"with", "without"}:
            zone = [self._word(at) for at in (self._at + 1, self._at + 2)]
            if zone[0] == "local":
                self._fail(self._at + 1)
            self._at += 3 if zone == ["time", "zone"] else 0
        if word == "interval" and self._word(self._at) in _FIELDS:
            if self._at > first:
                self._fail(self._at)
            self._read_fields()

    def _read_fields(self) -> None:
        """Read `hour to second` of an interval."""
        field = self._word(self._at)
        self._at += 1
        if self._word(self._at) == "to":
            last = self._word(self._at + 1)
            if (field, last) not in _SPANS:
                self._fail(self._at + 1)
            field = last
            self._at += 2
        if self._is(TokenType.L_PAREN) and field == "second":
            raise NotSupportedError(
                "digits of the seconds of an interval with fields are not supported",
                hint="Cast to interval(n).",
                position=self._tokens[self._at].start + 1,
            )
        self._refuse(TokenType.L_PAREN)

    def _read_modifiers(self, name: str) -> None:
        """Read the modifiers of a type that is no word of the grammar."""
        if not self._is(TokenType.L_PAREN):
            return
        opening = self._tokens[self._at]
        sizes: list[Token] = []
        while not sizes or self._is(TokenType.COMMA):
            self._at += 1
            if self._is(TokenType.R_PAREN):
                self._fail(self._at)
            sizes.append(self._read_modifier(opening))
        if not self._is(TokenType.R_PAREN):
            self._refuse_modifier(opening)
        self._at += 1
        self._check_modifiers(name, sizes)

    def _read_modifier(self, opening: Token) -> Token:
        """Read one modifier, with brackets around it."""
        first = self._at
        while self._is(TokenType.L_PAREN):
            self._at += 1
        opened = self._at - first
        if self._is(TokenType.DASH):
            raise NotSupportedError(
                "a negative modifier of a type is not supported",
                hint="Round to the places, and cast to numeric.",
                position=opening.start + 2,
            )
        if self._at >= len(self._tokens):
            self._fail(self._at)
        found = self._tokens[self._at]
        self._at += 1
        for _ in range(opened):
            if not self._is(TokenType.R_PAREN):
                self._refuse_modifier(opening)
            self._at += 1
        if found.token_type is TokenType.NULL:
            self._refuse_modifier(opening)
        return found

    def _refuse_modifier(self, opening: Token) -> NoReturn:
        raise InvalidSyntaxError(
            "type modifiers must be simple constants or identifiers", position=opening.start + 2
        )

    def _check_modifiers(self, name: str, sizes: Sequence[Token]) -> None:
        position = sizes[0].start + 1
        if name in _TYPES:
            raise InvalidSyntaxError(
                f'type modifier is not allowed for type "{name}"', position=position
            )
        if name not in WITH_MODIFIERS:
            return  # whether there is such a type comes first
        for size in sizes:
            if not size.text.isdigit():
                raise InvalidValueError(
                    f'invalid input syntax for type integer: "{size.text.lower()}"',
                    position=size.start + 1,
                    sqlstate="22P02",
                )
        if len(sizes) > (2 if name == "numeric" else 1):
            shown = "NUMERIC type modifier" if name == "numeric" else "type modifier"
            raise InvalidValueError(f"invalid {shown}", position=position, sqlstate="22023")

    def _check_bits(self, bits: int, opening: Token) -> None:
        if not 1 <= bits <= _FLOAT_BITS_MAX:
            bound = "less than 54 bits" if bits else "at least 1 bit"
            raise InvalidValueError(
                f"precision for type float must be {bound}",
                position=opening.start + 1,
                sqlstate="22023",
            )

    def _read_bounds(self) -> None:
        """Read the brackets of an array: `[]`, `[2]`, ARRAY or `ARRAY[2]`."""
        if self._is(TokenType.ARRAY):
            self._at += 1
            if self._is(TokenType.L_BRACKET):
                self._at += 1
                self._read_count()
                self._read_token(TokenType.R_BRACKET)
            return
        while self._is(TokenType.L_BRACKET):
            self._at += 1
            if not self._is(TokenType.R_BRACKET):
                self._read_count()
            self._read_token(TokenType.R_BRACKET)

    def _read_count(self) -> int:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        is_number = token is not None and token.token_type is TokenType.NUMBER
        if token is None or not is_number or not token.text.isdigit():
            self._fail(self._at)
        count = int(token.text)
        if count > _INTEGER_MAX:
            self._fail(self._at)
        self._at += 1
        return count

    def _read_token(self, kind: TokenType) -> None:
        if not self._is(kind):
            self._fail(self._at)
        self._at += 1

    def _refuse(self, kind: TokenType) -> None:
        if self._is(kind):
            self._fail(self._at)

    def _is(self, kind: TokenType) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].token_type is kind

    def _word(self, at: int) -> str:
        """Return a word in lower case; nothing at the end, and for other tokens."""
        if at >= len(self._tokens) or self._tokens[at].token_type in _CONSTANTS:
            return ""
        return " ".join(self._tokens[at].text.lower().split())

    def _fail(self, at: int) -> NoReturn:
        if at >= len(self._tokens):
            raise InvalidSyntaxError("syntax error at end of input", position=len(self._sql) + 1)
        token = self._tokens[at]
        shown = self._sql[token.start : token.end + 1]
        raise InvalidSyntaxError(f'syntax error at or near "{shown}"', position=token.start + 1)
