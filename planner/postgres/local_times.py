"""Writes the session's time zone and order of dates into a bound tree.

Afterwards the tree means the same in every session. All later steps, the composing database and
other nodes read it as one of a session in UTC with ISO dates. What could only be right in UTC is
refused by name.

Moments become local times wherever PostgreSQL looks at their fields, and local times become moments
wherever both meet. `expressions.local_calls` does so for calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sqlglot import exp

from stategate.planner.postgres.expressions.local_calls import localize_call
from stategate.planner.postgres.expressions.zone_forms import (
    has_days,
    local,
    moment,
    moved,
    no_zone,
    words,
    zone_arguments,
)
from stategate.planner.postgres.types.inference import Types, value_type
from stategate.planner.postgres.types.literals import convert_time_literal, typed_literal
from stategate.planner.postgres.types.operands import COMPARED, alternatives, compared, is_open
from stategate.planner.trees.nodes import Nodes, call, cast, put, strip
from stategate.planner.values.sqltypes import data_type_of
from stategate.stores.spec.schema import (
    INTERVAL,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    DataType,
    Kind,
)

_LOCAL = {Kind.DATE, Kind.TIMESTAMP}
_READ = {*_LOCAL, Kind.TIMESTAMPTZ}
_PARTS = {*_LOCAL, Kind.TIME}
_ALTERNATIVES = (exp.Coalesce, exp.Greatest, exp.Least, exp.Case, exp.Array, exp.If)
_SETS = (exp.Union, exp.Except, exp.Intersect)
_SUMS = (exp.Add, exp.Sub)


def localize(tree: exp.Expr, nodes: Nodes, types: Types) -> None:
    """Rewrite a tree in place, inner nodes first.

    Raises:
        QueryError: a literal is no date or moment.
        NotSupportedError: something is only right in UTC.
    """
    if types.times.is_plain:
        return
    for node in reversed(list(tree.walk())):
        if isinstance(node, exp.Cast):
            _localize_cast(node, types)
        elif not types.times.zone.is_never_ahead:
            _localize_node(node, types)
        elif isinstance(node, exp.Func):
            localize_call(node, types)
    nodes.renew()


def _localize_node(node: exp.Expr, types: Types) -> None:
    if isinstance(node, COMPARED):
        for group in compared(node):
            _agree([strip(each) for each in group], types)
    if isinstance(node, _ALTERNATIVES):
        _agree(alternatives(node), types)
    rule = _RULES.get(type(node))
    if rule is not None:
        rule(node, types)
    elif isinstance(node, exp.Func):
        localize_call(node, types)


# --- casts ---------------------------------------------------------------------------------------


def _localize_cast(node: exp.Cast, types: Types) -> None:
    source, target = types.of(node.this), data_type_of(node.to)
    inner = strip(node.this)
    if target is None:
        return
    if target.element is not None or (source is not None and source.element is not None):
        _read_elements(inner, node, _innermost(target), types)
        fresh = _array_to(node, inner, source, target, types)
    elif isinstance(inner, exp.Literal) and inner.is_string:
        if target.kind in _READ:
            convert_time_literal(inner, target, types.times.literals)
        return
    elif target.kind in _READ and (source is None or source.kind is Kind.TEXT):
        if source is None and not isinstance(inner, exp.Null | exp.Parameter):
            raise no_zone(f"a cast of an unknown type to {target}", node, types.times)
        fresh = None if source is None else words(node.this, target.kind, types.times)
    else:
        fresh = _value_to(node.this, source, target, types)
    if fresh is not None:
        node.set("this", fresh)


def _value_to(
    value: exp.Expr, source: DataType | None, target: DataType, types: Types
) -> exp.Expr | None:
    """Return what is cast instead of a value that is no text; None for the value itself."""
    if source is None or types.times.zone.is_never_ahead:
        return None
    fresh: exp.Expr | None = None
    if source.kind is Kind.TIMESTAMPTZ and target.kind in _PARTS:
        fresh = local(value, types.times)
        types.note(fresh, TIMESTAMP)
    elif source.kind is Kind.TIMESTAMPTZ and target.kind is Kind.TEXT:
        fresh = _text_of(value, types)
    elif source.kind in _LOCAL and target.kind is Kind.TIMESTAMPTZ:
        fresh = moment(value, types.times)
        types.note(fresh, TIMESTAMPTZ)
    return fresh


def _text_of(node: exp.Expr, types: Types) -> exp.Expr:
    """Return a moment's text with its offset, or an array of such texts."""
    is_array = types.kind_of(node) is Kind.ARRAY
    given = (node.copy(), *zone_arguments(types.times))
    name, found = ("pg_sg_zoned_texts", "TEXT[]") if is_array else ("pg_sg_zoned_text", "TEXT")
    fresh = cast(call(name, *given), found)
    types.note(fresh, DataType(kind=Kind.ARRAY, element=TEXT) if is_array else TEXT)
    return fresh


