"""Which version of its stores a statement reads, found without reading rows.

A statement has versions only if the same epochs always give the same answer. So all that it is made
of must be known to depend on nothing else, such as the clock, the session or chance.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache

from sqlglot import exp

from stategate.planner.planning.access import Access
from stategate.planner.planning.plan import Compose, QueryPlan
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session, TransactionStatus
from stategate.planner.values.statement import Statement, StatementKind
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import ReplicaState, Store

_STEADY: frozenset[type[exp.Expr]] = frozenset(
    {
        *(exp.Select, exp.Union, exp.Subquery, exp.Exists, exp.From, exp.Table, exp.TableAlias),
        *(exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit),
        *(exp.Offset, exp.Distinct, exp.Alias, exp.Column, exp.Identifier, exp.Star, exp.Tuple),
        *(exp.Literal, exp.Boolean, exp.Null, exp.Parameter, exp.Paren, exp.And, exp.Or, exp.Not),
        *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Is, exp.In, exp.Between),
        *(exp.Like, exp.ILike, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg, exp.DPipe),
        *(exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Coalesce, exp.Case, exp.If),
        *(exp.Abs, exp.Round, exp.Upper, exp.Lower),
    }
)
"""Kinds of nodes whose values depend on their operands only."""
_MOVING = ("now", "today", "tomorrow", "yesterday")
"""Texts that mean a time by the clock."""
_KEPT_MAX, _SQL_MAX = 512, 10_000
"""Texts of which it is remembered whether they are steady, and the characters of the longest one:
parsing takes longer than many statements. Longer texts have no version."""
_PLAIN_CONSISTENCY = frozenset({"eventual", "monotonic"})


def answer_version(
    statement: Statement,
    parameters: Row,
    session: Session,
    catalog: StoreCatalog,
    rights: Rights,
) -> str | None:
    """Return a text that changes whenever the answer may change; it may block.

    Args:
        statement: a planned statement.
        parameters: its parameters.
        session: its settings are a part of the version.
        catalog: the stores.
        rights: the stores that each user may read.

    Returns:
        None if the answer may change at any time, is not known to depend on epochs only, or is
        refused.
    """
    plan = statement.plan
    if (
        statement.kind is not StatementKind.SELECT
        or not isinstance(plan, QueryPlan)
        or plan.clause is not NO_CLAUSE
        or plan.catalog_values is not None
        or catalog.nodes is not None
        or session.transaction is not TransactionStatus.IDLE
        or not rights.may_read_all(session.user, plan.reads)
        or session.settings.get("stategate.consistency", "eventual") not in _PLAIN_CONSISTENCY
        or any(_is_moving(each) for each in (*parameters, *statement.literals))
        or len(statement.sql) > _SQL_MAX
        or not _is_steady(statement.sql)
    ):
        return None
    stores = [catalog.stores.get(name) for name in sorted(_stores_of(plan))]
    digest = hashlib.blake2b(digest_size=12)
    for store in stores:
        state = None if store is None else _state(store)
        if state is None:
            return None
        digest.update(state)
    digest.update(repr((statement.sql, parameters, sorted(session.settings.items()))).encode())
    digest.update(session.user.encode())
    return digest.hexdigest() if stores else None


def _stores_of(plan: QueryPlan) -> set[str]:
    """Return the names of the stores that a plan reads; none if it reads a system relation."""
    node = plan.node
    reads: Iterable[object] = (
        [read for _, read in node.inputs] if isinstance(node, Compose) else [node.access]
    )
    accesses = [read for read in reads if isinstance(read, Access)]
    return {each.schema.name for each in accesses} if len(accesses) == len(list(reads)) else set()


def _state(store: Store) -> bytes | None:
    """Return what decides the rows of a store; None while a partition does not answer."""
    statuses = sorted(store.statuses().items())
    if any(status.state is not ReplicaState.RUNNING for _, status in statuses):
        return None
    schema = store.schema
    parts = [
        (number, status.progress.epoch, status.progress.committed_ms, status.progress.position)
        for number, status in statuses
    ]
    return repr((schema, parts)).encode()


@lru_cache(maxsize=_KEPT_MAX)
def _is_steady(sql: str) -> bool:
    tree = parse(sql).tree
    return tree is not None and all(
        type(node) in _STEADY and not (isinstance(node, exp.Literal) and _is_moving(node.this))
        for node in tree.walk()
    )


def _is_moving(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower().startswith(_MOVING)
