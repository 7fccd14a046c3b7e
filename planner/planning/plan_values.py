"""Plan the computed values of a statement: one query of DuckDB for all of them."""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.binding.bind import bind
from stategate.planner.binding.bound import Bound
from stategate.planner.binding.relations import Vocabulary
from stategate.planner.composing.compose import Composer
from stategate.planner.errors import MismatchedTypeError
from stategate.planner.planning.plan import Compose
from stategate.planner.planning.plan_query import plan_query
from stategate.planner.planning.run_values import RunValues, ValuesQuery
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.schema import DataType


def plan_values(bound: Bound, vocabulary: Vocabulary, composer: Composer) -> RunValues | None:
    """Return the computed values of a statement; None if it has none.

    Their query is planned when it is first needed: most values are computed without it.

    Args:
        bound: the statement.
        vocabulary: the names that it can use.
        composer: describes the query.
    """
    if not bound.values:
        return None
    given = bound.parameters[: bound.values[0].number - 1]
    promised = tuple([each.type for each in bound.values])
    nodes = [each.node for each in bound.values]
    held: list[ValuesQuery] = []

    def query(cancellation: Cancellation) -> ValuesQuery:
        if not held:
            planned = _planned(nodes, given, vocabulary, composer, cancellation)
            if tuple([column.type for column in planned.columns]) != promised:
                raise MismatchedTypeError("a computed value has another type in DuckDB")
            held.append(planned)
        return held[0]

    return RunValues(values=bound.values, query=query)


def _planned(
    nodes: list[exp.Expr],
    given: tuple[DataType, ...],
    vocabulary: Vocabulary,
    composer: Composer,
    cancellation: Cancellation,
) -> ValuesQuery:
    items = [
        exp.Alias(this=node.copy(), alias=exp.to_identifier(f"v{number}"))
        for number, node in enumerate(nodes)
    ]
    bound = bind(exp.Select(expressions=items), NO_CLAUSE, vocabulary, given)
    plan = plan_query(
        bound,
        NO_CLAUSE,
        composer,
        version=0,
        is_explained=False,
        has_nodes=False,
        cancellation=cancellation,
    )
    node = plan.node
    assert isinstance(node, Compose), "it reads nothing"
    return ValuesQuery(
        sql=node.sql,
        outline=node.outline,
        numbers=node.numbers,
        parameters=plan.parameters,
        columns=plan.columns,
    )
