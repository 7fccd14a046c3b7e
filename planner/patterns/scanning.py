"""Tokens of regular expressions.

PostgreSQL's advanced expressions (ARE), extended ones (ERE) and plain texts are read. Basic ones
(option b) are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, NoReturn, TypeAlias

from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.patterns.languages import Place


def invalid_pattern(message: str) -> InvalidValueError:
    """Return the error of an expression that is not one (2201B)."""
    return InvalidValueError(f"invalid regular expression: {message}", sqlstate="2201B")


BRACES, BRACKETS, PARENTHESES = (
    f"{name} not balanced" for name in ("braces {}", "brackets []", "parentheses ()")
)
ESCAPE, REFERENCE = "invalid escape \\ sequence", "invalid backreference number"
COUNTS, RANGE = "invalid repetition count(s)", "invalid character range"
QUANTIFIER, OPTION = "quantifier operand invalid", "invalid embedded option"


Checkpoint: TypeAlias = Callable[[], None]
"""Returns if the reading of an expression may go on, and raises if it must end."""


def unchecked() -> None:
    """Let the reading go on: where a process is killed to end its statement."""


class Options(NamedTuple):
    """How an expression is read; by default as an ARE, by case, newlines being characters."""

    syntax: str = "advanced"
    """advanced, extended or literal."""
    ignore_case: bool = False
    expanded: bool = False
    """Whether white space and comments are left out."""
    stops_at_newline: bool = False
    """Whether `.` and `[^…]` do not match a newline."""
    lines: bool = False
    """Whether `^` and `$` match at the ends of lines."""
    every: bool = False
    """Whether all matches are meant; only a flag of a function, not an option inside."""


_LETTERS: dict[str, dict[str, Any]] = {
    "c": {"ignore_case": False},
    "e": {"syntax": "extended"},
    "i": {"ignore_case": True},
    "m": {"stops_at_newline": True, "lines": True},
    "n": {"stops_at_newline": True, "lines": True},
    "p": {"stops_at_newline": True, "lines": False},
    "q": {"syntax": "literal"},
    "s": {"stops_at_newline": False, "lines": False},
    "t": {"expanded": False},
    "w": {"stops_at_newline": False, "lines": True},
    "x": {"expanded": True},
}


def with_letter(options: Options, letter: str) -> Options | None:
    """Return options after one more letter; None if it is not an option.

    Raises:
        NotSupportedError: it is b, for basic regular expressions.
    """
    if letter == "b":
        raise NotSupportedError("basic regular expressions (option b) are not supported")
    changes = _LETTERS.get(letter)
    return None if changes is None else options._replace(**changes)


class Token(Enum):
    """Kinds of tokens."""

    END = "end"
    CHARACTER = "character"
    CLASS = "class"
    """Such as `\\w`; `\\W` is its complement."""
    SET = "set"
    ANY = "."
    PLACE = "place"
    LOOK = "look"
    OPEN = "("
    CLOSE = ")"
    OR = "|"
    QUANTIFIER = "quantifier"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Class:
    """A class of characters, or its complement."""

    name: str
    is_complement: bool = False


@dataclass(frozen=True, slots=True)
class Quantifier:
    """How often; `is_greedy` is None if it has no preference, as `{2}`."""

    least: int
    most: int | None
    is_greedy: bool | None


@dataclass(frozen=True, slots=True)
class LookKind:
    """The kind of a condition on what is ahead or behind."""

    is_ahead: bool
    is_wanted: bool


_ESCAPED = {"a": 7, "b": 8, "B": 92, "e": 27, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ESCAPED_CLASSES = {"d": "digit", "s": "space", "w": "word"}
_ESCAPED_PLACES = {
    "A": Place.TEXT_START,
    "m": Place.WORD_START,
    "M": Place.WORD_END,
    "y": Place.WORD_EDGE,
    "Y": Place.NO_EDGE,
    "Z": Place.TEXT_END,
}
_LOOKS = {
    "?=": LookKind(is_ahead=True, is_wanted=True),
    "?!": LookKind(is_ahead=True, is_wanted=False),
    "?<=": LookKind(is_ahead=False, is_wanted=True),
    "?<!": LookKind(is_ahead=False, is_wanted=False),
}
_WORD_BRACKETS = {"[[:<:]]": Place.WORD_START, "[[:>:]]": Place.WORD_END}
_SIMPLE = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_SKIPPED = re.compile(r"(?:[ \t\n\r\f\v]+|#[^\n]*)*")
COUNT_MAX = 255
"""Greatest number in braces."""


class Scanner:
    """Reads one expression, token by token.

    Args:
        text: the expression.
        options: how it is read; it may begin with options of its own.
        checkpoint: called before each token and each member of a set; it raises to end the reading.

    Raises:
        InvalidValueError: it is not an expression (2201B).
    """

    def __init__(self, text: str, options: Options, checkpoint: Checkpoint) -> None:
        self.text, self.options, self.at = text, options, 0
        self.checkpoint = checkpoint
        if options.syntax == "literal" and (
            options.expanded or options.stops_at_newline or options.lines
        ):
            raise invalid_pattern("invalid argument to regex function")
        if options.syntax != "literal":
            self._read_prefix()
        self.groups = 0
        """The groups that have been opened; the parser counts them."""

    def _read_prefix(self) -> None:
        """Read `***:`, `***=` and `(?i)`."""
        text = self.text
        if text.startswith("***") and len(text) > 3:
            if text[3] == "=":
                self._make_literal()
                self.at = 4
                return
            if text[3] != ":":
                self.fail("invalid regexp (reg version 0.8)" if text[3] == "?" else QUANTIFIER)
            self.options = self.options._replace(syntax="advanced")
            self.at = 4
        found = re.compile(r"\(\?(?=[A-Za-z])").match(text, self.at)
        if found is None or self.options.syntax != "advanced":
            return
        close = re.compile(r"[A-Za-z]*").match(text, found.end())
        assert close is not None, "it may be empty"
        for letter in close[0]:
            changed = with_letter(self.options, letter)
            if changed is None:
                self.fail(OPTION)
            self.options = changed
        if not text.startswith(")", close.end()):
            self.fail(OPTION)
        self.at = close.end() + 1
        if self.options.syntax == "literal":
            self._make_literal()

    def _make_literal(self) -> None:
        self.options = self.options._replace(
            syntax="literal", expanded=False, stops_at_newline=False, lines=False
        )

    def fail(self, message: str) -> NoReturn:
        """Raise the error of the expression."""
        raise invalid_pattern(message)

    @property
    def _is_advanced(self) -> bool:
        return self.options.syntax == "advanced"

    def _take(self, text: str) -> bool:
        """Read a text, if it is next."""
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def next(self) -> tuple[Token, object]:
        """Return the next token and its value: a code point, a class, a place, a quantifier."""
        self.checkpoint()
        self._skip_comments()
        if self.at >= len(self.text):
            return Token.END, None
        sign = self.text[self.at]
        self.at += 1
        read = None if self.options.syntax == "literal" else _READERS.get(sign)
        return (Token.CHARACTER, ord(sign)) if read is None else read(self)

    def _simple_quantifier(self) -> tuple[Token, object]:
        least, most = _SIMPLE[self.text[self.at - 1]]
        return Token.QUANTIFIER, Quantifier(least, most, is_greedy=self._is_greedy())

    def _bracket(self) -> tuple[Token, object]:
        """Read `[`, `[^` or a place such as `[[:<:]]`."""
        for word, place in _WORD_BRACKETS.items():
            if self._take(word[1:]):
                return Token.PLACE, place
        return Token.SET, self._take("^")

    def _line_start(self) -> tuple[Token, object]:
        return Token.PLACE, Place.LINE_START if self.options.lines else Place.TEXT_START

    def _line_end(self) -> tuple[Token, object]:
        return Token.PLACE, Place.LINE_END if self.options.lines else Place.TEXT_END

    def _skip_comments(self) -> None:
        if self.options.expanded:
            self._skip()
        while self._is_advanced and self._take("(?#"):
            close = self.text.find(")", self.at)
            self.at = len(self.text) if close < 0 else close + 1
            if self.options.expanded:
                self._skip()

    def _skip(self) -> None:
        found = _SKIPPED.match(self.text, self.at)
        assert found is not None, "it may be empty"
        self.at = found.end()

    def _is_greedy(self) -> bool:
        return not (self._is_advanced and self._take("?"))

    def _brace(self) -> tuple[Token, object]:
        """Read `{m,n}`; a brace before anything but a digit is a character."""
        if self.options.expanded:
            self._skip()
        if not self._next_digit():
            return Token.CHARACTER, ord("{")
        least = self._number()
        most: int | None = least
        is_range = self._take_in_bound(",")
        if is_range:
            most = self._number() if self._next_digit() else None
            if most is not None and least > most:
                self.fail(COUNTS)
        if self.at >= len(self.text):
            self.fail(BRACES)
        if not self._take("}"):
            self.fail(COUNTS)
        is_greedy = self._is_greedy()
        return Token.QUANTIFIER, Quantifier(least, most, is_greedy if is_range else None)

    def _take_in_bound(self, sign: str) -> bool:
        if self.options.expanded:
            self._skip()
        found = self._take(sign)
        if self.options.expanded:
            self._skip()
        return found

    def _next_digit(self) -> bool:
        return "0" <= self.text[self.at : self.at + 1] <= "9"

    def _number(self) -> int:
        found = 0
        while self._next_digit():
            found = found * 10 + int(self.text[self.at])
            self.at += 1
            if found > COUNT_MAX:
                self.fail(COUNTS)
            if self.options.expanded:
                self._skip()
        return found

    def _parenthesis(self) -> tuple[Token, object]:
        """Read what an opening parenthesis begins: a group or a condition."""
        if not self._is_advanced or not self._take("?"):
            return Token.OPEN, True
        self.at -= 1
        if self._take("?:"):
            return Token.OPEN, False
        for sign, kind in _LOOKS.items():
            if self._take(sign):
                return Token.LOOK, kind
        self.fail(QUANTIFIER)

    def escape(self, *, in_set: bool = False) -> tuple[Token, object]:
        """Read what follows a backslash."""
        if self.at >= len(self.text):
            self.fail(ESCAPE)
        sign = self.text[self.at]
        self.at += 1
        if not self._is_advanced or not (sign.isascii() and sign.isalnum()):
            return Token.CHARACTER, ord(sign)
        if sign.isdigit():
            return self._digits(sign, in_set=in_set)
        if sign.lower() in _ESCAPED_CLASSES:
            return Token.CLASS, Class(_ESCAPED_CLASSES[sign.lower()], sign.isupper())
        if sign in _ESCAPED_PLACES and not in_set:
            return Token.PLACE, _ESCAPED_PLACES[sign]
        return Token.CHARACTER, self._escaped(sign)

    def _escaped(self, sign: str) -> int:
        """Return the character that an escape stands for."""
        if sign in _ESCAPED:
            return _ESCAPED[sign]
        if sign == "c" and self.at < len(self.text):
            self.at += 1
            return ord(self.text[self.at - 1]) & 31
        if sign in "uUx":
            return self._hexadecimal({"u": (4, 4), "U": (8, 8)}.get(sign, (1, 255)))
        self.fail(ESCAPE)

    def _hexadecimal(self, lengths: tuple[int, int]) -> int:
        found = re.compile(f"[0-9a-fA-F]{{1,{lengths[1]}}}").match(self.text, self.at)
        if found is None or len(found[0]) < lengths[0] or int(found[0], 16) > 0x7FFFFFFE:
            self.fail(ESCAPE)
        self.at = found.end()
        return int(found[0], 16)

    def _digits(self, first: str, *, in_set: bool) -> tuple[Token, object]:
        """Read a back reference, or a character by its number to base 8."""
        start = self.at - 1
        if first != "0":
            found = re.compile(r"[0-9]{1,255}").match(self.text, start)
            assert found is not None, "the first digit matches"
            if len(found[0]) == 1 or int(found[0]) <= self.groups:
                if in_set:
                    self.fail(ESCAPE)
                self.at = found.end()
                return Token.REFERENCE, int(found[0])
        octal = re.compile(r"[0-7]{1,3}").match(self.text, start)
        if octal is None:
            self.fail(ESCAPE)
        digits = octal[0] if int(octal[0], 8) <= 0xFF else octal[0][:2]
        self.at = start + len(digits)
        return Token.CHARACTER, int(digits, 8)


_READERS: Mapping[str, Callable[[Scanner], tuple[Token, object]]] = {
    **dict.fromkeys("*+?", Scanner._simple_quantifier),
    "|": lambda scanner: (Token.OR, None),
    ")": lambda scanner: (Token.CLOSE, None),
    ".": lambda scanner: (Token.ANY, None),
    "{": Scanner._brace,
    "(": Scanner._parenthesis,
    "[": Scanner._bracket,
    "^": Scanner._line_start,
    "$": Scanner._line_end,
    "\\": Scanner.escape,
}
"""What reads the tokens that begin with a sign."""
