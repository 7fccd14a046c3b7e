"""Writes expressions for RE2, which DuckDB runs: to ask whether a text has a match, no more.

Both engines then agree, because the answer depends on the language alone. Which match is taken
differs: RE2 takes the first alternative, PostgreSQL the longest text.
"""

from __future__ import annotations

import re

from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.patterns.characters import EVERY, Ranges
from stategate.planner.patterns.languages import (
    At,
    Chars,
    Choice,
    Language,
    Look,
    Place,
    Repeat,
    Sequence,
)
from stategate.planner.patterns.parsing import parse
from stategate.planner.patterns.scanning import Checkpoint, Options, unchecked

RANGES_MAX = 4_000
"""Most ranges of characters, counted as often as they are repeated: RE2's memory is limited."""
_REPEATED_MAX = 1_000
"""RE2's limit for repetitions inside repetitions."""
_PLACES = {
    Place.TEXT_START: r"\A",
    Place.TEXT_END: r"\z",
    Place.LINE_START: "(?m:^)",
    Place.LINE_END: "(?m:$)",
}


def for_re2(text: str, options: Options, checkpoint: Checkpoint = unchecked) -> str | None:
    """Return an expression that RE2 matches with the same texts.

    What `checkpoint` raises is raised.
    None if RE2 cannot express it, as for a back reference, or if it is not an expression at all.
    """
    try:
        root = parse(text, options, checkpoint).root
    except (InvalidValueError, NotSupportedError):
        return None
    if root.refers:
        return None
    try:
        return _Writer(checkpoint).write(root.language, 1)
    except _CannotError:
        return None


def fixed_start(text: str, checkpoint: Checkpoint = unchecked) -> str:
    """Return what every match begins with, if all matches begin at the start of the text.

    Empty if no such text is certain, or if a match may begin elsewhere.
    """
    try:
        root = parse(text, Options(), checkpoint).root
    except (InvalidValueError, NotSupportedError):
        return ""
    if root.refers:
        return ""
    parts = root.language.parts if isinstance(root.language, Sequence) else (root.language,)
    if not parts or parts[0] != At(Place.TEXT_START):
        return ""
    return _fixed(parts[1:])[0]


def _fixed(parts: tuple[Language, ...]) -> tuple[str, bool]:
    """Return the text that languages in a row begin with, and whether it is all of them."""
    found = ""
    for part in parts:
        if isinstance(part, Sequence):
            inner, is_whole = _fixed(part.parts)
        elif isinstance(part, Repeat) and part.least > 0:
            inner, is_whole = _fixed((part.of,))[0], False
        elif isinstance(part, Chars) and len(part.ranges) == 1:
            low, high = part.ranges[0]
            inner, is_whole = (chr(low), True) if low == high else ("", False)
        else:
            inner, is_whole = "", False
        found += inner
        if not is_whole:
            return found, False
    return found, True


class _CannotError(Exception):
    """RE2 has nothing like it, or allows less of it."""


class _Writer:
    """Writes a language."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._ranges = 0
        self._checkpoint = checkpoint

    def write(self, language: Language, times: int) -> str:
        """Return a language for RE2, inside of so many repetitions."""
        self._checkpoint()
        match language:
            case Chars(ranges):
                self._ranges += times * len(ranges)
                if self._ranges > RANGES_MAX:
                    raise _CannotError
                return _chars(ranges)
            case At(place) if place in _PLACES:
                return _PLACES[place]
            case Sequence(parts):
                return "".join(self._part(part, times) for part in parts)
            case Choice(parts):
                return "|".join(self.write(part, times) for part in parts)
            case Repeat(of, least, most):
                written = self._repeats(of, least, most, times)
                return f"(?:{written}){_quantifier(least, most)}"
            case At() | Look():
                raise _CannotError

    def _part(self, part: Language, times: int) -> str:
        written = self.write(part, times)
        return f"(?:{written})" if isinstance(part, Choice) else written

    def _repeats(self, of: Language, least: int, most: int | None, times: int) -> str:
        times *= max(least, most or 0, 1)
        if times > _REPEATED_MAX:
            raise _CannotError
        return self.write(of, times)


def _quantifier(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    return "?" if (least, most) == (0, 1) else f"{{{least},{most}}}"


def _chars(ranges: Ranges) -> str:
    if ranges == EVERY:
        return "(?s:.)"
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _char(ranges[0][0])
    if not ranges:
        return r"[^\x{0}-\x{10FFFF}]"
    return "[" + "".join(f"{_code(low)}-{_code(high)}" for low, high in ranges) + "]"


def _code(point: int) -> str:
    return chr(point) if chr(point).isascii() and chr(point).isalnum() else f"\\x{{{point:X}}}"


def _char(point: int) -> str:
    is_printed = chr(point).isprintable()
    return re.escape(chr(point)) if is_printed else f"\\x{{{point:X}}}"
