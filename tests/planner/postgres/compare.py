"""Compare our answers with PostgreSQL's; differences that the README lists do not count."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

from tests.planner.postgres.corpus import Answer

_SAME_TYPES = {
    "name": "text",
    '"char"': "text",
    "regtype": "text",
    "oid": "bigint",
}
_SMALLEST = Decimal("1e-15")


def differences(ours: Answer, theirs: Answer) -> list[str]:
    """Return the differences of two answers; empty if they are the same.

    Numerics may have another scale, and differ after the 15th digit. Doubles may differ in their
    last digits, and so may numbers within json.
    """
    if ours.error != theirs.error:
        return [f"error {ours.error} for {theirs.error}"]
    asked = tuple(map(_same_type, theirs.parameters))
    if ours.parameters != asked:
        return [f"parameters {ours.parameters} for {asked}"]
    types = tuple(map(_same_type, theirs.types))
    if ours.types != types:
        return [f"types {ours.types} for {types}"]
    if len(ours.rows) != len(theirs.rows):
        return [f"{len(ours.rows)} rows for {len(theirs.rows)}"]
    found: list[str] = []
    for mine, other in zip(ours.rows, theirs.rows, strict=True):
        for name, cell, wanted in zip(types, mine.split("\t"), other.split("\t"), strict=True):
            if not _is_same(name, cell, wanted):
                found.append(f"{name} {cell} for {wanted}")
    return found


def _same_type(name: str) -> str:
    inner, brackets, _ = name.partition("[")
    return _SAME_TYPES.get(inner, inner) + ("[]" if brackets else "")


def _is_same(name: str, cell: str, wanted: str) -> bool:
    if cell == wanted or "\\N" in {cell, wanted}:
        return cell == wanted
    if name == "numeric":
        return _is_near(cell, wanted)
    if name in {"double_precision", "real"}:
        return math.isclose(float(cell), float(wanted), rel_tol=1e-12 if name[0] == "d" else 1e-6)
    if name in {"json", "jsonb"}:
        return with_equal_numbers(_unescaped(cell)) == with_equal_numbers(_unescaped(wanted))
    return False


_NUMBER = re.compile(r'("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)')


def with_equal_numbers(text: str) -> str:
    """Return a json text with each number in its shortest form; all else must be the same."""
    return _NUMBER.sub(lambda found: found[1] or f"{Decimal(found[2]).normalize()}", text)


def _is_near(cell: str, wanted: str) -> bool:
    try:
        one, other = Decimal(cell), Decimal(wanted)
    except InvalidOperation:
        return False
    return abs(one - other) <= max(_SMALLEST, abs(other) * _SMALLEST)


def _unescaped(cell: str) -> str:
    return cell.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
