"""A bound tree in Postgres's meaning to one that means the same in DuckDB: operators and casts.

The one place where the two differ. Each rule is a function from a node to the node that takes its
place (or the same); `RULES` says which nodes it reads. Types come from `inference`: where a type is
not certain, a rule leaves the node alone, and DuckDB's meaning holds. Calls by name are in `calls`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias

from sqlglot import exp

from planner.calls import JSON_ROWS, extracted, rewrite_call
from planner.errors import NotSupported, TypeProblem
from planner.functions import call_name
from planner.inference import (
    FLOATS,
    INTEGERS,
    NUMERIC,
    Types,
    arguments,
    as_decimal,
    common_type,
    is_recursive,
)
from planner.literals import bytes_of, check_literal
from planner.names import type_name
from planner.patterns import regular_expression, similar_to
from planner.predicates import strip
from planner.sqltypes import data_type_of
from planner.trees import built_type, call, cast, outermost, position_of, wrapped
from planner.values import parse_value
from planner.walk import Nodes
from stores.schema import BOOLEAN, BYTEA, DOUBLE, INTEGER, TEXT, DataType, Kind

_SHORT, SMALLINT = {Kind.TINYINT, Kind.SMALLINT}, DataType(kind=Kind.SMALLINT)
Rule: TypeAlias = Callable[[exp.Expr, Types], exp.Expr]


def apply(tree: exp.Expr, nodes: Nodes, types: Types) -> None:
    """Rewrite a tree in place, inner nodes first.

    Raises:
        QueryError: a value that does not parse, types that do not go together, something that is
            not run here.
    """
    if not _concerns(nodes):
        return
    for node in reversed(list(tree.walk())):
        rule = RULES.get(type(node)) or (rewrite_call if isinstance(node, exp.Func) else None)
        if rule is None or node.parent is None:
            continue
        known = types.of(node)
        fresh = rule(node, types)
        if fresh is not node:
            types.note(fresh, known)
            if "start" in node.meta:
                fresh.meta.setdefault("start", node.meta["start"])


def _concerns(nodes: Nodes) -> bool:
    """Whether a rule can have something to say: lookups by key are planned without a walk."""
    if any(kind in _LOUD or issubclass(kind, exp.Func) for kind in set(nodes.types) - _COMMON):
        return True
    sides = [where.this for where in nodes.of(exp.Where)]
    for both in nodes.of(exp.And):
        sides += (both.this, both.expression)
    return any(not isinstance(side, exp.Predicate | exp.And) for side in sides)


def _divide(node: exp.Expr, types: Types) -> exp.Expr:
    """A numeric by a numeric is one, exact to 16 digits behind the point; not a double."""
    _adopt_literals(node, types)
    left, right = types.of(node.this), types.of(node.expression)
    if left is not None and left.kind is Kind.INTERVAL:
        one = cast(exp.Literal.number(1), "DOUBLE")
        share = exp.Paren(this=exp.Div(this=one, expression=node.expression.copy()))
        fresh: exp.Expr = exp.Mul(this=node.this.copy(), expression=share)
        node.replace(fresh)
        return fresh
    exact = as_decimal(left), as_decimal(right)
    are_whole = left is not None and right is not None and {left.kind, right.kind} <= set(INTEGERS)
    if None in exact or are_whole:
        return _add(node, types)
    assert exact[0] is not None
    assert exact[1] is not None
    fresh = quotient(node.this, node.expression, exact[0].scale, exact[1].scale)
    node.replace(fresh)
    return fresh


def quotient(left: exp.Expr, right: exp.Expr, left_scale: int, right_scale: int) -> exp.Expr:
    """A numeric divided by another; the scales are as many digits as each can have."""
    apart = right_scale - left_scale
    return call(
        "pg_sg_quotient",
        _whole(left, left_scale),
        _whole(right, right_scale),
        cast(exp.Literal.number(10 ** max(apart, 0)), "HUGEINT"),
        cast(exp.Literal.number(10 ** max(-apart, 0)), "HUGEINT"),
        cast(exp.Literal.string(f"1e{apart}"), "DOUBLE"),
    )


def _whole(node: exp.Expr, scale: int) -> exp.Expr:
    """A decimal without its point, as a 128 bit integer."""
    exact = cast(node.copy(), f"DECIMAL(38,{scale})")
    if scale:
        exact = exp.Mul(this=exact, expression=exp.Literal.number(10**scale))
    return cast(exact, "HUGEINT")


def _add(node: exp.Expr, types: Types) -> exp.Expr:
    """Arithmetic: real with anything but real is a double, the difference of dates an integer."""
    _adopt_literals(node, types)
    _widen(node, types)
    left, right = types.of(node.this), types.of(node.expression)
    if left is None or right is None:
        return node
    if isinstance(node, exp.Sub) and left.kind is right.kind is Kind.DATE:
        return wrapped(node, lambda inner: cast(inner, "INTEGER"))
    if Kind.REAL in {left.kind, right.kind} and left.kind is not right.kind:
        for side in (node.this, node.expression):
            if types.kind_of(side) is Kind.REAL:
                types.note(wrapped(side, lambda inner: cast(inner, "DOUBLE")), DOUBLE)
    return node


def _widen(node: exp.Expr, types: Types) -> None:
    """DuckDB takes the number 1 as narrow as what is beside it; in Postgres it is an integer.

    There is no type of one byte either: two of ours make a smallint.
    """
    kinds = types.kind_of(node.this), types.kind_of(node.expression)
    for side, kind, other in ((node.this, *kinds), (node.expression, *kinds[::-1])):
        wider = None
        if kind is Kind.INTEGER and other in _SHORT and isinstance(strip(side), exp.Literal):
            wider = INTEGER
        elif kind is other is Kind.TINYINT:
            wider = SMALLINT
        if wider is not None:
            types.note(wrapped(side, partial(cast, data_type=str(wider).upper())), wider)


def _adopt_literals(node: exp.Expr, types: Types) -> None:
    """A text literal beside a number or a time is one itself."""
    for literal, other in ((node.this, node.expression), (node.expression, node.this)):
        kind = types.of(other)
        if not (isinstance(literal, exp.Literal) and literal.is_string) or kind is None:
            continue
        if kind.kind in INTEGERS or kind.kind in {Kind.DECIMAL, *FLOATS}:
            if kind.kind is Kind.DECIMAL:
                kind = types.bare_numeric(literal) or kind
            check_literal(literal, kind)
            fresh = cast(literal.copy(), str(kind).upper())
            literal.replace(fresh)
            types.note(fresh, kind)


def _concatenate(node: exp.Expr, types: Types) -> exp.Expr:
    """`array || element` and `element || array`, which DuckDB does not have."""
    left, right = types.of(node.this), types.of(node.expression)
    if left is None or right is None:
        return node
    arrays = left.kind is Kind.ARRAY, right.kind is Kind.ARRAY
    if arrays == (True, False) and not _is_text_array(node.expression):
        fresh = call("list_append", node.this.copy(), node.expression.copy())
    elif arrays == (False, True) and not _is_text_array(node.this):
        fresh = call("list_prepend", node.this.copy(), node.expression.copy())
    elif Kind.BOOLEAN in {left.kind, right.kind}:
        for side in (node.this, node.expression):
            if types.kind_of(side) is Kind.BOOLEAN:
                types.note(wrapped(side, lambda inner: cast(inner, "TEXT")), TEXT)
        return node
    elif Kind.JSON in {left.kind, right.kind}:
        raise NotSupported(
            "|| of json values is not supported",
            hint="json_merge_patch(a, b) merges two objects.",
            position=position_of(node),
        )
    else:
        return node
    node.replace(fresh)
    return fresh


def _is_text_array(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and node.name.startswith("{")


def _average(node: exp.Expr, types: Types) -> exp.Expr:
    """The avg of exact numbers is numeric: their sum, which is exact, by their number."""
    of = _only_type(node, types)
    exact = as_decimal(of)
    if exact is None or of is None:
        return node
    aggregate = outermost(node)
    total = _swapped(aggregate, lambda inner: exp.Sum(this=inner))
    count = _swapped(aggregate, lambda inner: exp.Count(this=inner))
    fresh = quotient(total, call("nullif", count, exp.Literal.number(0)), exact.scale, 0)
    types.note(fresh, NUMERIC)
    aggregate.replace(fresh)
    return fresh


def _swapped(aggregate: exp.Expr, make: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """Another aggregate of the same argument, with the same FILTER and OVER."""
    holder = exp.Paren(this=aggregate.copy())
    inner: exp.Expr = holder.this
    while not isinstance(inner, exp.Avg):
        inner = inner.this
    inner.replace(make(inner.this.copy()))
    made: exp.Expr = holder.this
    return made


def _only_type(node: exp.Expr, types: Types) -> DataType | None:
    found = arguments(node)
    return types.of(found[0]) if found else None


def _sum(node: exp.Expr, types: Types) -> exp.Expr:
    """The sum of integers is bigint, of reals real; DuckDB's are wider."""
    of = _only_type(node, types)
    if of is None:
        return node
    if of.kind is Kind.INTERVAL:
        raise NotSupported(
            "sum of intervals is not supported",
            hint="Sum extract(epoch FROM …) and multiply by interval '1 second'.",
            position=position_of(node),
        )
    if of.kind is Kind.TEXT:
        raise TypeProblem(
            "function sum(text) does not exist", position=position_of(node), sqlstate="42883"
        )
    name = {Kind.REAL: "REAL", **dict.fromkeys((*_SHORT, Kind.INTEGER), "BIGINT")}.get(of.kind)
    if name is None:
        return node
    aggregate = outermost(node)
    known = types.of(node)
    fresh = wrapped(aggregate, lambda inner: cast(inner, name))
    types.note(fresh, known)
    return fresh


