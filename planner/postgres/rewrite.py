"""Rewrites a bound tree, which has PostgreSQL's meaning, to one that DuckDB runs with that meaning.

Each rule takes a node and returns the node that replaces it, or the same one. `RULES` lists them by
type of node. Types come from `inference`. If a type is not certain, a rule leaves the node as it
is, and DuckDB decides.

Rules are in the module of their kind of expression (`arithmetic`, `casts`, …); the rules of calls
are in `calls`. This module has the rule of EXTRACT and the rules of whole queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError, MismatchedTypeError
from stategate.planner.postgres import common_types
from stategate.planner.postgres.expressions import (
    aggregates,
    arithmetic,
    array_parts,
    array_rows,
    casts,
    concatenation,
    conditions,
    guards,
    long_filters,
    number_calls,
    patterns,
    rows,
    text_calls,
)
from stategate.planner.postgres.expressions.calls import rewrite_call
from stategate.planner.postgres.expressions.documents import json_paths, json_rules
from stategate.planner.postgres.expressions.interval_calls import at_zone
from stategate.planner.postgres.expressions.late_errors import is_late, raise_late
from stategate.planner.postgres.expressions.rows import write_rows
from stategate.planner.postgres.expressions.rules import Rule, copies
from stategate.planner.postgres.expressions.time_calls import extracted
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open, is_recursive
from stategate.planner.postgres.types.result_types import FLOATS, INTEGERS, NUMERIC
from stategate.planner.postgres.types.type_choice import common_place, name_of
from stategate.planner.postgres.window_frames import read_frame
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.known_arguments import check_known
from stategate.planner.trees.nodes import Nodes, call, cast, position_of, put, strip, wrapped
from stategate.planner.values.sqltypes import format_type
from stategate.planner.values.type_modifiers import unsized
from stategate.stores.spec.schema import TEXT, DataType, Kind


def apply(tree: exp.Expr, nodes: Nodes, types: Types) -> None:
    """Rewrite a tree in place, inner nodes first.

    Raises:
        QueryError: a value does not parse, types do not match, or something is not supported.
    """
    if _may_apply(nodes):
        _apply_rules(tree, nodes, types)
    if long_filters.may_be_in(nodes):
        long_filters.enclose(nodes)
        nodes.renew()


def _apply_rules(tree: exp.Expr, nodes: Nodes, types: Types) -> None:
    # Inner nodes first; and PARTITION BY and FILTER before their aggregate, which may copy them.
    for node in reversed(list(tree.dfs())):
        checkpoint()
        rule = RULES.get(type(node))
        if rule is not None:
            check_known(node)
        elif isinstance(node, exp.Func):
            rule = rewrite_call
        # The root has no parent to put another node into; rules of set operations change it inside.
        if rule is None or (node.parent is None and not isinstance(node, exp.SetOperation)):
            continue
        known = types.of(node)
        try:
            fresh = rule(node, types)
        except InvalidValueError as error:
            if not is_late(node, error):
                raise
            fresh = raise_late(node, error, types)
        if fresh is not node:
            types.note(fresh, known)
            if "start" in node.meta:
                fresh.meta.setdefault("start", node.meta["start"])
            called = node.this if isinstance(node, exp.WithinGroup) else node
            if isinstance(called, exp.Func):
                _note_name(fresh, call_name(called))
    write_rows(tree, types)
    guards.apply(tree)
    nodes.renew()


_MADE_DEPTH = 4
"""How deep the calls are that a rule makes of one."""


def _note_name(made: exp.Expr, name: str, depth: int = _MADE_DEPTH) -> None:
    """Note which function was called where DuckDB calls another one, for its errors."""
    if "start" in made.meta and depth < _MADE_DEPTH:
        return  # written by the user
    if isinstance(made, exp.Anonymous) and made.name.lower() != name:
        made.meta.setdefault("written", name)
    for inner in made.iter_expressions() if depth else ():
        _note_name(inner, name, depth - 1)


def _may_apply(nodes: Nodes) -> bool:
    """Whether a rule can apply; if not, a lookup by key is planned without a walk of its tree."""
    if any(kind in _RULED or issubclass(kind, exp.Func) for kind in set(nodes.types) - _COMMON):
        return True
    sides = [where.this for where in nodes.of(exp.Where)]
    for both in nodes.of(exp.And):
        sides += (both.this, both.expression)
    return any(not isinstance(side, exp.Predicate | exp.And) for side in sides)


def _extract(node: exp.Expr, types: Types) -> exp.Expr:
    """Keep the fraction of a second in `extract`, as a numeric; DuckDB's has whole seconds."""
    fresh = extracted(node.this.name, node.expression, types, exact=True)
    return put(node, fresh)


