"""Rules for calls that take or return an array or a series.

The vectors of the catalog (`pg_index.indkey`) begin at 0, and so do arrays cast from vectors.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import MismatchedTypeError, UnknownNameError
from stategate.planner.postgres.expressions.array_rows import joined
from stategate.planner.postgres.expressions.dimensions import checked_depth, flat, of_depth, shape
from stategate.planner.postgres.expressions.printing import printed_elements
from stategate.planner.postgres.expressions.rules import CallRule, copies, unsupported
from stategate.planner.postgres.expressions.zone_forms import zoned_series
from stategate.planner.postgres.types.functions import call_name, columns_of_function
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.postgres.types.result_types import INTEGERS, common_type
from stategate.planner.trees.nodes import call, cast, position_of, put, strip
from stategate.planner.values.array_text import DIMENSIONS_MAX
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.planner.values.catalog_types import first_subscript
from stategate.planner.values.sqltypes import duckdb_type, format_type
from stategate.planner.values.times.time_settings import PLAIN_TIMES
from stategate.stores.spec.schema import INTEGER, Kind


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
    listed = printed_elements(given[0], types)
    if listed is not None:
        types.note(listed, types.of(given[0]))
    given = [flat(listed or given[0], types), *given[1:]]
    if isinstance(strip(given[1]), exp.Literal):
        name = "pg_sg_array_to_string" if len(given) > 2 else "pg_sg_listed"
        return call(name, *copies(given))
    # DuckDB's function takes only a constant delimiter.
    null = given[2].copy() if len(given) > 2 else exp.null()
    return call("pg_sg_array_joined", *copies(given[:2]), null)


def _generate_series(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Turn a series of dates into one of moments, as PostgreSQL does."""
    for each in given[:2]:
        if types.kind_of(each) is Kind.DATE:
            put(each, cast(each.copy(), "TIMESTAMPTZ"))
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
    end = put(stop, call(name, start, stop.copy(), step))
    if types.of(node) != INTEGER:
        return None
    bounded = [end if each is stop else each for each in given]
    return as_rows(node, cast(call("generate_series", *copies(bounded)), "INTEGER[]"))


def _counted(name: str, along: str, from_zero: str = "") -> CallRule:
    """Return a rule for a function of an array's bounds.

    Args:
        name: the macro for arrays of one dimension.
        along: the macro for the lengths of several dimensions.
        from_zero: the macro for vectors.
    """

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
        if not first_subscript(types.of(given[0])):
            return call(from_zero or name, *copies(given))
        if checked_depth(given[0], types) == 1:
            return call(name, *copies(given))
        return call(along, shape(given[0], types), *copies(given[1:]))

    return rule