def _round(node: exp.Expr, types: Types) -> exp.Expr:
    """A double is rounded to the even neighbour; round, ceil and floor of integers are doubles.

    A numeric is rounded away from zero, as DuckDB does.
    """
    kind = types.kind_of(node.this)
    if node.args.get("decimals") is not None:
        return node
    if kind in INTEGERS:
        return wrapped(node, lambda inner: cast(inner, "DOUBLE"))
    if kind in FLOATS and isinstance(node, exp.Round):
        fresh = call("round_even", cast(node.this.copy(), "DOUBLE"), exp.Literal.number(0))
        node.replace(fresh)
        return fresh
    return node


def _extract(node: exp.Expr, types: Types) -> exp.Expr:
    """What extract gives is numeric, with the fraction of a second; DuckDB cuts it off."""
    fresh = extracted(node.this.name, node.expression, types, exact=True)
    node.replace(fresh)
    return fresh


def _interval(node: exp.Expr, types: Types) -> exp.Expr:
    """A literal interval as a cast, which stands in every place that an expression can."""
    del types
    value, unit = node.this, node.args.get("unit")
    if not (isinstance(value, exp.Literal) and value.is_string | value.is_number):
        return node
    if isinstance(unit, exp.IntervalSpan):
        raise NotSupported(
            "an interval of several fields is not supported",
            hint="Write interval '1 year 2 months'.",
            position=position_of(value),
        )
    text = value.name if unit is None else f"{value.name} {unit.name}"
    fresh = cast(exp.Literal.string(text), "INTERVAL")
    node.replace(fresh)
    return fresh


