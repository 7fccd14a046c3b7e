"""What the nodes of Spark's analysed plans do to rows, and how their parts are read.

Plans are objects of the JVM, and `nodeName` is the type of a node. Only the modules of plans read
them. A node that is not in `EFFECTS` is not known, and nothing may be said of rows that passed it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, TypeAlias

from pyspark.sql import DataFrame

Node: TypeAlias = Any
"""A plan, an expression or a sequence of Scala, from py4j."""
Ids: TypeAlias = frozenset[str]
"""Ids of attributes, which are unique in a plan, unlike names."""
Tables: TypeAlias = Mapping[int, Node]
"""The tables of WITH, by their ids."""


class Effect(Enum):
    """What a node does to the rows of its children."""

    SAME = "hands on its child's rows and columns, all or some of them"
    PROJECT = "computes other columns from each row"
    FILTER = "drops rows that do not meet its condition"
    GENERATE = "makes several rows of each, with further columns"
    JOIN = "joins the rows of two children"
    UNION = "hands on the rows of all children, column by column"
    WITH = "names tables for the plan above"
    TABLE = "reads such a table"
    GROUP = "has one row for each group, and sends it when it changes or is closed"
    CHANGES = "sends rows of a function with state, each of which replaces the one before"
    FUNCTION = "calls a function of the user's for rows, which may drop or repeat them"


EFFECTS: Mapping[str, Effect] = {
    **dict.fromkeys(
        (
            "CollectMetrics",
            "EventTimeWatermark",
            "GlobalLimit",  # Spark refuses limits of groups, but in complete mode
            "LocalLimit",
            "Offset",
            "RebalancePartitions",
            "Repartition",
            "RepartitionByExpression",
            "ResolvedHint",
            "Sort",
            "SubqueryAlias",
            "UpdateEventTimeWatermarkColumn",
            "View",
        ),
        Effect.SAME,
    ),
    "Project": Effect.PROJECT,
    "Filter": Effect.FILTER,
    "Generate": Effect.GENERATE,
    "Join": Effect.JOIN,
    "Union": Effect.UNION,
    "WithCTE": Effect.WITH,
    "CTERelationRef": Effect.TABLE,
    **dict.fromkeys(
        ("Aggregate", "Deduplicate", "DeduplicateWithinWatermark", "Distinct"), Effect.GROUP
    ),
    **dict.fromkeys(
        (
            "FlatMapGroupsInArrow",
            "FlatMapGroupsInPandas",
            "FlatMapGroupsInPandasWithState",
            "TransformWithStateInPySpark",
        ),
        Effect.CHANGES,
    ),
    **dict.fromkeys(("Expand", "MapInArrow", "MapInPandas", "Sample"), Effect.FUNCTION),
}
_AGGREGATES = {"AggregateExpression", "PythonUDAF"}


def analyzed(frame: DataFrame) -> Node:
    """Return the analysed plan of a DataFrame."""
    return frame._jdf.queryExecution().analyzed()


def effect(plan: Node) -> Effect | None:
    """Return what a node does; None if it is not known."""
    return EFFECTS.get(plan.nodeName())


def unknown_above_groups(frame: DataFrame) -> str | None:
    """Return the name of the first node above groups that may do anything to their rows.

    A node that is not known is one wherever it stands, since it may have groups of its own. Below
    groups nothing is looked at, nor in tables that are not streams, which do not change.
    """
    return _unknown(analyzed(frame), {})


def is_grouped(frame: DataFrame) -> bool:
    """Whether the rows of a DataFrame are those of groups."""
    return has_groups(analyzed(frame), {})


def _unknown(plan: Node, tables: Tables) -> str | None:
    does, inputs = effect(plan), inputs_of(plan, tables)
    if not plan.isStreaming() or does in {Effect.GROUP, Effect.CHANGES}:
        return None
    if (does is None and inputs) or (
        does is Effect.FUNCTION and any(has_groups(*each) for each in inputs)
    ):
        return str(plan.nodeName())
    return next((found for each in inputs if (found := _unknown(*each))), None)


def has_groups(plan: Node, tables: Tables) -> bool:
    """Whether rows of a stream are those of groups."""
    does = effect(plan)
    if not plan.isStreaming() or does is Effect.CHANGES:
        return False
    return does is Effect.GROUP or any(has_groups(*each) for each in inputs_of(plan, tables))


def inputs_of(plan: Node, tables: Tables) -> list[tuple[Node, Tables]]:
    """Return the plans whose rows a node gets, each with the tables that it may read."""
    match effect(plan):
        case Effect.WITH:
            return [(plan.plan(), with_tables(plan, tables))]
        case Effect.TABLE if plan.cteId() in tables:
            return [(tables[plan.cteId()], tables)]
    return [(child, tables) for child in listed(plan.children())]


def with_tables(plan: Node, tables: Tables) -> Tables:
    """Return the tables that the plan of a WithCTE may read."""
    return {**tables, **{each.id(): each.child() for each in listed(plan.cteDefs())}}


def at_same_places(plan: Node, other: Node, known: Ids) -> Ids:
    """Return the attributes of another plan at the places of the known ones of this plan."""
    pairs = zip(listed(plan.output()), listed(other.output()), strict=True)
    return frozenset(id_of(there) for here, there in pairs if id_of(here) in known)


def has_aggregate(expression: Node) -> bool:
    """Whether an expression has an aggregate in it."""
    return any(node.nodeName() in _AGGREGATES for node in nodes(expression))


def is_column(expression: Node) -> bool:
    """Whether an expression is a column."""
    return bool(expression.nodeName() == "AttributeReference")


def id_of(attribute: Node) -> str:
    """Return the id of an attribute, or of an expression with a name."""
    return str(attribute.exprId().toString())


def references(expression: Node) -> Ids:
    """Return the attributes in an expression."""
    return frozenset(id_of(attribute) for attribute in iterated(expression.references()))


def nodes(expression: Node) -> Iterator[Node]:
    """Yield an expression and all those in it."""
    yield expression
    for child in listed(expression.children()):
        yield from nodes(child)


def leaves(plan: Node) -> Iterator[Node]:
    """Yield the nodes of a plan that have no children, in order."""
    children = listed(plan.children())
    if not children:
        yield plan
    for child in children:
        yield from leaves(child)


def listed(sequence: Node) -> list[Node]:
    """Return the elements of a sequence of Scala."""
    return [sequence.apply(i) for i in range(sequence.size())]


def iterated(collection: Node) -> Iterator[Node]:
    """Yield the elements of a collection of Scala."""
    iterator = collection.iterator()
    while iterator.hasNext():
        yield iterator.next()
