"""The short way of a statement that looks up one key: made once with its plan, run for each key.

Nothing is parsed or planned in it, no thread changes and nothing is copied. It is for who asks for
a row and minds neither positions nor partitions, which the session notes all the same; where there
is more to say, an option or a failure, it leaves the statement to `Executor.lookup`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from planner.binding.predicates import Operand, fitted
from planner.planning.plan import Lookup, QueryPlan
from planner.syntax.options import DEFAULT_OPTIONS, PLAIN_SESSION, read_options
from planner.syntax.with_clause import NO_CLAUSE
from planner.values.comparison_bounds import Fitted
from planner.values.session import Session, TransactionStatus
from planner.values.statement import LookUp
from stores.errors import CodecError
from stores.spec.query import KeyQuery
from stores.spec.result import Success
from stores.spec.schema import Key, Row, StoreSchema
from stores.spec.store import StoreCatalog

_IDLE = TransactionStatus.IDLE


def key_of(operands: Sequence[Operand], parameters: Row) -> Key | None:
    """The key that these operands, one per key column, make; None if no row can have it."""
    values = []
    for operand in operands:
        if operand.fit is Fitted:
            value = operand.value(parameters)
            if value is None:
                return None
        else:
            found = fitted(operand, parameters)
            if not isinstance(found, Fitted) or not found.exact:
                return None
            value = found.value
        values.append(value)
    return tuple(values)


def _whole(parameters: Row) -> Key | None:
    """The parameters are the key as they are."""
    return None if None in parameters else parameters


def short_way(
    plan: QueryPlan, node: Lookup, catalog: StoreCatalog, route: Callable[[Key], int]
) -> LookUp:
    """How a plan is run at once.

    Args:
        plan: of a SELECT.
        node: all that it does.
        catalog: the stores.
        route: the partitioner of the one that is asked.
    """
    schema, project, clause = node.access.schema, node.project, plan.clause
    name, count = schema.name, len(plan.parameters)
    has_clause, operands = clause is not NO_CLAUSE, node.operands
    in_place = [operand.parameter for operand in operands] == list(range(count))
    is_whole = in_place and all(o.fit is Fitted and o.compute is None for o in operands)
    key_from: Callable[[Row], Key | None] = _whole if is_whole else partial(key_of, operands)

    known = schema

    def is_planned_for(found: StoreSchema) -> bool:
        """Whether the plan holds of a definition; what feeds a store changes no plan."""
        nonlocal known
        is_same = replace(found, inputs=()) == replace(schema, inputs=())
        known = found if is_same else known
        return is_same

    def look_up(parameters: Row, session: Session) -> Sequence[Row] | None:
        store = catalog.stores.get(name)
        if (
            session.transaction is not _IDLE
            or len(parameters) != count
            or store is None
            # Whatever else the catalog has gained or lost since: a key is looked up as before.
            or (store.schema is not known and not is_planned_for(store.schema))
        ):
            return None
        if (has_clause or session.options is not PLAIN_SESSION) and (
            read_options(clause, session, parameters) is not DEFAULT_OPTIONS
        ):
            return None
        key = key_from(parameters)
        if key is None:
            return ()
        try:
            partition = route(key)
        except CodecError:
            return None
        answer = store.query_partition(partition, KeyQuery(key=key))
        if type(answer) is not Success:
            return None
        session.note(answer.position)
        value = answer.value
        return () if value is None else (project(key + value),)

    return look_up
