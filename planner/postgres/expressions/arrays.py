"""Rules for `a[i]` and `a[i:j]`, and for calls that take or return an array or a series.

DuckDB counts negative subscripts from an array's end; PostgreSQL has no elements there. Names and
the vectors of the catalog (`pg_index.indkey`) begin at 0, and so do arrays cast from vectors.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.postgres.expressions.json_rules import json_subscript
from planner.postgres.expressions.printing import printed_elements
from planner.postgres.expressions.rules import CallRule, Rule, copies, unsupported
from planner.postgres.expressions.zone_forms import zoned_series
from planner.postgres.types.functions import call_name, columns_of_function
from planner.postgres.types.inference import Types
from planner.postgres.types.result_types import INTEGERS, common_type
from planner.trees.nodes import call, cast, strip
from planner.values.catalog_types import NAME, first_subscript
from planner.values.sqltypes import duckdb_type
from planner.values.times.time_settings import PLAIN_TIMES
from stores.spec.schema import DataType, Kind


def _string_to_array(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    null = given[2].copy() if len(given) > 2 else exp.null()
    found = call("pg_sg_string_to_array", *copies(given[:2]), null)
    return as_rows(node, found) if call_name(node) == "string_to_table" else found


def as_rows(node: exp.Expr, listed: exp.Expr) -> exp.Expr:
    """Return `unnest(array)` in place of a call that returns rows; in FROM it keeps its name."""
    table = node.parent
    names = columns_of_function(table) if isinstance(table, exp.Table) else None
    if isinstance(table, exp.Table) and names is not None:
        given = table.args.get("alias")
        relation = exp.to_identifier(call_name(node)) if given is None else given.this.copy()
        columns = [exp.to_identifier(name, quoted=True) for name in names]
        table.set("alias", exp.TableAlias(this=relation, columns=columns))
    return call("unnest", listed)


def _array_to_string(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    given = [printed_elements(given[0], types) or given[0], *given[1:]]
    if isinstance(strip(given[1]), exp.Literal):
        return (
            call("pg_sg_array_to_string", *copies(given))
            if len(given) > 2
            else call("array_to_string", *copies(given))
        )
    # DuckDB's function takes only a constant delimiter.
    null = given[2].copy() if len(given) > 2 else exp.null()
    return call("pg_sg_array_joined", *copies(given[:2]), null)


def _array_length(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    return call("pg_sg_array_length", *copies(given)) if len(given) > 1 else None


def _generate_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Turn a series of dates into one of moments, as PostgreSQL does."""
    for each in given[:2]:
        if types.kind_of(each) is Kind.DATE:
            each.replace(cast(each.copy(), "TIMESTAMPTZ"))
        if types.kind_of(each) is Kind.DECIMAL:
            raise unsupported(
                node,
                "generate_series of numeric is not supported",
                "Generate integers, and divide them.",
            )
    kind = types.kind_of(given[0])
    if kind in {Kind.TIMESTAMP, Kind.TIMESTAMPTZ} and len(given) > 2:
        listed = zoned_series(given, types.times if kind is Kind.TIMESTAMPTZ else PLAIN_TIMES)
        if listed is not None:
            return as_rows(node, cast(listed, f"{kind.name}[]"))
    return _bounded_series(node, given, types)


def _bounded_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Limit a series outside of FROM, where DuckDB's memory limit does not count it."""
    if isinstance(node.parent, exp.Table) or not given:
        return None
    start = exp.Literal.number(0) if len(given) == 1 else given[0].copy()
    step = given[2].copy() if len(given) > 2 else exp.Literal.number(1)
    stop = given[0] if len(given) == 1 else given[1]
    counts = types.kind_of(given[0]) in INTEGERS
    name = "pg_sg_series_end" if counts else "pg_sg_moments_end"
    stop.replace(call(name, start, stop.copy(), step))
    return None