def _cast(node: exp.Expr, types: Types) -> exp.Expr:
    """Casts that parse, print or round otherwise than DuckDB's."""
    assert isinstance(node, exp.Cast)
    _name_type(node)
    for inner_type in node.to.expressions:
        is_bare = isinstance(inner_type, exp.DataType) and not inner_type.expressions
        if is_bare and inner_type.this is exp.DType.DECIMAL:
            inner_type.replace(built_type(str(NUMERIC).upper()))  # DuckDB's has three places
    target, inner = data_type_of(node.to), strip(node.this)
    if isinstance(inner, exp.Literal) and inner.is_string:
        return _cast_literal(node, inner, target, types)
    source = types.of(node.this)
    if node.to.this is exp.DType.DECIMAL and not node.to.expressions:
        found = types.of(node)
        if found is not None:
            node.set("to", built_type(str(found).upper()))
        _shorten(node, source)
    elif target is not None and source is not None:
        _convert(node, source, target)
        if target.kind is Kind.DECIMAL:
            _shorten(node, source)
    return node


def _shorten(node: exp.Cast, source: DataType | None) -> None:
    """A float becomes numeric with the digits that are certain, 6 or 15, as in Postgres."""
    if source is not None and source.kind in FLOATS:
        digits = "%.6g" if source.kind is Kind.REAL else "%.15g"
        printed = call("printf", exp.Literal.string(digits), cast(node.this.copy(), "DOUBLE"))
        node.set("this", printed)