def _innermost(data_type: DataType) -> DataType:
    while data_type.element is not None:
        data_type = data_type.element
    return data_type


def _read_elements(inner: exp.Expr, node: exp.Cast, wanted: DataType, types: Types) -> None:
    """Read the texts in an array that is cast to an array of times."""
    if wanted.kind in _READ and isinstance(inner, exp.Array):
        for each in inner.find_all(exp.Literal):
            if each.is_string and each.find_ancestor(exp.Cast, exp.Func) in {node, inner}:
                convert_time_literal(each, wanted, types.times.literals)


def _array_to(
    node: exp.Cast, inner: exp.Expr, source: DataType | None, target: DataType, types: Types
) -> exp.Expr | None:
    """Return what is cast instead of an array; None for the array itself.

    Raises:
        NotSupportedError: its elements would have to be converted one by one.
    """
    if source is None:
        return None
    given, wanted = _innermost(source).kind, _innermost(target).kind
    if given is wanted or given is Kind.NULL or {given, wanted}.isdisjoint(_READ):
        return None
    is_text = given is Kind.TEXT
    if is_text and isinstance(inner, exp.Array):
        return None
    if not is_text and (types.times.zone.is_never_ahead or Kind.TIMESTAMPTZ not in (given, wanted)):
        return None
    if given is Kind.TIMESTAMPTZ and wanted is Kind.TEXT and source.element == TIMESTAMPTZ:
        return _text_of(node.this, types)
    raise no_zone(f"a cast of {source} to {target}", node, types.times)


# --- values that meet ----------------------------------------------------------------------------


def _agree(values: Sequence[exp.Expr], types: Types) -> None:
    """Make moments of the dates and timestamps beside a moment."""
    found = [value_type(each, types) for each in values]
    known = {each.kind for each in found if each is not None}
    if Kind.TIMESTAMPTZ not in known or known.isdisjoint(_LOCAL):
        return
    for value, of in zip(values, found, strict=True):
        if of is None or of.kind not in _LOCAL or is_open(value):
            continue
        if isinstance(value, exp.Any | exp.All | exp.Query | exp.Subquery):
            raise no_zone(
                "a comparison of timestamptz with rows of another type", value, types.times
            )
        _replace_with_moment(value, types)


def _replace_with_moment(value: exp.Expr, types: Types) -> None:
    fresh = moment(value, types.times)
    put(value, fresh)
    types.note(fresh, TIMESTAMPTZ)


def _agree_in_columns(node: exp.Expr, types: Types) -> None:
    """Make moments of the columns of VALUES or of a set operation that stand beside moments."""
    branches = list(_branches(node))
    widths = {len(branch) for branch in branches}
    if len(widths) != 1:
        return
    for column in zip(*branches, strict=True):
        _agree([strip(item.unalias()) for item in column], types)


def _branches(tree: exp.Expr) -> Iterator[Sequence[exp.Expr]]:
    if isinstance(tree, exp.SetOperation):
        yield from _branches(tree.this)
        yield from _branches(tree.expression)
    elif isinstance(tree, exp.Subquery | exp.Paren):
        yield from _branches(tree.this)
    elif isinstance(tree, exp.Values):
        for row in tree.expressions:
            yield row.expressions if isinstance(row, exp.Tuple) else (row,)
    elif isinstance(tree, exp.Select):
        yield tree.expressions
    else:
        yield ()


