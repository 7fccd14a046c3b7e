"""Reads rows and sources of a streaming query from its analysed plan, before it starts.

Only this module reads Spark's plans. They are objects of the JVM, and `nodeName` is the type of a
node. The part of a plan below an unknown node is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pyspark.sql import DataFrame

_Node: TypeAlias = Any
"""A plan, an expression or a sequence of Scala, from py4j."""
_Ids: TypeAlias = frozenset[str]
"""Ids of attributes, which are unique in a plan, unlike names."""

_TRANSPARENT = frozenset(
    {
        "EventTimeWatermark",
        "Generate",
        "Join",
        "Repartition",
        "RepartitionByExpression",
        "SubqueryAlias",
        "View",
    }
)
"""Nodes that keep the attributes of their children; they may add others."""
_WITHOUT_TOPICS = {"RatePerMicroBatchProvider", "RateStreamProvider", "TextSocketSourceProvider"}
_KAFKA = "KafkaSourceProvider"
_CLIENT = "kafka."
"""The prefix of options that are settings of a Kafka client."""
_CHECKED = "spark.sql.streaming.unsupportedOperationCheck"
_FOLLOWED = _TRANSPARENT | {"Aggregate", "Filter", "Project", "Union"}
_AGGREGATES = {"AggregateExpression", "PythonUDAF"}
_GROUPING_ID = "spark_grouping_id"
"""The extra grouping column of a rollup, by which subtotals differ from rows with NULL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of a query."""

    name: str
    """Spark's name: `kafka`, `rate`, `FileSource[path]`, or the name of a Python source."""
    has_topics: bool | None
    """Whether its offsets are of topics; None if only the offsets show it."""
    topics: frozenset[str] = frozenset()
    """The topics that it reads, if the query names them."""
    assigned: bool = False
    """Whether the query names its topics' partitions, so other sources may read the rest."""


def sources_of(frame: DataFrame) -> tuple[Source, ...]:
    """Return the sources of a streaming DataFrame, in the order of Spark's offset log."""
    leaves = _leaves(_analyzed(frame))
    return tuple(
        _source(leaf) for leaf in leaves if leaf.nodeName().startswith("StreamingRelation")
    )


def kafka_clients(frame: DataFrame) -> list[dict[str, str]]:
    """Return the settings of the Kafka clients of a query, one for each of its Kafka sources."""
    return [
        {
            name.removeprefix(_CLIENT): options.get(name)
            for name in _iterated(options.asCaseSensitiveMap().keySet())
            if name.startswith(_CLIENT)
        }
        for leaf in _leaves(_analyzed(frame))
        if leaf.nodeName() == "StreamingRelationV2"
        and leaf.source().isDefined()
        and leaf.source().get().getClass().getSimpleName() == _KAFKA
        for options in [leaf.extraOptions()]
    ]


def is_unique(frame: DataFrame, columns: set[str]) -> bool:
    """Whether Spark's optimizer knows that some of these columns are distinct over the rows.

    It does after an aggregation by them. Then no key has several rows.
    """
    plan = _analyzed(frame)
    # An attribute's text ends in its unique id, so texts are equal exactly when attributes are.
    names = {attribute.toString(): attribute.name() for attribute in _listed(plan.output())}
    return any(
        {names.get(expression.toString()) for expression in _iterated(distinct)} <= columns
        for distinct in _iterated(plan.distinctKeys())
    )


def ungrouped(frame: DataFrame, columns: set[str]) -> tuple[str, ...]:
    """Return the grouping expressions that have no part in these columns.

    Rows that differ only in one of them have the same values in all of these columns. An expression
    that a filter or a join compares for equality is left out, since there may be no such rows.
    """
    plan = _analyzed(frame)
    output = _listed(plan.output())
    return _uncovered(plan, frozenset(_id(a) for a in output if a.name() in columns), {})


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
    plan = _analyzed(frame)
    conditions: list[str] = []
    fixed = _fixed(plan, {}, conditions)
    names = (
        [] if fixed is None else [a.name() for a in _listed(plan.output()) if _id(a) not in fixed]
    )
    return Passing(conditions=tuple(conditions), columns=frozenset(names))


