"""Reads PostgreSQL's text form of an array."""

from __future__ import annotations

import json
import re
from typing import TypeAlias

from stategate.planner.errors import InvalidValueError, NotSupportedError

DIMENSIONS_MAX = 6
"""PostgreSQL's MAXDIM."""
Texts: TypeAlias = "list[str | Texts | None]"
"""The texts of elements; in an array of several dimensions, lists of them."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<sign>[{},])
        | "(?P<quoted>(?:[^"\\]|\\.)*)"
        | (?P<plain>(?:[^"\\{},\s]|\\.)(?:(?:[^"\\{},]|\\.)*(?:[^"\\{},\s]|\\.))?)
    )""",
    re.VERBOSE | re.DOTALL,
)
_BOUNDS = re.compile(r"\s*\[\s*([+-]?\d+)\s*(?::\s*([+-]?\d+)\s*)?\]")


def parse_array(text: str) -> Texts:
    """Return the texts of an array's elements, from a text such as `{a,"b c",NULL}`.

    Raises:
        InvalidValueError: it is malformed (22P02), or has too many dimensions (54000).
        NotSupportedError: its subscripts do not begin at 1.
    """
    lengths, at = _read_bounds(text)
    found = _read_elements(text, at)
    shape = _shape(found, text)
    if lengths and lengths != shape:
        raise _malformed(text)
    return found


def _read_elements(text: str, at: int) -> Texts:
    """Return what stands in braces, from a place of the text to its end."""
    levels: list[Texts] = []
    is_due, is_empty = True, False  # an element is due; the whole array is empty so far
    while (found := _TOKEN.match(text, at)) is not None:
        at, sign = found.end(), found["sign"]
        fits = not is_due if sign == "," else is_due
        if sign == "}":
            fits = not is_due or is_empty
        if not fits or not (levels or sign == "{"):
            break
        if sign == "{":
            levels.append([])
        elif sign == "}":
            closed = levels.pop()
            if not levels and not text[at:].strip():
                return closed
            if not levels:
                break
            levels[-1].append(closed)
        elif sign is None:
            levels[-1].append(_element(found))
        is_due, is_empty = sign in {"{", ","}, sign == "{" and len(levels) == 1
    raise _malformed(text)


def _element(found: re.Match[str]) -> str | None:
    plain = found["plain"]
    if plain is not None and plain.upper() == "NULL":
        return None
    return re.sub(r"\\(.)", r"\1", found["quoted"] if plain is None else plain, flags=re.DOTALL)


def _read_bounds(text: str) -> tuple[list[int], int]:
    """Return the lengths that `[1:2][1:3]=` states, and where it ends.

    Raises:
        InvalidValueError: a bound is malformed, or less than the one before it (2202E).
        NotSupportedError: a lower bound is not 1.
    """
    lengths: list[int] = []
    at = 0
    while (found := _BOUNDS.match(text, at)) is not None:
        lower, upper = ("1", found[1]) if found[2] is None else (found[1], found[2])
        if int(upper) < int(lower):
            message = "upper bound cannot be less than lower bound"
            raise InvalidValueError(message, sqlstate="2202E")
        if int(lower) != 1:
            raise NotSupportedError(
                "an array whose subscripts do not begin at 1 is not supported",
                hint="Leave out the bounds.",
            )
        lengths.append(int(upper))
        at = found.end()
    if not lengths:
        return lengths, 0
    equals = re.compile(r"\s*=").match(text, at)
    if equals is None:
        raise _malformed(text)
    return lengths, equals.end()


def _shape(found: Texts, text: str) -> list[int]:
    """Return the lengths of all dimensions; rows of an array have one length."""
    lengths = [len(found)] if found else []
    level: Texts = found
    while rows := [each for each in level if isinstance(each, list)]:
        if len(rows) < len(level) or len({len(row) for row in rows}) > 1:
            raise _malformed(text)
        if len(lengths) == DIMENSIONS_MAX:
            raise InvalidValueError(
                f"number of array dimensions ({len(lengths) + 1}) exceeds the maximum allowed "
                f"({DIMENSIONS_MAX})",
                sqlstate="54000",
            )
        lengths.append(len(rows[0]))
        level = [each for row in rows for each in row]
    return lengths


def _malformed(text: str) -> InvalidValueError:
    shown = text if len(text) <= 100 else text[:100] + "…"
    return InvalidValueError(f'malformed array literal: "{shown}"', sqlstate="22P02")


def depth_of_texts(found: Texts) -> int:
    """Return the number of dimensions of an array that was read; 0 if it is empty."""
    depth = 0
    level: object = found
    while isinstance(level, list) and level:
        depth, level = depth + 1, level[0]
    return depth


def json_of_array(text: str, depth: int) -> str:
    """Return the texts of the elements as a JSON array, for DuckDB.

    Raises:
        QueryError: as `parse_array`; or the array has another number of dimensions (0A000).
    """
    found = parse_array(text)
    check_depth(found, depth)
    return json.dumps(found)


def check_depth(found: Texts, depth: int) -> None:
    """Refuse an array of another number of dimensions than its type has here.

    Raises:
        NotSupportedError: the numbers differ.
    """
    if depth_of_texts(found) not in {0, depth}:
        raise NotSupportedError(
            f"a text of {depth_of_texts(found)} dimensions is not supported as an array of {depth}",
            hint="Cast it to a type that names the dimensions, such as int[][].",
        )
