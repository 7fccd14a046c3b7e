"""The fast lookup of one key: a function made once with the plan and called for each key.

It parses, plans and copies nothing, and stays in the caller's thread. The session notes the
position. If an option or a failure needs more than that, it returns None,
and `Executor.lookup` runs the statement.
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
from planner.values.statement import LookedUp, LookUp
from stores.errors import CodecError
from stores.spec.query import KeyQuery
from stores.spec.result import Success
from stores.spec.schema import Key, Row, StoreSchema
from stores.spec.store import StoreCatalog

_IDLE = TransactionStatus.IDLE
_NOT_ASKED = LookedUp(None)


def key_of(operands: Sequence[Operand], parameters: Row) -> Key | None:
    """Return the key of these operands, one per key column; None if no row can have it."""
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
    """Return the parameters as the key; None if one is NULL."""
    return None if None in parameters else parameters


def fast_lookup(
    plan: QueryPlan, node: Lookup, catalog: StoreCatalog, route: Callable[[Key], int]
) -> LookUp:
    """Return the function that looks up a key.

    Args:
        plan: the plan of a SELECT.
        node: its only node.
        catalog: the stores.
        route: the partitioner of the store.
    """
    schema, project, clause = node.access.schema, node.project, plan.clause
    name, count = schema.name, len(plan.parameters)
    has_clause, operands = clause is not NO_CLAUSE, node.operands
    in_place = [operand.parameter for operand in operands] == list(range(count))
    is_whole = in_place and all(o.fit is Fitted and o.compute is None for o in operands)
    key_from: Callable[[Row], Key | None] = _whole if is_whole else partial(key_of, operands)

    known = schema

    def is_planned_for(found: StoreSchema) -> bool:
        """Whether a plan is valid for a definition; the inputs of a store do not matter."""
        nonlocal known
        is_same = replace(found, inputs=()) == replace(schema, inputs=())
        known = found if is_same else known
        return is_same

    def look_up(parameters: Row, session: Session) -> LookedUp | None:
        store = catalog.stores.get(name)
        if (
            session.transaction is not _IDLE
            or len(parameters) != count
            or store is None
            # Other stores may have changed since; lookups in this one have not.
            or (store.schema is not known and not is_planned_for(store.schema))
        ):
            return None
        if (has_clause or session.options is not PLAIN_SESSION) and (
            read_options(clause, session, parameters) is not DEFAULT_OPTIONS
        ):
            return None
        key = key_from(parameters)
        if key is None:
            return _NOT_ASKED
        try:
            partition = route(key)
        except CodecError:
            return None
        answer = store.query_partition(partition, KeyQuery(key=key))
        if type(answer) is not Success:
            return None
        position = answer.position
        session.note(position)
        value = answer.value
        row = None if value is None else project(key + value)
        return LookedUp(row, name, partition, position, answer.epoch)

    return look_up