def check_output_mode(frame: DataFrame, mode: str) -> None:
    """Make sure that Spark allows an output mode for a query, as its start does.

    Raises:
        AnalysisException: it does not; the message is Spark's.
    """
    if frame.sparkSession.conf.get(_CHECKED) != "true":
        return
    jvm: Any = frame.sparkSession._jvm
    modes = jvm.org.apache.spark.sql.streaming.OutputMode
    checker = jvm.org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
    checker.checkForStreaming(_analyzed(frame), getattr(modes, mode.capitalize())())


def _analyzed(frame: DataFrame) -> _Node:
    return frame._jdf.queryExecution().analyzed()


def _source(leaf: _Node) -> Source:
    """Return the source of a leaf of the plan, by its provider: its name may be any alias."""
    name: str = leaf.sourceName()
    if leaf.nodeName() != "StreamingRelationV2":
        return Source(name=name, has_topics=False if name.startswith("FileSource[") else None)
    provider = leaf.source()
    kind = provider.get().getClass().getSimpleName() if provider.isDefined() else ""
    if kind != _KAFKA:
        return Source(name=name, has_topics=False if kind in _WITHOUT_TOPICS else None)
    options = leaf.extraOptions()
    subscribed: str = options.get("subscribe") or ""
    return Source(
        name=name,
        has_topics=True,
        topics=frozenset(topic.strip() for topic in subscribed.split(",") if topic.strip()),
        assigned=options.get("assign") is not None,
    )


def _uncovered(plan: _Node, known: _Ids, common: Mapping[int, _Node]) -> tuple[str, ...]:
    """Return the groups of the next aggregation that no known attribute is made from.

    Args:
        plan: any node.
        known: the attributes of its output that the columns are made from.
        common: the tables of WITH, by their ids.
    """
    children = [(child, known) for child in _listed(plan.children())]
    match plan.nodeName():
        case "Aggregate":
            return _uncovered_groups(plan, known)
        case "Project":
            made = [each for each in _listed(plan.projectList()) if _id(each) in known]
            children = [(plan.child(), known.union(*map(_references, made)))]
        case "Filter":
            children = [(plan.child(), known | _compared(plan.condition()))]
        case "Join" if plan.condition().isDefined():
            compared = known | _references(plan.condition().get())
            children = [(child, compared) for child, _ in children]
        case "Union":
            children = [(child, _at_same_places(plan, child, known)) for child, _ in children]
        case "WithCTE":
            tables = {each.id(): each.child() for each in _listed(plan.cteDefs())}
            return _uncovered(plan.plan(), known, {**common, **tables})
        case "CTERelationRef" if (table := common.get(plan.cteId())) is not None:
            children = [(table, _at_same_places(plan, table, known))]
        case name if name not in _TRANSPARENT:
            return ()
    return next((found for each, ids in children if (found := _uncovered(each, ids, common))), ())


def _fixed(plan: _Node, common: Mapping[int, _Node], conditions: list[str]) -> _Ids | None:
    """Return the attributes that are the same in every row that a group sends.

    Args:
        plan: any node.
        common: the tables of WITH, by their ids.
        conditions: gets the conditions on other attributes.

    Returns:
        None if no streaming aggregation is known below.
    """
    name = plan.nodeName()
    if name == "WithCTE":
        tables = {each.id(): each.child() for each in _listed(plan.cteDefs())}
        return _fixed(plan.plan(), {**common, **tables}, conditions)
    if name == "CTERelationRef" and (table := common.get(plan.cteId())) is not None:
        found = _fixed(table, common, conditions)
        return None if found is None else _at_same_places(table, plan, found)
    if not plan.isStreaming() or name not in _FOLLOWED:
        return None
    if name == "Aggregate":
        outputs = _listed(plan.aggregateExpressions())
        return frozenset(_id(each) for each in outputs if not _has_aggregate(each))
    children = _listed(plan.children())
    below = [_fixed(child, common, conditions) for child in children]
    if all(ids is None for ids in below):
        return None
    # What is not made from aggregates does not change: rows of a static side of a join.
    known = [
        frozenset(map(_id, _listed(child.output()))) if ids is None else ids
        for child, ids in zip(children, below, strict=True)
    ]
    return _fixed_above(plan, known, conditions)


