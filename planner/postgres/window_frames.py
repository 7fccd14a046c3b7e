"""The frames of windows, checked as PostgreSQL checks them, and written for DuckDB."""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, MismatchedTypeError, NotSupportedError
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.postgres.types.result_types import FLOATS, INTEGERS
from stategate.planner.trees.nodes import cast, position_of, strip
from stategate.planner.values.sqltypes import format_type
from stategate.stores.spec.schema import Kind

_NUMBERS = frozenset({*INTEGERS, *FLOATS, Kind.DECIMAL})
_EXACT = frozenset({*INTEGERS, Kind.DECIMAL})
_TIMES = (Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.INTERVAL)
_MOVED_BY = {
    **dict.fromkeys(INTEGERS, (frozenset(INTEGERS), "HUGEINT")),
    Kind.DECIMAL: (_EXACT, "DECIMAL(38,10)"),
    **dict.fromkeys(FLOATS, (_NUMBERS, "DOUBLE")),
    **dict.fromkeys(_TIMES, (frozenset({Kind.INTERVAL}), "INTERVAL")),
}
"""For each kind that a RANGE frame can be of: the kinds of its offsets, and the type of a text."""


def read_frame(node: exp.Expr, types: Types) -> exp.Expr:
    """Check a frame, and write its offsets as DuckDB reads them.

    Raises:
        InvalidSyntaxError: the frame ends before it begins, or has a RANGE offset without exactly
            one ORDER BY value (42P20).
        MismatchedTypeError: an offset of rows or groups is no number (42804).
        NotSupportedError: the ORDER BY value cannot be moved by such an offset.
    """
    _check_ends(node)
    offsets = [end for end in ("start", "end") if isinstance(node.args.get(end), exp.Expr)]
    if not offsets:
        return node
    mode = str(node.args["kind"]).upper()
    order = None if node.parent is None else node.parent.args.get("order")
    terms = [] if order is None else order.expressions
    if mode == "GROUPS" and not terms:
        raise _misused("GROUPS mode requires an ORDER BY clause", node)
    is_range = mode == "RANGE"
    if is_range and len({each.this for each in terms}) != 1:
        raise _misused(
            "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column", node
        )
    for end in offsets:
        offset = node.args[end]
        node.set(end, _range_offset(offset, terms[0], types) if is_range else _count(offset, types))
    if is_range and order is not None:
        order.set("expressions", terms[:1])
        # PostgreSQL's frames end at the last integer.
        if types.kind_of(terms[0].this) in INTEGERS:
            terms[0].set("this", cast(terms[0].this, "HUGEINT"))
    return node


def _check_ends(node: exp.Expr) -> None:
    first, last = (_direction(node, end) for end in ("start", "end"))
    if first == "UNBOUNDED FOLLOWING":
        raise _misused("frame start cannot be UNBOUNDED FOLLOWING", node)
    if last == "UNBOUNDED PRECEDING":
        raise _misused("frame end cannot be UNBOUNDED PRECEDING", node)
    if first == "FOLLOWING" and node.args.get("end") is None:
        raise _misused("frame starting from following row cannot end with current row", node)
    if first == "CURRENT ROW" and last == "PRECEDING":
        raise _misused("frame starting from current row cannot have preceding rows", node)
    if first == "FOLLOWING" and last in {"PRECEDING", "CURRENT ROW"}:
        raise _misused("frame starting from following row cannot have preceding rows", node)


def _direction(node: exp.Expr, end: str) -> str:
    """Return `PRECEDING`, `UNBOUNDED FOLLOWING` or the like of an end of a frame."""
    value, side = node.args.get(end), str(node.args.get(f"{end}_side") or "").upper()
    if value is None or isinstance(value, exp.Expr):
        return side if value is not None else "CURRENT ROW"
    return f"{value} {side}".upper().strip()


def _misused(message: str, node: exp.Expr) -> InvalidSyntaxError:
    return InvalidSyntaxError(message, position=position_of(node.parent or node), sqlstate="42P20")


def _count(offset: exp.Expr, types: Types) -> exp.Expr:
    """Return a number of rows or groups."""
    found = types.of(offset)
    if found is not None and not is_open(offset) and found.kind not in _NUMBERS:
        raise MismatchedTypeError(
            f"argument of ROWS must be type bigint, not type {format_type(found)}",
            position=position_of(offset),
        )
    return cast(offset, "BIGINT")


def _range_offset(offset: exp.Expr, term: exp.Expr, types: Types) -> exp.Expr:
    """Return how far a frame reaches from the value that orders it."""
    moved, by = types.of(term.this), types.of(offset)
    if moved is None:
        return offset
    what = "RANGE with offset PRECEDING/FOLLOWING is not supported for column type "
    if moved.kind not in _MOVED_BY:
        raise NotSupportedError(f"{what}{format_type(moved)}", position=position_of(term.this))
    kinds, of_text = _MOVED_BY[moved.kind]
    if is_open(offset):
        return offset if isinstance(strip(offset), exp.Null) else cast(offset, of_text)
    if by is not None and by.kind not in kinds:
        raise NotSupportedError(
            f"{what}{format_type(moved)} and offset type {format_type(by)}",
            hint="Cast the offset value to an appropriate type.",
            position=position_of(offset),
        )
    return offset
