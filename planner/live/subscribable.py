"""Which statements can be kept up to date, and what tells the rows of their results apart."""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.live.differences import Difference
from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import Compose, Lookup, QueryPlan, accesses_of
from stategate.planner.postgres.expressions.volatile import VOLATILE
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.running.snapshot import takes_snapshot
from stategate.planner.syntax.options import ReadOptions
from stategate.planner.syntax.parse import parse
from stategate.planner.trees.nodes import position_of
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Statement, StatementKind
from stategate.stores.spec.schema import Row, StoreSchema

_MOVING = VOLATILE | {
    *("now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "today", "rand"),
    *("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp"),
    *("current_datetime", "reservoir_quantile", "current_setting"),
}
"""Functions whose values change between two epochs."""
_MOVING_TEXT = re.compile(r"\s*(now|today|tomorrow|yesterday)(\s+\d.*)?\s*", re.IGNORECASE)
"""Texts that mean a time by the clock, if they become one."""
_KEPT_MAX = 512


def require_subscribable(statement: Statement, parameters: Row, session: Session) -> QueryPlan:
    """Return the plan of a statement whose results change only with epochs of stores.

    Raises:
        NotSupportedError: the statement, or the transaction that it is in, is another one.
    """
    plan = statement.plan
    if statement.kind is not StatementKind.SELECT or not isinstance(plan, QueryPlan):
        raise _refused("it is not a SELECT from a store")
    if plan.catalog_values is not None:
        raise _refused("it depends on the session or the catalog")
    node = plan.node
    if isinstance(node, Compose) and not all(isinstance(read, Access) for _, read in node.inputs):
        raise _refused("it reads a system relation")
    if not schemas_of(plan):
        raise _refused("it reads no store")
    if (reason := _moving(statement.sql)) is not None:
        raise _refused(*reason)
    if any(_is_moving(value) for value in (*parameters, *statement.literals)):
        raise _refused("one of its values is a time by the clock")
    if takes_snapshot(session) or session.snapshot is not None:
        raise NotSupportedError(
            "SUBSCRIBE in a transaction that repeats its reads is not supported",
            hint="Begin the transaction with ISOLATION LEVEL READ COMMITTED.",
        )
    return plan


def require_live_options(options: ReadOptions) -> None:
    """Refuse read options that a live query cannot keep.

    Raises:
        NotSupportedError: one of them is set.
    """
    if options.partial:
        raise _refused("PARTIAL would report rows of a failed partition as deleted")
    if options.engine == "spark":
        raise _refused("Spark does not run live queries")


def schemas_of(plan: QueryPlan) -> dict[str, StoreSchema]:
    """Return the stores that a plan reads, by name."""
    node = plan.node
    accesses = [node.access] if isinstance(node, Lookup) else accesses_of(node)
    return {access.schema.name: access.schema for access in accesses}


def difference_of(statement: Statement) -> Difference:
    """Return what compares results of a statement that can be subscribed to."""
    plan = statement.plan
    assert isinstance(plan, QueryPlan), "it was checked"
    return Difference(statement.columns, result_key(statement, plan))


def result_key(statement: Statement, plan: QueryPlan) -> tuple[int, ...] | None:
    """Return the places of the result's columns that tell its rows apart; None if not known.

    They are the columns of GROUP BY, or else the key columns of all stores that are read. It only
    decides which deletes and inserts are shown as an update.
    """
    tree = parse(statement.sql).tree
    if not isinstance(tree, exp.Select):
        return None
    group = tree.args.get("group")
    if group is not None:
        return _group_key(tree, group)
    if any(isinstance(each, exp.AggFunc) for item in tree.expressions for each in item.walk()):
        return () if not tree.find(exp.Window) else None
    origins = plan.origins or ()
    places = {
        (origin[0].store.name, origin[1]): at
        for at, origin in enumerate(origins)
        if origin is not None and origin[0].store is not None
    }
    wanted = [
        (name, column.name)
        for name, schema in schemas_of(plan).items()
        for column in (*schema.key, *schema.time_columns[:1])
    ]
    found = [places.get(each) for each in wanted]
    return tuple(at for at in found if at is not None) if None not in found else None


def _group_key(tree: exp.Select, group: exp.Expr) -> tuple[int, ...] | None:
    """Return the places of the grouping expressions in the result, if all of them are there."""
    if set(group.args) - {"expressions"} and any(
        group.args.get(name) for name in set(group.args) - {"expressions"}
    ):
        return None  # GROUPING SETS, CUBE and ROLLUP have several rows for a key
    found: list[int] = []
    for each in group.expressions:
        at = next((at for at, item in enumerate(tree.expressions) if _is(item, each, at)), None)
        if at is None:
            return None
        found.append(at)
    return tuple(found)


def _is(item: exp.Expr, grouped: exp.Expr, at: int) -> bool:
    """Whether a result column is a grouping expression."""
    if isinstance(grouped, exp.Literal) and grouped.name == str(at + 1):
        return True
    is_named = isinstance(grouped, exp.Column) and item.alias_or_name == grouped.name
    return item.unalias() == grouped or is_named


@lru_cache(maxsize=_KEPT_MAX)
def _moving(sql: str) -> tuple[str, int | None] | None:
    """Return why the rows of a text change without an epoch, and where it says so; or None."""
    tree = parse(sql).tree
    for node in tree.walk() if tree is not None else ():
        name = call_name(node)
        is_age = name == "age" and len(list(node.iter_expressions())) == 1
        if name in _MOVING or is_age:
            return f"{name} changes without an epoch", position_of(node)
        if isinstance(node, exp.TableSample):
            return "a sample changes without an epoch", position_of(node)
        if isinstance(node, exp.Literal) and _is_moving(node.this):
            return f"'{node.this}' is a time by the clock", position_of(node)
    return None


def _is_moving(value: object) -> bool:
    return isinstance(value, str) and _MOVING_TEXT.fullmatch(value) is not None


def _refused(why: str, position: int | None = None) -> NotSupportedError:
    return NotSupportedError(
        "this statement cannot be subscribed to",
        detail=f"{why[0].upper()}{why[1:]}.",
        position=position,
    )
