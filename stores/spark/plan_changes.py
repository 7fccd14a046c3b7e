"""What leaves a row in a store that the groups of a query no longer have, by its plan."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from stategate.stores.spark.plan_nodes import (
    Effect,
    Ids,
    Node,
    Tables,
    analyzed,
    at_same_places,
    effect,
    has_aggregate,
    has_groups,
    id_of,
    listed,
    references,
    with_tables,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passing:
    """What would leave a row of an aggregation in a store that the aggregation no longer has.

    In update mode a group sends its new row each time it changes. The store replaces the old one if
    the new one comes, and has the same key.
    """

    conditions: tuple[str, ...]
    """Conditions on aggregates, in SQL: a row that stops meeting one is not sent."""
    columns: frozenset[str]
    """Columns of the output with an aggregate: in a key they let the old row stay."""


def passing(frame: DataFrame) -> Passing:
    """Return the conditions and columns by which rows of an aggregation may pass."""
    plan = analyzed(frame)
    if not has_groups(plan, {}):
        return Passing(conditions=(), columns=frozenset())
    conditions: list[str] = []
    fixed = _fixed(plan, {}, conditions)
    names = [each.name() for each in listed(plan.output()) if id_of(each) not in fixed]
    return Passing(conditions=tuple(conditions), columns=frozenset(names))


def _fixed(plan: Node, tables: Tables, conditions: list[str]) -> Ids:
    """Return the attributes that are the same in every row that a group sends.

    Args:
        plan: any node.
        tables: the tables of WITH.
        conditions: gets the conditions on other attributes.
    """
    output = frozenset(map(id_of, listed(plan.output())))
    if not has_groups(plan, tables):
        # What is not made from groups does not change: rows of a static side of a join.
        return output
    match effect(plan):
        case Effect.GROUP if plan.nodeName() == "Aggregate":
            outputs = listed(plan.aggregateExpressions())
            return frozenset(id_of(each) for each in outputs if not has_aggregate(each))
        case Effect.GROUP | Effect.FUNCTION | None:
            # A group of `distinct` sends its first row, and no other. Whatever is not known has
            # been vouched for.
            return output
        case Effect.WITH:
            return _fixed(plan.plan(), with_tables(plan, tables), conditions)
        case Effect.TABLE:
            table = tables[plan.cteId()]
            return at_same_places(table, plan, _fixed(table, tables, conditions))
    known = [_fixed(child, tables, conditions) for child in listed(plan.children())]
    return _fixed_above(plan, known, conditions)


def _fixed_above(plan: Node, known: list[Ids], conditions: list[str]) -> Ids:
    """Return the fixed attributes of a node, from those of its children."""
    fixed = frozenset[str]().union(*known)
    match effect(plan):
        case Effect.PROJECT:
            return frozenset(
                id_of(each) for each in listed(plan.projectList()) if references(each) <= fixed
            )
        case Effect.FILTER:
            if not references(plan.condition()) <= fixed:
                conditions.append(plan.condition().sql())
        case Effect.JOIN if plan.condition().isDefined():
            condition = plan.condition().get()
            if not references(condition) <= fixed:
                if plan.joinType().toString() == "LeftOuter":
                    return known[0]
                conditions.append(condition.sql())
        case Effect.GENERATE if references(plan.generator()) <= fixed:
            return fixed | frozenset(map(id_of, listed(plan.generatorOutput())))
        case Effect.UNION:
            children = listed(plan.children())
            places = [
                at_same_places(child, plan, ids) for child, ids in zip(children, known, strict=True)
            ]
            return places[0].intersection(*places[1:])
    return fixed