def _name_type(node: exp.Cast) -> None:
    """Types of Postgres that are text or numbers of ours."""
    name = type_name(node.to).removeprefix("_")
    known = {"name": "TEXT", "bpchar": "TEXT", "oid": "BIGINT", '"char"': "TEXT", "citext": "TEXT"}
    if name in known and not node.to.expressions:
        node.set("to", built_type(known[name]))


def _convert(node: exp.Cast, source: DataType, target: DataType) -> None:
    macro = None
    if target.kind is Kind.TEXT:
        printed = {Kind.ARRAY: "pg_sg_array_text", Kind.BYTEA: "pg_sg_bytea_text"}
        printed |= dict.fromkeys(FLOATS, "pg_sg_float_text")
        macro = printed.get(source.kind)
    elif source.kind is Kind.TEXT and target.kind is Kind.BOOLEAN:
        macro = "pg_sg_boolean"
    elif source.kind is Kind.TEXT and target.kind in INTEGERS:
        macro = "pg_sg_whole"
    elif source.kind is Kind.TIMESTAMPTZ and target.kind is Kind.TIME:
        node.set("this", cast(node.this.copy(), "TIMESTAMP"))
    elif source.kind is Kind.TEXT and target == BYTEA:
        macro = "encode"
    if macro is not None:
        node.set("this", call(macro, node.this.copy()))


def _cast_literal(
    node: exp.Cast, literal: exp.Literal, target: DataType | None, types: Types
) -> exp.Expr:
    if target is None:
        found = types.of(node)
        if node.to.this is exp.DType.DECIMAL and found is not None:
            node.set("to", built_type(str(found).upper()))
        return node
    if target.kind in INTEGERS or target.kind is Kind.BOOLEAN:
        value = check_literal(literal, target)
        if target == BOOLEAN:
            literal.replace(exp.Boolean(this=bool(value)))
    elif target.kind is Kind.JSON:
        check_literal(literal, target)
    elif target.kind is Kind.BYTEA:
        fresh = bytes_of(literal)
        node.replace(fresh)
        return fresh
    return node


def _like(node: exp.Expr, types: Types) -> exp.Expr:
    r"""LIKE escapes with `\` unless ESCAPE says otherwise; in DuckDB nothing does."""
    del types
    pattern = strip(node.expression)
    is_plain = isinstance(pattern, exp.Literal) and "\\" not in pattern.name
    if isinstance(node.parent, exp.Escape) or is_plain or isinstance(pattern, exp.Any | exp.All):
        return node
    return wrapped(node, lambda inner: exp.Escape(this=inner, expression=exp.Literal.string("\\")))


def _regexp(node: exp.Expr, types: Types) -> exp.Expr:
    """`~` and `~*`."""
    del types
    pattern = strip(node.expression)
    if isinstance(pattern, exp.Literal):
        found = regular_expression(pattern.name, position_of(pattern))
        pattern.replace(exp.Literal.string(found))
    return node


