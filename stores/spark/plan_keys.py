"""Whether a key tells the rows of a query's groups apart, by its plan, before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from pyspark.sql import DataFrame

from stategate.stores.spark.plan_nodes import (
    Effect,
    Ids,
    Node,
    Tables,
    analyzed,
    at_same_places,
    effect,
    has_groups,
    id_of,
    is_column,
    iterated,
    listed,
    nodes,
    references,
    with_tables,
)

SIDES = "the sides of a union"
"""In place of a group: rows of two sides may have one key."""
_GROUPING_ID = "spark_grouping_id"
"""The extra grouping column of a rollup, by which subtotals differ from rows with NULL."""
_TOLD_BY_TEXT = {"boolean", "byte", "short", "integer", "long", "date", "timestamp_ntz"}
"""Types whose values all have another text; two moments can have the same local time."""
_RIGHT_FOLLOWS_LEFT = {"Inner", "LeftOuter"}
_LEFT_FOLLOWS_RIGHT = {"Inner", "RightOuter"}


def is_unique(frame: DataFrame, columns: set[str]) -> bool:
    """Whether Spark's optimizer knows that some of these columns are distinct over the rows.

    It does after an aggregation by them. Then no key has several rows.
    """
    plan = analyzed(frame)
    # An attribute's text ends in its unique id, so texts are equal exactly when attributes are.
    names = {attribute.toString(): attribute.name() for attribute in listed(plan.output())}
    return any(
        {names.get(expression.toString()) for expression in iterated(distinct)} <= columns
        for distinct in iterated(plan.distinctKeys())
    )


def ungrouped(frame: DataFrame, columns: set[str]) -> tuple[str, ...]:
    """Return what tells the rows of groups apart and is not in these columns.

    Two groups that differ only in it may have the same values in all of these columns. Joins and
    generators that make several rows of a group's are not looked at: those come in one batch.

    Returns:
        Grouping expressions, or SIDES.
    """
    plan = analyzed(frame)
    known = frozenset(id_of(a) for a in listed(plan.output()) if a.name() in columns)
    return _uncovered(plan, known, {})


def _uncovered(plan: Node, known: Ids, tables: Tables) -> tuple[str, ...]:
    """Return the groups of the next aggregation that are not told apart by known attributes.

    Args:
        plan: any node.
        known: the attributes of its output whose values the key determines.
        tables: the tables of WITH.
    """
    if not has_groups(plan, tables):
        return ()
    children = [(child, known) for child in listed(plan.children())]
    match effect(plan):
        case Effect.GROUP:
            return _uncovered_groups(plan, known)
        case Effect.PROJECT:
            made = [each for each in listed(plan.projectList()) if id_of(each) in known]
            children = [(plan.child(), known.union(*map(_determined, made)))]
        case Effect.FILTER:
            children = [(plan.child(), _with_fixed(plan.condition(), known))]
        case Effect.JOIN:
            children = [(child, _with_joined(plan, known)) for child, _ in children]
        case Effect.UNION:
            children = [(child, at_same_places(plan, child, known)) for child, _ in children]
            if not _are_told_apart(children):
                return (SIDES,)
        case Effect.WITH:
            return _uncovered(plan.plan(), known, with_tables(plan, tables))
        case Effect.TABLE:
            table = tables[plan.cteId()]
            children = [(table, at_same_places(plan, table, known))]
    return next((found for each, ids in children if (found := _uncovered(each, ids, tables))), ())


def _uncovered_groups(plan: Node, known: Ids) -> tuple[str, ...]:
    if plan.nodeName() == "Aggregate":
        groups, outputs = listed(plan.groupingExpressions()), listed(plan.aggregateExpressions())
    else:
        outputs = listed(plan.output())
        groups = outputs if plan.nodeName() == "Distinct" else listed(plan.keys())
    # A grouping attribute is an output itself; any other group stands below an alias.
    parts = [part for each in outputs if id_of(each) in known for part in _told(each)]
    covered = [any(group.semanticEquals(part) for part in parts) for group in groups]
    # A group that is computed from known grouping columns is known, too.
    bases = frozenset[str]().union(
        *(
            references(group)
            for group, is_in in zip(groups, covered, strict=True)
            if is_in and is_column(group)
        )
    )
    return tuple(
        dict.fromkeys(
            _shown(group, outputs)
            for group, is_in in zip(groups, covered, strict=True)
            if not (is_in or references(group) <= bases or _is_implied(group, plan))
        )
    )


def _told(expression: Node) -> list[Node]:
    """Return an expression, and those in it whose values its own value tells."""
    children = listed(expression.children())
    match expression.nodeName():
        case "Alias" | "CreateNamedStruct":
            told = children
        case "Cast" if expression.dataType().typeName() == "string":
            told = [each for each in children if each.dataType().typeName() in _TOLD_BY_TEXT]
        case "GetStructField" if _is_window(children[0]):
            told = children
        case _:
            # The grouping id is a number of bits, and grouping(a) one of them.
            told = [each for each in nodes(expression) if _is_grouping_id(each)]
            return [expression, *told]
    return [expression, *(part for child in told for part in _told(child))]


def _determined(expression: Node) -> Ids:
    """Return the attributes whose values the value of an expression tells."""
    return frozenset(id_of(part) for part in _told(expression) if is_column(part))


def _is_window(expression: Node) -> bool:
    """Whether an expression is a window of time: of one group, its start tells its end."""
    kind = expression.dataType()
    return bool(kind.typeName() == "struct") and list(kind.fieldNames()) == ["start", "end"]


def _with_fixed(condition: Node, known: Ids) -> Ids:
    """Return known attributes and those to which a condition leaves one value."""
    for each in _conjuncts(condition):
        name, children = each.nodeName(), listed(each.children())
        if is_column(each) or name == "IsNull":
            known |= _determined(each if is_column(each) else children[0])
        elif name == "Not" and is_column(children[0]):
            known |= _determined(children[0])
        elif name in {"EqualTo", "EqualNullSafe"} or (name == "In" and len(children) == 2):
            for one, other in (children, children[::-1]):
                if references(other) <= known:
                    known |= _determined(one)
    return known


def _with_joined(join: Node, known: Ids) -> Ids:
    """Return known attributes and those that a join makes equal to known ones."""
    if not join.condition().isDefined():
        return known
    kind = join.joinType().toString()
    left = frozenset(id_of(each) for each in listed(join.left().output()))
    found = known
    for each in _conjuncts(join.condition().get()):
        if each.nodeName() not in {"EqualTo", "EqualNullSafe"}:
            continue
        children = listed(each.children())
        for one, other in (children, children[::-1]):
            # A row without a match has NULL on the other side, whatever its own side has.
            follows = _LEFT_FOLLOWS_RIGHT if references(one) <= left else _RIGHT_FOLLOWS_LEFT
            if kind in follows and references(other) <= found:
                found |= _determined(one)
    return found


def _conjuncts(condition: Node) -> list[Node]:
    if condition.nodeName() != "And":
        return [condition]
    return [part for child in listed(condition.children()) for part in _conjuncts(child)]


def _are_told_apart(children: Sequence[tuple[Node, Ids]]) -> bool:
    """Whether a known column has another constant on each side of a union."""
    sides = [
        {
            place: text
            for place, attribute in enumerate(listed(child.output()))
            if id_of(attribute) in known and (text := _constant(child, id_of(attribute)))
        }
        for child, known in children
    ]
    return any(
        all(
            one.get(place) is not None
            and other.get(place) is not None
            and one[place] != other[place]
            for one, other in combinations(sides, 2)
        )
        for place in sides[0]
    )


def _constant(plan: Node, attribute: str) -> str | None:
    """Return the SQL of the constant that an attribute has in all rows; None for others."""
    match effect(plan):
        case Effect.SAME | Effect.FILTER:
            return _constant(plan.child(), attribute)
        case Effect.PROJECT:
            outputs = listed(plan.projectList())
        case Effect.GROUP if plan.nodeName() == "Aggregate":
            outputs = listed(plan.aggregateExpressions())
        case _:
            return None
    found = next(each for each in outputs if id_of(each) == attribute)
    value = found if is_column(found) else found.child()
    if is_column(value):
        return _constant(plan.child(), id_of(value))
    return str(value.sql()) if value.nodeName() == "Literal" else None


def _shown(group: Node, outputs: list[Node]) -> str:
    """Return a grouping expression in the user's words: the name of its column, if it has one."""
    if _is_grouping_id(group):
        return "grouping_id()"
    for output in outputs:
        if any(group.semanticEquals(child) for child in (output, *listed(output.children()))):
            return str(output.name())
    return str(group.name() if is_column(group) else group.sql())


def _is_grouping_id(expression: Node) -> bool:
    return is_column(expression) and expression.name() == _GROUPING_ID


def _is_implied(group: Node, aggregate: Node) -> bool:
    """Whether a group is the id of a rollup whose own columns are never NULL."""
    if not _is_grouping_id(group):
        return False
    expand = aggregate.child()
    places = {id_of(each): place for place, each in enumerate(listed(expand.output()))}
    made = [listed(each) for each in listed(expand.projections())]
    columns = [
        row[places[id_of(each)]]
        for each in listed(aggregate.groupingExpressions())
        if is_column(each) and not _is_grouping_id(each) and id_of(each) in places
        for row in made
    ]
    return not any(each.nullable() for each in columns if each.nodeName() != "Literal")