def _check_recursion(node: exp.Expr, types: Types) -> exp.Expr:
    """Check the types of a recursive query, and widen numerics that can grow.

    PostgreSQL refuses other types in the recursive part; DuckDB casts them to those of the first
    part.
    """
    assert isinstance(node, exp.Union)
    if not is_recursive(node):
        fresh = common_types.agree_in_sets(node, types)
        return _kept_apart(fresh) if isinstance(node.parent, exp.CTE) else fresh
    first, widened = types.columns.of_first(node), types.columns.widened(node)
    name = node.parent.alias if node.parent is not None else ""
    untyped = _nulls_as_texts(node.this)
    for place, (given, item) in enumerate(zip(first, node.expression.selects, strict=False), 1):
        other = None if is_open(item.unalias()) else types.of(item.unalias())
        one = TEXT if place in untyped else given
        if one is None or other is None or other.kind is Kind.NULL:
            continue
        overall = other if place in untyped else _overall(one, other)
        if overall != one:
            raise MismatchedTypeError(
                f'recursive query "{name}" column {place} has type {format_type(one)} in '
                f"non-recursive term but type {format_type(overall)} overall",
                hint="Cast the output of the non-recursive term to the correct type.",
                position=position_of(node.this),
            )
    if any(widened):
        _widen_first(node, widened)
    return node


def _nulls_as_texts(query: exp.Expr) -> set[int]:
    """Make each bare NULL of a SELECT list a text, as PostgreSQL does; return their places."""
    found: set[int] = set()
    for place, item in enumerate(query.selects if isinstance(query, exp.Select) else [], 1):
        value = strip(item.unalias())
        if isinstance(value, exp.Null):
            found.add(place)
            put(value, cast(exp.Null(), "TEXT"))
    return found


def _overall(one: DataType, other: DataType) -> DataType:
    """Return the type of a column of which one part is recursive."""
    place = common_place([name_of(one), name_of(other)])
    if place == 1 and name_of(one) != name_of(other):
        return other
    return one if one.kind is not Kind.TEXT or one == other else unsized(one) or one


def _kept_apart(union: exp.Expr) -> exp.Expr:
    """Put a UNION that does not read itself into FROM: DuckDB takes it for a recursive query."""
    with_ = union.find_ancestor(exp.With)
    if with_ is None or not with_.args.get("recursive"):
        return union
    alias = exp.TableAlias(this=exp.to_identifier("whole"))
    whole = exp.Subquery(this=union.copy(), alias=alias)
    return put(union, exp.Select(expressions=[exp.Star()], from_=exp.From(this=whole)))


def _widen_first(node: exp.Union, widened: Sequence[bool]) -> None:
    """Cast the numerics of the first part of a recursive query that can grow."""
    if any(item.is_star for item in node.this.selects):
        names = [exp.to_identifier(f"column{at}") for at in range(len(widened))]
        alias = exp.TableAlias(this=exp.to_identifier("first"), columns=names)
        inner = exp.Subquery(this=node.this.copy(), alias=alias)
        columns: list[exp.Expr] = [exp.Column(this=each.copy()) for each in names]
        put(node.this, exp.Select(expressions=columns, from_=exp.From(this=inner)))
    for item, is_widened in zip(node.this.selects, widened, strict=False):
        if is_widened:
            wrapped(item.unalias(), lambda inner: cast(inner, str(NUMERIC).upper()))