def _similar(node: exp.Expr, types: Types) -> exp.Expr:
    del types
    pattern = strip(node.expression)
    if not isinstance(pattern, exp.Literal):
        raise NotSupported(
            "SIMILAR TO takes a pattern that is written out",
            hint="Use ~ with a regular expression.",
            position=position_of(node),
        )
    escape = node.parent.expression.name if isinstance(node.parent, exp.Escape) else "\\"
    fresh = exp.RegexpLike(
        this=node.this.copy(), expression=exp.Literal.string(similar_to(pattern.name, escape))
    )
    (node.parent if isinstance(node.parent, exp.Escape) else node).replace(fresh)
    return fresh


def _compare_rows(node: exp.Expr, types: Types) -> exp.Expr:
    """(a, b) = (c, d) is NULL if that is not certain; in DuckDB NULL equals NULL in a row."""
    del types
    left, right = strip_one(node.this), strip_one(node.expression)
    if not (isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple)):
        return node
    pairs = list(zip(left.expressions, right.expressions, strict=False))
    if len(left.expressions) != len(right.expressions) or not pairs:
        return node
    compared = [type(node)(this=a.copy(), expression=b.copy()) for a, b in pairs]
    joined = exp.and_(*compared) if isinstance(node, exp.EQ) else exp.or_(*compared)
    fresh = exp.Paren(this=joined)
    node.replace(fresh)
    return fresh


def strip_one(node: exp.Expr) -> exp.Expr:
    """A row, whether or not ROW is written."""
    is_row = isinstance(node, exp.Anonymous) and node.name.lower() == "row"
    return exp.Tuple(expressions=node.expressions) if is_row else node


def _predicate(node: exp.Expr, types: Types) -> exp.Expr:
    """AND, OR, NOT, WHERE and HAVING take booleans only."""
    sides = [node.this, node.expression] if isinstance(node, exp.And | exp.Or) else [node.this]
    for side in sides:
        found = types.of(side)
        literal = isinstance(strip(side), exp.Literal) and strip(side).is_string
        if found is not None and not literal and found.kind not in {Kind.BOOLEAN, Kind.NULL}:
            raise TypeProblem(
                f"argument of {node.key.upper()} must be type boolean, not type {found}",
                position=position_of(side),
            )
    return node


def _json_member(node: exp.Expr, types: Types) -> exp.Expr:
    """`->` in an argument, where DuckDB takes it for an arrow."""
    del types
    if not isinstance(node.find_ancestor(exp.Func, exp.Query), exp.Func):
        return node
    fresh = call("json_extract", node.this.copy(), node.expression.copy())
    node.replace(fresh)
    return fresh


def _json_path(node: exp.Expr, types: Types) -> exp.Expr:
    """`#>` and `#>>`."""
    del types
    path = strip(node.expression)
    if isinstance(path, exp.Literal) and path.is_string:
        steps = parse_value(path.name, DataType(kind=Kind.ARRAY, element=TEXT))
        path = exp.Array(expressions=[exp.Literal.string(step) for step in steps])
    is_text = isinstance(node, exp.JSONBExtractScalar)
    name = "pg_sg_json_path_text" if is_text else "pg_sg_json_path"
    fresh = call(name, node.this.copy(), path.copy())
    node.replace(fresh)
    return fresh


def _contains(node: exp.Expr, types: Types) -> exp.Expr:
    """`@>` and `<@` of json; of arrays they are DuckDB's."""
    sides = [node.this, node.expression]
    if isinstance(node, exp.ArrayContainedBy):
        sides.reverse()
    if not any(types.kind_of(side) is Kind.JSON for side in sides):
        return node
    fresh = call("json_contains", *(cast(side.copy(), "JSON") for side in sides))
    node.replace(fresh)
    return fresh


def _has_key(node: exp.Expr, types: Types) -> exp.Expr:
    del types
    fresh = call("pg_sg_json_has_key", node.this.copy(), node.expression.copy())
    node.replace(fresh)
    return fresh


