"""Reads what stands between square brackets."""

from __future__ import annotations

import re

from stategate.planner.errors import NotSupportedError
from stategate.planner.patterns.characters import (
    NEWLINE,
    Ranges,
    cases_of,
    class_of,
    complement,
    ranges_of,
    with_cases,
)
from stategate.planner.patterns.scanning import BRACKETS, ESCAPE, RANGE, Class, Scanner, Token

_SPECIAL = re.compile(r"\[([.=:])")


def named_class(name: str, *, ignore_case: bool) -> Ranges | None:
    """Return the characters of a class; None if there is no such class."""
    return class_of("alpha" if ignore_case and name in {"lower", "upper"} else name)


def class_ranges(found: Class, *, ignore_case: bool) -> Ranges:
    r"""Return the characters of an escape such as `\w`."""
    ranges = named_class(found.name, ignore_case=ignore_case) or ()
    return complement(ranges) if found.is_complement else ranges


class SetReader:
    """Reads one set; the scanner stands after `[` or `[^`."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner, self._options = scanner, scanner.options
        self._first = scanner.at
        self._pairs: list[tuple[int, int]] = []

    def read(self, *, is_complement: bool) -> Ranges:
        """Return the characters of the set.

        Raises:
            InvalidValueError: it is not a set (2201B).
            NotSupportedError: it has the name of a collating element.
        """
        scanner = self._scanner
        while not self._ends():
            scanner.checkpoint()
            self._member()
        scanner.at += 1
        found = ranges_of(self._pairs)
        if is_complement and self._options.stops_at_newline:
            found = ranges_of((*found, *NEWLINE))
        return complement(found) if is_complement else found

    def _ends(self) -> bool:
        scanner = self._scanner
        if scanner.at >= len(scanner.text):
            scanner.fail(BRACKETS)
        return scanner.text[scanner.at] == "]" and scanner.at > self._first

    def _member(self) -> None:
        """Read a character, a range or a class."""
        if self._is_dash():
            self._scanner.fail(RANGE)
        low = self._end_of_range()
        if isinstance(low, tuple):
            self._pairs += low
            return
        high = low
        if self._is_dash():
            self._scanner.at += 1
            found = ord("-") if self._is_dash() else None
            if found is not None:
                self._scanner.at += 1
            end = found if found is not None else self._end_of_range(is_high=True)
            if isinstance(end, tuple) or end < low:
                self._scanner.fail(RANGE)
            high = end
            folded = with_cases(low, high)
        elif self._options.ignore_case:
            folded = cases_of(low)
        self._pairs += folded if self._options.ignore_case else ((low, high),)

    def _is_dash(self) -> bool:
        """Whether a dash is next that makes a range: not the first, and not the last."""
        scanner = self._scanner
        if scanner.text[scanner.at : scanner.at + 1] != "-":
            return False
        return scanner.at > self._first and scanner.text[scanner.at + 1 : scanner.at + 2] != "]"

    def _end_of_range(self, *, is_high: bool = False) -> int | Ranges:
        """Return the character that is next, or the characters of a class."""
        scanner, text = self._scanner, self._scanner.text
        if scanner.at >= len(text):
            scanner.fail(BRACKETS)
        special = _SPECIAL.match(text, scanner.at)
        if special is not None:
            return self._special(special[1], is_high=is_high)
        sign = text[scanner.at]
        if sign == "[" and scanner.at + 1 >= len(text):
            scanner.fail(BRACKETS)
        if sign == "]" and scanner.at > self._first:
            scanner.fail(RANGE)
        scanner.at += 1
        if sign != "\\" or self._options.syntax != "advanced":
            return ord(sign)
        kind, value = scanner.escape(in_set=True)
        if kind is Token.CLASS:
            assert isinstance(value, Class)
            return class_ranges(value, ignore_case=self._options.ignore_case)
        if kind is not Token.CHARACTER:
            scanner.fail(ESCAPE)
        assert isinstance(value, int)
        return value

    def _special(self, sign: str, *, is_high: bool) -> int | Ranges:
        """Read `[.x.]`, `[=x=]` or `[:name:]`."""
        scanner = self._scanner
        close = scanner.text.find(f"{sign}]", scanner.at + 2)
        if close < 0:
            scanner.fail(BRACKETS)
        name = scanner.text[scanner.at + 2 : close]
        if is_high and sign != ".":
            scanner.fail(RANGE)
        scanner.at = close + 2
        if sign == ":":
            found = named_class(name, ignore_case=self._options.ignore_case)
            if found is None:
                scanner.fail("invalid character class")
            return found
        if not name:
            scanner.fail("invalid collating element")
        if len(name) > 1:
            raise NotSupportedError(
                f'the collating element "{name}" in a regular expression is not supported',
                hint="Write the character.",
            )
        if sign == ".":
            return ord(name)
        return cases_of(ord(name)) if self._options.ignore_case else ((ord(name), ord(name)),)
