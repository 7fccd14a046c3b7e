"""Compute the values of a plan at the start of a run."""

from __future__ import annotations

from stategate.planner.composing.compose import Composer
from stategate.planner.errors import QueryCancelledError, QueryError
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.planning.run_values import RunValues
from stategate.planner.running.gathering import AsPromised
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import LookedUp, LookUp
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import Row


class ValuesFirst:
    """The fast way of a statement whose values are computed here.

    Args:
        values: the values.
        look_up: the fast way, once they are known.
    """

    __slots__ = ("complete", "look_up")

    def __init__(self, values: RunValues, look_up: LookUp) -> None:
        self.complete, self.look_up = values.quickly, look_up

    def __call__(self, parameters: Row, session: Session) -> LookedUp | None:
        """Compute the values, and look up; None if the statement needs the slow way."""
        known = self.complete(parameters)
        return None if known is None else self.look_up(known, session)


def with_values(values: RunValues | None, look_up: LookUp | None) -> LookUp | None:
    """Return the fast way of a statement with these values, or None."""
    if values is None or look_up is None:
        return look_up
    return ValuesFirst(values, look_up) if values.is_quick else None


def completed(
    plan: QueryPlan,
    parameters: Row,
    composer: Composer,
    cancellation: Cancellation,
) -> tuple[QueryPlan, Row, Row]:
    """Return a plan, its parameters with all values, and the values.

    If a value fails, it is the plan without computed values: PostgreSQL need not compute it, and
    that plan fails where PostgreSQL's would.

    Raises:
        QueryError: a value fails, and there is no other plan; or the statement was cancelled.
    """
    values = plan.values
    if values is None:
        return plan, parameters, ()
    try:
        found = values_of(values, parameters, composer, cancellation)
    except QueryCancelledError:
        raise
    except QueryError:
        if plan.without_values is None:
            raise
        return plan.without_values(cancellation), parameters, ()
    return plan, values.with_values(parameters, found), found


def values_of(
    values: RunValues, parameters: Row, composer: Composer, cancellation: Cancellation
) -> Row:
    """Return the values for these parameters.

    Raises:
        QueryError: one fails, or the statement was cancelled.
    """
    quick = values.quick_values(parameters)
    if quick is not None:
        return quick
    query = values.query(cancellation)
    composed = composer.run(
        query.sql,
        {},
        {n: (parameters[n - 1], query.parameters[n - 1]) for n in query.numbers},
        cancellation=cancellation,
        outline=query.outline,
    )
    (row,) = [
        row
        for batch in AsPromised(composed, query.arrow_schema)
        for row in zip(
            *[
                physical_list(array, column.type)
                for array, column in zip(batch.columns, query.columns, strict=True)
            ],
            strict=True,
        )
    ]
    return row
