"""jsonpath: the values that a path finds in a jsonb, and whether a predicate holds.

In lax mode, steps that lead nowhere find nothing, and arrays are unwrapped; in strict mode such
steps are errors. Source: PostgreSQL's `src/backend/utils/adt/jsonpath_exec.c`.
"""

from __future__ import annotations

import decimal
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Any

from stategate.planner.errors import InvalidValueError
from stategate.planner.values.documents.json_path_syntax import (
    JsonPath,
    Node,
    is_predicate,
    parse_path,
)
from stategate.planner.values.documents.json_text import (
    Digits,
    Json,
    decimal_of,
    in_order,
    read_json,
    written,
)

_COMPARED: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_EXACT = decimal.Context(prec=2000, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
_COMPUTED = {"+": _EXACT.add, "-": _EXACT.subtract, "*": _EXACT.multiply}
_FOUND_MAX = 1_000_000


class _PathError(InvalidValueError):
    """An error of a step; a predicate is unknown where it happens."""


def query(text: str, path: str) -> list[str]:
    """Return the values that `jsonb_path_query` returns.

    Raises:
        InvalidValueError: a step of a strict path leads nowhere, or a value does not fit (22).
    """
    return [written(value) for value in _found(text, path)]


def query_array(text: str, path: str) -> str:
    """Return the values of `jsonb_path_query_array`."""
    return written(_found(text, path))


def query_first(text: str, path: str) -> str | None:
    """Return the value of `jsonb_path_query_first`; NULL if no item matches."""
    found = _found(text, path)
    return written(found[0]) if found else None


def exists(text: str, path: str) -> bool:
    """Return `jsonb_path_exists`."""
    return bool(_found(text, path))


def exists_silently(text: str, path: str) -> bool | None:
    """Return `value @? path`: NULL where a step is an error."""
    try:
        return exists(text, path)
    except _PathError:
        return None


def matches(text: str, path: str) -> bool | None:
    """Return `jsonb_path_match`.

    Raises:
        InvalidValueError: the path finds no single boolean (22038).
    """
    found = _found(text, path)
    if len(found) == 1 and (found[0] is None or isinstance(found[0], bool)):
        return found[0]
    raise _PathError("single boolean result is expected", sqlstate="22038")


def matches_silently(text: str, path: str) -> bool | None:
    """Return `value @@ path`: NULL where a step is an error."""
    try:
        return matches(text, path)
    except _PathError:
        return None


def _found(text: str, path: str) -> list[Json]:
    parsed = parse_path(path)
    root = read_json(text)
    return list(_Run(parsed, root).values(parsed.root, root))


class _Run:
    """One path that runs over one value."""

    def __init__(self, path: JsonPath, root: Json) -> None:
        self._is_strict, self._root = path.is_strict, root
        self._lasts: list[int] = []
        """The last index of the arrays whose subscripts are computed, inner ones last."""

    def values(self, node: Node, current: Json) -> list[Json]:
        """Return the values that a node stands for; an unknown predicate is null."""
        if is_predicate(node):
            return [self.holds(node, current)]
        kind = node[0]
        if kind == "value":
            return [node[1]]
        if kind in {"$", "@"}:
            return [self._root if kind == "$" else current]
        if kind == "variable":
            raise InvalidValueError(
                f'could not find jsonpath variable "{node[1]}"', sqlstate="42704"
            )
        if kind == "last":
            if not self._lasts:
                raise InvalidValueError(
                    "LAST is allowed only in array subscripts", sqlstate="42601"
                )
            return [self._lasts[-1]]
        if kind in {"sign", "compute"}:
            return self._computed(node, current)
        steps = self.values(node[1], current)
        found = [each for step in steps for each in self._step(node, step, current)]
        if len(found) > _FOUND_MAX:
            raise InvalidValueError("the path finds too many values", sqlstate="54000")
        return found

    def _step(self, node: Node, value: Json, current: Json) -> Iterator[Json]:
        kind = node[0]
        if kind == "elements":
            yield from self._listed(value, "wildcard array accessor")
        elif kind == "subscripts":
            yield from self._subscripted(node, value, current)
        elif kind == "method":
            yield from self._method(node[2], value)
        else:
            for each in self._unwrapped([value]):
                yield from self._of_item(node, each)

    def _of_item(self, node: Node, value: Json) -> Iterator[Json]:
        """Yield what a member accessor or a filter finds in one value."""
        if node[0] == "filter":
            if self.holds(node[2], value) is True:
                yield value
        elif not isinstance(value, dict):
            if self._is_strict:
                raise _PathError(
                    "jsonpath member accessor can only be applied to an object", sqlstate="2203A"
                )
        elif node[0] == "members":
            yield from (value[key] for key in in_order(value))
        elif node[2] in value:
            yield value[node[2]]
        elif self._is_strict:
            raise _PathError(f'JSON object does not contain key "{node[2]}"', sqlstate="2203A")

    def _unwrapped(self, values: Sequence[Json]) -> Iterator[Json]:
        """Yield values, and in lax mode the elements of arrays in their place."""
        for value in values:
            if isinstance(value, list) and not self._is_strict:
                yield from value
            else:
                yield value

    def _listed(self, value: Json, what: str) -> list[Json]:
        if isinstance(value, list):
            return value
        if self._is_strict:
            raise _PathError(f"jsonpath {what} can only be applied to an array", sqlstate="22039")
        return [value]

    def _subscripted(self, node: Node, value: Json, current: Json) -> Iterator[Json]:
        listed = self._listed(value, "array accessor")
        self._lasts.append(len(listed) - 1)
        places = [
            (self._index(first, current), None if last is None else self._index(last, current))
            for first, last in node[2]
        ]
        self._lasts.pop()
        for first, last in places:
            end = first if last is None else last
            if self._is_strict and not 0 <= first <= end < len(listed):
                raise _PathError("jsonpath array subscript is out of bounds", sqlstate="22033")
            yield from listed[max(first, 0) : max(end + 1, 0)]

    def _index(self, node: Node, current: Json) -> int:
        found = self.values(node, current)
        if len(found) != 1 or not _is_number(found[0]):
            raise _PathError(
                "jsonpath array subscript is not a single numeric value", sqlstate="22033"
            )
        index = int(decimal_of(found[0]))
        if abs(index) >= 1 << 31:
            raise _PathError("jsonpath array subscript is out of integer range", sqlstate="22033")
        return index

    def _method(self, name: str, value: Json) -> Iterator[Json]:
        if name == "type":
            yield _type_of(value)
        elif name == "size":
            yield len(self._listed(value, "item method .size()"))
        else:
            for each in self._unwrapped([value]):
                if name == "double" and type(each) is str:
                    yield _double_of(each)
                    continue
                if not _is_number(each):
                    raise _PathError(
                        f"jsonpath item method .{name}() can only be applied to a numeric value",
                        sqlstate="22036",
                    )
                yield _number_of(name, decimal_of(each))

    def _computed(self, node: Node, current: Json) -> list[Json]:
        sign = node[1]
        if node[0] == "sign":
            numbers = list(self._unwrapped(self.values(node[2], current)))
            if not all(map(_is_number, numbers)):
                raise _PathError(
                    f"operand of unary jsonpath operator {sign} is not a numeric value",
                    sqlstate="2203B",
                )
            exact = map(decimal_of, numbers)
            return [_plain(-each if sign == "-" else each) for each in exact]
        sides = [list(self._unwrapped(self.values(each, current))) for each in node[2:]]
        for side, what in zip(sides, ("left", "right"), strict=True):
            if len(side) != 1 or not _is_number(side[0]):
                raise _PathError(
                    f"{what} operand of jsonpath operator {sign} is not a single numeric value",
                    sqlstate="22038",
                )
        return [_plain(_COMPUTED[sign](decimal_of(sides[0][0]), decimal_of(sides[1][0])))]

    # Predicates

    def holds(self, node: Node, current: Json) -> bool | None:
        """Return whether a predicate holds; None if that is unknown."""
        kind = node[0]
        if kind in {"and", "or"}:
            sides = [self.holds(each, current) for each in node[1:]]
            decided = kind == "or"
            return decided if decided in sides else None if None in sides else not decided
        if kind == "not":
            inner = self.holds(node[1], current)
            return None if inner is None else not inner
        if kind == "unknown":
            return self.holds(node[1], current) is None
        try:
            if kind == "exists":
                return bool(self.values(node[1], current))
            left, right = (list(self._unwrapped(self.values(each, current))) for each in node[-2:])
        except _PathError:
            return None
        return self._any(node, left, right)

    def _any(self, node: Node, left: Sequence[Json], right: Sequence[Json]) -> bool | None:
        """Return whether a pair meets a comparison; a strict path looks at all pairs."""
        found: bool | None = False
        for one in left:
            for other in right:
                each = (
                    _starts(one, other)
                    if node[0] == "starts"
                    else _compared(_COMPARED[node[1]], node[1], one, other)
                )
                if each is None:
                    if self._is_strict:
                        return None
                    found = None if found is False else found
                elif each:
                    if not self._is_strict:
                        return True
                    found = True
        return found


def _starts(one: Json, other: Json) -> bool | None:
    texts = [type(each) is str for each in (one, other)]
    return one.startswith(other) if all(texts) else None


def _compared(
    compare: Callable[[Any, Any], bool], sign: str, one: Json, other: Json
) -> bool | None:
    kinds = _type_of(one), _type_of(other)
    if kinds[0] != kinds[1]:
        return sign == "!=" if "null" in kinds else None
    if kinds[0] in {"array", "object"}:
        return None
    if kinds[0] == "null":
        return compare(0, 0)
    if kinds[0] == "number":
        return compare(decimal_of(one), decimal_of(other))
    if kinds[0] == "string":
        return compare(one.encode(), other.encode())
    return compare(one, other)


def _is_number(value: Json) -> bool:
    return type(value) in {int, Digits}


def _type_of(value: Json) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(value), "number")


def _number_of(name: str, number: Decimal) -> Json:
    if name == "abs":
        return _plain(abs(number))
    if name == "double":  # PostgreSQL only checks that the number fits
        return _plain(number)
    return _plain(
        number.to_integral_value(rounding=ROUND_CEILING if name == "ceiling" else ROUND_FLOOR)
    )


def _double_of(text: str) -> Json:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise _PathError(
            "string argument of jsonpath item method .double() is not a valid representation of "
            "a double precision number",
            sqlstate="22036",
        )
    return _plain(Decimal(f"{number:.15g}"))


def _plain(number: Decimal) -> Json:
    return Digits(f"{number:f}")
