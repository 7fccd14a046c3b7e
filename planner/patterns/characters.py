"""Sets of characters as ranges of code points: PostgreSQL's classes, and both cases of a set."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

from stategate.planner.patterns.ranges import CLASSES, TO_LOWER, TO_UPPER

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of code points, ends included, in order, neither overlapping nor adjacent."""

LAST = 0x10FFFF
EVERY: Ranges = ((0, LAST),)
NEWLINE: Ranges = ((10, 10),)


def ranges_of(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of ranges."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if low > LAST:
            break
        if found and low <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(found[-1][1], min(high, LAST))
        else:
            found.append((low, min(high, LAST)))
    return tuple(found)


def complement(ranges: Ranges) -> Ranges:
    """Return all other characters."""
    found: list[tuple[int, int]] = []
    at = 0
    for low, high in ranges:
        if at < low:
            found.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        found.append((at, LAST))
    return tuple(found)


def contains(ranges: Ranges, point: int) -> bool:
    """Whether a code point is in ranges."""
    at = bisect_right(ranges, (point, LAST + 1))
    return at > 0 and point <= ranges[at - 1][1]


def class_of(name: str) -> Ranges | None:
    """Return the characters of a class such as `alpha`; None if there is no such class."""
    return _class(name) if name in CLASSES or name in _MADE else None


@cache
def _class(name: str) -> Ranges:
    """Return the characters of a class that there is: others would fill the cache."""
    if name in CLASSES:
        return _read(CLASSES[name])
    names, own = _MADE[name]
    return ranges_of([pair for part in names for pair in _class(part)] + list(own))


_DIGITS = (ord("0"), ord("9"))
_MADE: dict[str, tuple[tuple[str, ...], Ranges]] = {
    "digit": ((), (_DIGITS,)),
    "xdigit": ((), (_DIGITS, (ord("A"), ord("F")), (ord("a"), ord("f")))),
    "alnum": (("alpha", "digit"), ()),
    "word": (("alnum",), ((ord("_"), ord("_")),)),
    "graph": (("alnum", "punct"), ()),
    "blank": ((), ((9, 9), (32, 32))),
    "cntrl": ((), ((1, 31), (127, 159))),
    "ascii": ((), ((0, 127),)),
}
"""Classes made of others, and of ranges of their own."""


def _read(text: str) -> Ranges:
    """Return ranges that are written as the lengths of gaps and runs in turn."""
    numbers = [int(word, 36) for word in text.split()]
    found: list[tuple[int, int]] = []
    at = 0
    for gap, length in zip(numbers[::2], numbers[1::2], strict=True):
        found.append((at + gap, at + gap + length - 1))
        at += gap + length
    return tuple(found)


@cache
def _cases(text: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for word in text.split():
        first, step, count, distance = map(int, word.split(":"))
        found |= {at: at + distance for at in range(first, first + step * count, step)}
    return found


def lower(point: int) -> int:
    """Return the character in lower case."""
    return _cases(TO_LOWER).get(point, point)


def cases_of(point: int) -> Ranges:
    """Return a character in lower and in upper case.

    A character in neither case, such as U+01C5, is not among them: PostgreSQL compares it so.
    """
    found = {lower(point), _cases(TO_UPPER).get(point, point)}
    return ranges_of((each, each) for each in found)


def with_cases(low: int, high: int) -> Ranges:
    """Return a range with the other cases of its characters."""
    found = [(low, high)]
    for cases in (_cases(TO_LOWER), _cases(TO_UPPER)):
        found += [(other, other) for each, other in cases.items() if low <= each <= high]
    return ranges_of(found)