def _counted(name: str, from_zero: str) -> CallRule:
    """Return a rule for a function of an array's bounds, with its macros for arrays and vectors."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
        first = first_subscript(types.of(given[0])) if given else 1
        return call(name if first else from_zero, *copies(given))

    return rule


def _array_position(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    name = "pg_sg_array_position" if len(given) > 2 else "array_position"
    found: exp.Expr = cast(call(name, *copies(given)), "INTEGER")
    if given and not first_subscript(types.of(given[0])):
        found = exp.Paren(this=exp.Sub(this=found, expression=exp.Literal.number(1)))
    return found


def _array_fill(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Fill an array; several dimensions make an array of arrays."""
    if len(given) > 2:
        raise unsupported(node, "array_fill() with lower bounds is not supported")
    dimensions = strip(given[1])
    several = dimensions.expressions if isinstance(dimensions, exp.Array) else []
    found = given[0].copy()
    for length in reversed(several[1:]):
        found = call("pg_sg_array_fill", found, exp.Array(expressions=[length.copy()]))
    last = exp.Array(expressions=copies(several[:1])) if several else given[1].copy()
    return call("pg_sg_array_fill", found, last)


def _array_positions(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    first = first_subscript(types.of(given[0])) if given else 1
    return call("pg_sg_array_positions", *copies(given), exp.Literal.number(first))


def _generate_subscripts(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    if not 2 <= len(given) <= _SUBSCRIPTS_ARGUMENTS_MAX:
        return None
    first = exp.Literal.number(first_subscript(types.of(given[0])))
    listed = call("pg_sg_subscripts", *copies(given[:2]), first)
    if len(given) == _SUBSCRIPTS_ARGUMENTS_MAX:
        backwards = exp.If(this=given[2].copy(), true=call("list_reverse", listed.copy()))
        listed = exp.Case(ifs=[backwards], default=listed)
    return as_rows(node, listed)


def _changed(name: str) -> CallRule:
    """Return a rule for a function of an array and values; its result has their common type."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        array, *values = given
        held, of_values = types.of(array), [types.of(value) for value in values]
        found = None if held is None else common_type((held.element, *of_values))
        if held is None or found in {None, held.element}:
            return call(name, *copies(given))
        widened = cast(array.copy(), duckdb_type(DataType(kind=Kind.ARRAY, element=found)))
        return call(name, widened, *copies(values))

    return rule


_SUBSCRIPTS_ARGUMENTS_MAX = 3
CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("string_to_array", "string_to_table"), _string_to_array),
    "array_to_string": _array_to_string,
    "array_length": _array_length,
    "array_upper": _counted("pg_sg_array_length", "pg_sg_vector_upper"),
    "array_lower": _counted("pg_sg_array_lower", "pg_sg_vector_lower"),
    "array_dims": _counted("pg_sg_array_dims", "pg_sg_vector_dims"),
    "array_position": _array_position,
    "array_positions": _array_positions,
    "generate_subscripts": _generate_subscripts,
    "array_remove": _changed("pg_sg_array_remove"),
    "array_replace": _changed("pg_sg_array_replace"),
    "array_fill": _array_fill,
    "generate_series": _generate_series,
    "range": _bounded_series,
}
"""The rules, by name of function."""


def _subscript(node: exp.Expr, types: Types) -> exp.Expr:
    if (part := json_subscript(node, types)) is not None:
        return part
    owner = types.of(node.this)
    if owner == NAME and len(node.expressions) == 1:
        character = call("pg_sg_character", node.this.copy(), node.expressions[0].copy())
        return node.replace(character)
    if owner is None or owner.kind is not Kind.ARRAY or len(node.expressions) != 1:
        return node
    place = node.expressions[0]
    first = first_subscript(owner)
    if isinstance(place, exp.Slice):
        start, stop = (_place(place.args.get(end), first) for end in ("this", "expression"))
        start = start or exp.Literal.number(1)
        stop = stop or call("len", node.this.copy())
        fresh = call("pg_sg_slice", node.this.copy(), start, stop)
        return node.replace(fresh)
    plain = strip(place)
    if first == 1 and isinstance(plain, exp.Literal) and plain.name.isdigit():
        return node
    counted = _place(place, first)
    assert counted is not None
    fresh = call("pg_sg_element", node.this.copy(), counted)
    return node.replace(fresh)


def _place(node: exp.Expr | None, first: int) -> exp.Expr | None:
    """Return a subscript counted from 1."""
    if node is None or first == 1:
        return None if node is None else node.copy()
    return exp.Add(this=exp.Paren(this=node.copy()), expression=exp.Literal.number(1 - first))


RULES: Mapping[type[exp.Expr], Rule] = {exp.Bracket: _subscript}
"""The rules, by type of node."""