def _recursion(node: exp.Expr, types: Types) -> exp.Expr:
    """A recursive query has the types of its first part; DuckDB rounds the rest to them."""
    assert isinstance(node, exp.Union)
    if not is_recursive(node):
        return node
    pairs = zip(node.this.selects, node.expression.selects, strict=False)
    for i, ((first, rest), is_widened) in enumerate(zip(pairs, types.widened(node), strict=True)):
        one, other = types.of(first.unalias()), types.of(rest.unalias())
        if one is not None and one.kind in INTEGERS and other is not None:
            overall = common_type((one, other))
            if overall not in {one, None}:
                raise TypeProblem(
                    f"recursive query column {i + 1} has type {one} in non-recursive term "
                    f"but type {overall} overall",
                    hint="Cast the output of the non-recursive term to the correct type.",
                    position=position_of(first),
                )
        if is_widened:
            wrapped(first.unalias(), lambda inner: cast(inner, str(NUMERIC).upper()))
    return node


def _frame(node: exp.Expr, types: Types) -> exp.Expr:
    """The offset of a RANGE frame can be a text, which is an interval."""
    del types
    for end in ("start", "end"):
        bound = node.args.get(end)
        if isinstance(bound, exp.Literal) and bound.is_string:
            node.set(end, cast(bound.copy(), "INTERVAL"))
    return node


def _column_of(node: exp.Expr, relation: str, column: str) -> str:
    """What the only column of a relation is called: it answers to the relation's name, too."""
    select = node.find_ancestor(exp.Select)
    columns = [] if select is None else [*select.find_all(exp.Column)]
    if not any(each.name == relation and not each.table for each in columns):
        return column
    for each in columns:
        if each.table == relation and each.name == column:
            each.set("this", exp.to_identifier(relation))
    return relation


def _rows(node: exp.Expr, types: Types) -> exp.Expr:
    """A function in FROM that gives the elements of a json value."""
    del types
    if not isinstance(node.this, exp.Anonymous):
        return node
    name = call_name(node.this)
    inner = JSON_ROWS.get(name)
    if inner is None:
        return node
    alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    if not alias.columns:
        column = name if name.endswith("_keys") else "value"
        column = _column_of(node, alias.name, column)
        alias.set("columns", [exp.to_identifier(column)])
    node.set("alias", alias)
    node.set("this", call("unnest", call(inner, node.this.expressions[0].copy())))
    return node


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Div: _divide,
    exp.Add: _add,
    exp.Sub: _add,
    exp.Mul: _add,
    exp.Mod: _add,
    exp.DPipe: _concatenate,
    exp.Avg: _average,
    exp.Sum: _sum,
    exp.Round: _round,
    exp.Ceil: _round,
    exp.Floor: _round,
    exp.Extract: _extract,
    exp.Interval: _interval,
    exp.Cast: _cast,
    exp.Like: _like,
    exp.ILike: _like,
    exp.RegexpLike: _regexp,
    exp.RegexpILike: _regexp,
    exp.SimilarTo: _similar,
    exp.EQ: _compare_rows,
    exp.NEQ: _compare_rows,
    exp.And: _predicate,
    exp.Or: _predicate,
    exp.Not: _predicate,
    exp.Where: _predicate,
    exp.Having: _predicate,
    exp.Union: _recursion,
    exp.WindowSpec: _frame,
    exp.Table: _rows,
    exp.JSONExtract: _json_member,
    exp.JSONBExtract: _json_path,
    exp.JSONBExtractScalar: _json_path,
    exp.ArrayContainsAll: _contains,
    exp.ArrayContainedBy: _contains,
    exp.JSONBContains: _has_key,
    exp.JSONBContainsTopKey: _has_key,
}
"""Which rule reads which nodes."""
_COMMON: set[type[exp.Expr]] = {exp.EQ, exp.NEQ, exp.And, exp.Where, exp.Table}
"""What lookups by key are made of; beside nothing else, its rules leave it as it is."""
_LOUD = {*RULES, exp.Tuple}