def _check_row_count(node: exp.Expr, types: Types) -> exp.Expr:
    """Check that LIMIT and OFFSET have a number without columns; DuckDB takes texts and booleans.

    Raises:
        InvalidSyntaxError: it has a column (42P10).
        MismatchedTypeError: it is not a number (42804).
    """
    word = "OFFSET" if isinstance(node, exp.Offset) else "LIMIT"
    count = node.args.get("count" if isinstance(node, exp.Fetch) else "expression")
    if count is None:
        return node
    for column in count.find_all(exp.Column):
        if column.parent_select is node.parent and types.of(column) is not None:
            raise InvalidSyntaxError(
                f"argument of {word} must not contain variables",
                position=position_of(column),
                sqlstate="42P10",
            )
    found = types.of(count)
    if found is not None and not is_open(count) and found.kind not in _NUMBERS:
        raise MismatchedTypeError(
            f"argument of {word} must be type bigint, not type {format_type(found)}",
            position=position_of(count),
        )
    # A macro raises PostgreSQL's error for a negative OFFSET; DuckDB raises one for LIMIT.
    if isinstance(node, exp.Offset) and not isinstance(count, exp.Literal):
        wrapped(count, lambda inner: call("pg_sg_offset", inner))
    return node


_NUMBERS = {*INTEGERS, *FLOATS, Kind.DECIMAL, Kind.NULL}


def _at_zone(node: exp.Expr, types: Types) -> exp.Expr:
    fresh = at_zone(node, node.args["zone"], node.this, types)
    return put(node, fresh)


def _overlaps(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `(a, b) OVERLAPS (c, d)` as a macro; b and d can be intervals."""
    lengths: list[exp.Expr] = []
    ends: list[exp.Expr] = []
    for side in (strip(node.this), strip(node.expression)):
        if not isinstance(side, exp.Tuple) or len(side.expressions) != 2:
            raise InvalidSyntaxError(
                "wrong number of parameters on side of OVERLAPS expression",
                position=position_of(side),
            )
        is_length = types.kind_of(side.expressions[1]) is Kind.INTERVAL
        (lengths if is_length else ends).extend(copies(side.expressions))
    # The sides may be swapped. A macro adds the intervals: a volatile value must not be written
    # twice here.
    name = {0: "pg_sg_overlaps", 2: "pg_sg_overlaps_length"}.get(len(lengths))
    return put(node, call(name or "pg_sg_overlaps_lengths", *lengths, *ends))


RULES: Mapping[type[exp.Expr], Rule] = {
    **arithmetic.RULES,
    **number_calls.RULES,
    **aggregates.RULES,
    **common_types.RULES,
    **casts.RULES,
    **concatenation.RULES,
    **conditions.RULES,
    **json_paths.RULES,
    **json_rules.RULES,
    **patterns.RULES,
    exp.AtTimeZone: _at_zone,
    **array_parts.RULES,
    **array_rows.RULES,
    **rows.RULES,
    **text_calls.RULES,
    exp.Extract: _extract,
    **dict.fromkeys((exp.Limit, exp.Offset, exp.Fetch), _check_row_count),
    exp.Overlaps: _overlaps,
    exp.Union: _check_recursion,
    exp.WindowSpec: read_frame,
}
"""The rules, by type of node."""
_COMMON: set[type[exp.Expr]] = {exp.EQ, exp.NEQ, exp.And, exp.Where, exp.Table}
"""The nodes of lookups by key; if there are no others, no rule changes them."""
_RULED = {*RULES, exp.Tuple}