def _cardinality(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return cast(call("len", flat(given[0], types)), "INTEGER")


def _searched(rule: CallRule, doing: str) -> CallRule:
    """Return a rule that refuses arrays of several dimensions, as PostgreSQL does."""

    def checked(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
        if checked_depth(given[0], types) > 1:
            raise unsupported(node, f"{doing} multidimensional arrays is not supported")
        return rule(node, given, types)

    return checked


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
    if checked_depth(given[1], types) > 1:
        raise MismatchedTypeError(
            "wrong number of array subscripts", position=position_of(given[1]), sqlstate="2202E"
        )
    lengths = strip(given[1])
    while isinstance(lengths, exp.Cast):
        lengths = strip(lengths.this)
    several = lengths.expressions if isinstance(lengths, exp.Array) else []
    if len(several) <= 1 or lengths.find(exp.Query) is not None:
        return call("pg_sg_array_fill", *copies(given))
    if len(several) > DIMENSIONS_MAX:
        raise unsupported(node, "too many dimensions")
    found = given[0].copy()
    for length in reversed(several):
        found = call("pg_sg_array_fill", found, exp.Array(expressions=[cast(length.copy(), "INT")]))
    return call(f"pg_sg_regular{len(several)}", found)


def _width_bucket(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Count the thresholds up to a value; with bounds, divide their distance."""
    if len(given) > 2:
        return call("pg_sg_width_bucket", *copies(given))
    if checked_depth(given[1], types) > 1:
        raise MismatchedTypeError("thresholds must be one-dimensional array", sqlstate="2202E")
    return call("pg_sg_thresholds", *copies(given))


def _array_positions(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    first = first_subscript(types.of(given[0]))
    return call("pg_sg_array_positions", *copies(given), exp.Literal.number(first))


def _generate_subscripts(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    if not 2 <= len(given) <= _SUBSCRIPTS_ARGUMENTS_MAX:
        return None
    if checked_depth(given[0], types) == 1:
        first = exp.Literal.number(first_subscript(types.of(given[0])))
        listed = call("pg_sg_subscripts", *copies(given[:2]), first)
    else:
        listed = call("pg_sg_subscripts_along", shape(given[0], types), given[1].copy())
    if len(given) == _SUBSCRIPTS_ARGUMENTS_MAX:
        backwards = exp.If(this=given[2].copy(), true=call("list_reverse", listed.copy()))
        listed = exp.Case(ifs=[backwards], default=listed)
    return as_rows(node, listed)


def _held(given: list[exp.Expr], types: Types) -> list[exp.Expr]:
    """Return an array and values, all of the type that holds the elements and the values."""
    array, *values = copies(given)
    held, of_values = types.of(given[0]), [types.of(value) for value in given[1:]]
    found = None if held is None else common_type((leaf_of(held), *of_values))
    if held is not None and found is not None and found != leaf_of(held):
        array = cast(array, duckdb_type(array_of(found, depth_of(held))))
    return [array, *values]


def _array_remove(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return call("pg_sg_array_remove", *_held(given, types))


def _array_replace(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    array, *values = _held(given, types)
    types.note(array, types.of(given[0]))
    return of_depth("pg_sg_array_replace", array, types, *values)


def _with_element(node: exp.Expr, given: list[exp.Expr], at: int, types: Types) -> exp.Expr:
    """Add the argument at a place to the array at the other one."""
    element, array = given[at], given[1 - at]
    if depth_of(types.of(element)):
        shown = ", ".join(format_type(found) for each in given if (found := types.of(each)))
        raise UnknownNameError(
            f"function {call_name(node)}({shown}) does not exist",
            position=position_of(node),
            sqlstate="42883",
        )
    if is_open(array):
        return exp.Array(expressions=[element.copy()])
    return joined(given[0], given[1], types, is_element=(at == 0, at == 1))


def _joined(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    return joined(given[0], given[1], types)


_SUBSCRIPTS_ARGUMENTS_MAX = 3
CALLS: Mapping[str, CallRule] = {
    **dict.fromkeys(("string_to_array", "string_to_table"), _string_to_array),
    "array_to_string": _array_to_string,
    "array_length": _counted("pg_sg_array_length", "pg_sg_length_along"),
    "array_upper": _counted("pg_sg_array_length", "pg_sg_length_along", "pg_sg_vector_upper"),
    "array_lower": _counted("pg_sg_array_lower", "pg_sg_lower_along", "pg_sg_vector_lower"),
    "array_ndims": _counted("pg_sg_array_ndims", "pg_sg_dimensions"),
    "array_dims": _counted("pg_sg_array_dims", "pg_sg_bounds_text", "pg_sg_vector_dims"),
    "cardinality": _cardinality,
    "array_position": _searched(_array_position, "searching for elements in"),
    "array_positions": _searched(_array_positions, "searching for elements in"),
    "generate_subscripts": _generate_subscripts,
    "array_remove": _searched(_array_remove, "removing elements from"),
    "array_replace": _array_replace,
    "width_bucket": _width_bucket,
    "array_fill": _array_fill,
    "array_append": lambda node, given, types: _with_element(node, given, 1, types),
    "array_prepend": lambda node, given, types: _with_element(node, given, 0, types),
    "array_cat": _joined,
    "generate_series": _generate_series,
    "range": _bounded_series,
}
"""The rules, by name of function."""