def _localize_sum(node: exp.Expr, types: Types) -> None:
    """Add an interval by the local calendar, or make both sides of a difference moments."""
    left, right = types.operands(node)
    known = {each.kind for each in (left, right) if each is not None}
    if Kind.TIMESTAMPTZ not in known:
        return
    if not known.isdisjoint(_LOCAL):
        _agree([node.this, node.expression], types)
        return
    if Kind.INTERVAL not in known:
        return
    is_swapped = left is not None and left.kind is Kind.INTERVAL
    for side, of in ((node.this, left), (node.expression, right)):
        bare = strip(side)
        if isinstance(bare, exp.Literal) and bare.is_string and of is not None:
            put(bare, typed_literal(bare, of, types.times.literals))
    time, by = node.this, node.expression
    if is_swapped:
        time, by = by, time
    if not has_days(by):
        return
    if isinstance(node, exp.Sub):
        by = exp.Neg(this=exp.Paren(this=by.copy()))
        types.note(by, INTERVAL)
    fresh = moved(time, by, types.times)
    put(node, fresh)
    types.note(fresh, TIMESTAMPTZ)


def _localize_concatenation(node: exp.Expr, types: Types) -> None:
    """Print the moment beside a text."""
    for side in (node.this, node.expression):
        other = node.expression if side is node.this else node.this
        if types.kind_of(side) is Kind.TIMESTAMPTZ and types.kind_of(other) is not Kind.ARRAY:
            put(side, _text_of(side, types))


def _localize_overlaps(node: exp.Expr, types: Types) -> None:
    """Add the intervals of OVERLAPS by the local calendar, and make all of its ends moments."""
    starts: list[exp.Expr] = []
    for side in (strip(node.this), strip(node.expression)):
        if not isinstance(side, exp.Tuple) or len(side.expressions) != 2:
            return
        start, end = side.expressions
        if types.kind_of(start) is Kind.TIMESTAMPTZ and types.kind_of(end) is Kind.INTERVAL:
            fresh = moved(start, end, types.times)
            put(end, fresh)
            types.note(fresh, TIMESTAMPTZ)
        starts += side.expressions
    _agree([each for each in starts if types.kind_of(each) is not Kind.INTERVAL], types)


def _check_frame(node: exp.Expr, types: Types) -> None:
    """Refuse a frame of days over moments: they are days of the local calendar."""
    window = node.parent
    order = None if window is None else window.args.get("order")
    terms = [] if order is None else order.expressions
    is_range = str(node.args.get("kind") or "").upper() == "RANGE"
    if not is_range or not any(types.kind_of(t.this) is Kind.TIMESTAMPTZ for t in terms):
        return
    for end in ("start", "end"):
        bound = node.args.get(end)
        bare = strip(bound) if isinstance(bound, exp.Expr) else None
        if isinstance(bare, exp.Literal) and bare.is_string:
            bare = typed_literal(bare.copy(), INTERVAL, types.times.literals)
        if bare is not None and has_days(bare):
            raise no_zone("RANGE with an interval of days", node, types.times)


def _localize_at_zone(node: exp.Expr, types: Types) -> None:
    """Read a date or a text before AT TIME ZONE as a moment."""
    value = strip(node.this)
    if isinstance(value, exp.Literal) and value.is_string:
        put(value, typed_literal(value, TIMESTAMPTZ, types.times.literals))
    elif types.kind_of(value) is Kind.DATE:
        _replace_with_moment(value, types)


def _check_join(node: exp.Expr, types: Types) -> None:
    """Refuse USING of moments and local times, which would have to become moments."""
    select = node.parent
    if not isinstance(select, exp.Select):
        return
    for name in node.args.get("using") or ():
        kinds = {each.kind for each in types.columns.of_merged(select, name.name)}
        if Kind.TIMESTAMPTZ in kinds and not kinds.isdisjoint(_LOCAL):
            raise no_zone("USING of columns of different types", node, types.times)


_RULES: Mapping[type[exp.Expr], Callable[[exp.Expr, Types], None]] = {
    **dict.fromkeys(_SUMS, _localize_sum),
    exp.DPipe: _localize_concatenation,
    exp.Overlaps: _localize_overlaps,
    exp.WindowSpec: _check_frame,
    exp.AtTimeZone: _localize_at_zone,
    exp.Join: _check_join,
    exp.Values: _agree_in_columns,
    **dict.fromkeys(_SETS, _agree_in_columns),
}
"""The rules, by type of node."""
