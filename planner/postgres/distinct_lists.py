"""The order of the lists that aggregates make of DISTINCT values.

PostgreSQL sorts the values to find those that differ, so its lists are sorted, with NULL at the
end. DuckDB's have no order.
"""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.trees.nodes import Nodes, call, outermost, position_of, put, wrapped
from stategate.planner.values.catalog_types import is_inet, is_record
from stategate.stores.spec.schema import Kind

_LISTS = frozenset({"array_agg", "group_concat", "json_agg", "jsonb_agg"})
_COMPUTED = (exp.Query, exp.Any, exp.All)
_SORTED = {Kind.JSONB, Kind.BYTEA}
"""Values whose own rules sort them."""


def sort_distinct_lists(nodes: Nodes, types: Types) -> None:
    """Let the lists of DISTINCT values be sorted, in place.

    Raises:
        NotSupportedError: they are those of a subquery in a text or json, or inet values (0A000).
    """
    is_changed = False
    for distinct in nodes.of(exp.Distinct):
        aggregate = distinct.parent
        if not isinstance(aggregate, exp.Func) or call_name(aggregate) not in _LISTS:
            continue
        value = distinct.expressions[0]
        if types.kind_of(value) in _SORTED:
            continue
        if is_inet(types.of(value)):
            raise NotSupportedError(
                f"{call_name(aggregate)}(DISTINCT …) of inet values is not supported",
                hint="Cast them to text.",
                position=position_of(distinct),
            )
        if isinstance(aggregate, exp.ArrayAgg) and _is_unseen(value, types):
            known = types.of(aggregate)
            types.note(wrapped(outermost(aggregate), _sorted), known)
        elif _is_unseen(value, types):
            raise NotSupportedError(
                f"{call_name(aggregate)}(DISTINCT …) of a subquery, ANY or ALL is not supported",
                hint="Take the DISTINCT values in a subquery in FROM.",
                position=position_of(distinct),
            )
        else:
            term = exp.Ordered(this=value.copy(), nulls_first=False)
            put(distinct, exp.Order(this=distinct.copy(), expressions=[term]))
        is_changed = True
    if is_changed:
        nodes.renew()


def _is_unseen(value: exp.Expr, types: Types) -> bool:
    """Whether DuckDB would not see that the ORDER BY expression is the argument."""
    return value.find(*_COMPUTED) is not None or is_record(types.of(value))


def _sorted(inner: exp.Expr) -> exp.Expr:
    return call("list_sort", inner, *map(exp.Literal.string, ("ASC", "NULLS LAST")))