def _fixed_above(plan: _Node, known: list[_Ids], conditions: list[str]) -> _Ids:
    """Return the fixed attributes of a node, from those of its children."""
    fixed = frozenset[str]().union(*known)
    match plan.nodeName():
        case "Project":
            return frozenset(
                _id(each) for each in _listed(plan.projectList()) if _references(each) <= fixed
            )
        case "Filter":
            if not _references(plan.condition()) <= fixed:
                conditions.append(plan.condition().sql())
        case "Join" if plan.condition().isDefined():
            condition = plan.condition().get()
            if not _references(condition) <= fixed:
                if plan.joinType().toString() == "LeftOuter":
                    return known[0]
                conditions.append(condition.sql())
        case "Generate" if _references(plan.generator()) <= fixed:
            return fixed | frozenset(map(_id, _listed(plan.generatorOutput())))
        case "Union":
            children = _listed(plan.children())
            places = [
                _at_same_places(child, plan, ids)
                for child, ids in zip(children, known, strict=True)
            ]
            return places[0].intersection(*places[1:])
    return fixed


def _has_aggregate(expression: _Node) -> bool:
    return any(node.nodeName() in _AGGREGATES for node in _nodes(expression))


def _at_same_places(plan: _Node, other: _Node, known: _Ids) -> _Ids:
    """Return the attributes of another plan at the places of the known ones of this plan."""
    pairs = zip(_listed(plan.output()), _listed(other.output()), strict=True)
    return frozenset(_id(there) for here, there in pairs if _id(here) in known)


def _uncovered_groups(aggregate: _Node, known: _Ids) -> tuple[str, ...]:
    groups = _listed(aggregate.groupingExpressions())
    outputs = _listed(aggregate.aggregateExpressions())
    # A grouping attribute is an output itself; any other group stands below an alias.
    parts = [part for each in outputs if _id(each) in known for part in _nodes(each)]
    covered = [any(group.semanticEquals(part) for part in parts) for group in groups]
    # A group that is computed from known grouping columns is known, too.
    bases = frozenset[str]().union(
        *(
            _references(g)
            for g, is_in in zip(groups, covered, strict=True)
            if is_in and _is_column(g)
        )
    )
    return tuple(
        dict.fromkeys(
            _shown(group, outputs)
            for group, is_in in zip(groups, covered, strict=True)
            if not (is_in or _references(group) <= bases or _is_grouping_id(group))
        )
    )


def _compared(condition: _Node) -> _Ids:
    """Return the attributes that a condition compares for equality."""
    name, children = condition.nodeName(), _listed(condition.children())
    if name in {"And", "Or", "Not"}:
        return frozenset[str]().union(*map(_compared, children))
    if name in {"EqualTo", "EqualNullSafe", "IsNull"} or (name == "In" and len(children) == 2):
        return _references(condition)
    return _references(condition) if _is_column(condition) else frozenset()


def _shown(group: _Node, outputs: list[_Node]) -> str:
    """Return a grouping expression in the user's words: the name of its column, if it has one."""
    for output in outputs:
        if any(group.semanticEquals(child) for child in (output, *_listed(output.children()))):
            return str(output.name())
    return str(group.name() if _is_column(group) else group.sql())


def _is_column(expression: _Node) -> bool:
    return bool(expression.nodeName() == "AttributeReference")


def _is_grouping_id(expression: _Node) -> bool:
    return _is_column(expression) and expression.name() == _GROUPING_ID


def _id(attribute: _Node) -> str:
    return str(attribute.exprId().toString())


def _references(expression: _Node) -> _Ids:
    return frozenset(_id(attribute) for attribute in _iterated(expression.references()))


def _nodes(expression: _Node) -> Iterator[_Node]:
    yield expression
    for child in _listed(expression.children()):
        yield from _nodes(child)


def _leaves(plan: _Node) -> Iterator[_Node]:
    children = _listed(plan.children())
    if not children:
        yield plan
    for child in children:
        yield from _leaves(child)


def _listed(sequence: _Node) -> list[_Node]:
    return [sequence.apply(i) for i in range(sequence.size())]


def _iterated(collection: _Node) -> Iterator[_Node]:
    iterator = collection.iterator()
    while iterator.hasNext():
        yield iterator.next()
