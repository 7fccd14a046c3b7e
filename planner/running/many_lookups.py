"""Lookups of many keys by one plan: one read for each partition, and a row for each key.

A lookup makes some thirty calls, and a partition reads a key of a list in a tenth of that. It may
block, so it runs in a thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from stategate.planner.planning.plan import Lookup, QueryPlan
from stategate.planner.running.fast_lookup import Admissions, key_reader
from stategate.planner.syntax.with_clause import NO_CLAUSE
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import EachLookedUp
from stategate.stores.errors import CodecError
from stategate.stores.spec.position import Position, merge_positions
from stategate.stores.spec.query import FewKeysQuery
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Key, Kind, Row
from stategate.stores.spec.store import DEFAULT_CONFIG

_READ_MAX = 1_000
"""Keys of one read: some milliseconds, after which a cancelled statement ends."""
_UNEQUAL = frozenset({Kind.REAL, Kind.DOUBLE, Kind.ARRAY, Kind.STRUCT, Kind.MAP})
"""Kinds whose values cannot be found in a dict: NaN, or lists."""


def look_up_each(
    plan: QueryPlan,
    node: Lookup,
    parameters: Sequence[Row],
    session: Session,
    *,
    admissions: Admissions,
    route: Callable[[Key], int],
    bound: Position,
    cancellation: Cancellation,
) -> EachLookedUp | None:
    """Return the row of each key.

    Args:
        plan: the plan of a SELECT.
        node: its only node.
        parameters: the parameters of each lookup.
        session: its session.
        admissions: make the admission of the plan.
        route: the partitioner of the store.
        bound: the position that each partition must cover.
        cancellation: ends it early.

    Returns:
        None if the statement needs the slow way, or a partition does not answer or is behind.

    Raises:
        QueryCancelledError: it was cancelled.
    """
    if plan.values is not None:
        parameters = plan.values.each_quickly(parameters)
    schema = node.access.schema
    if plan.clause is not NO_CLAUSE or any(each.type.kind in _UNEQUAL for each in schema.key):
        return None
    admitted = parameters and admissions.of(plan, schema)(parameters[0], session)
    store = admissions.catalog.stores.get(schema.name)
    are_alike = len(set(map(len, parameters))) <= 1
    # The store may have been rebuilt since it was admitted.
    if not (admitted and are_alike and store and store.schema.has_rows_of(schema)):
        return None
    try:
        keys = list(map(key_reader(plan, node), parameters))
        targets = _targets(dict.fromkeys(key for key in keys if key is not None), route)
    except CodecError:
        return None
    found: dict[Key, Row] = {}
    width, project = len(schema.key), node.project
    reads: dict[int, tuple[int, int]] = {}
    nodes: dict[int, str | None] = {}
    positions = []
    for partition, query in targets:
        cancellation.check()
        (answer,) = store.query_each([(partition, query, DEFAULT_CONFIG)], stop=cancellation)
        if not isinstance(answer, Success) or not answer.position.covers(bound):
            return None
        epoch, rows = reads.get(partition, (answer.epoch, 0))
        if epoch != answer.epoch:
            return None
        reads[partition] = epoch, rows + len(answer.value)
        nodes[partition] = answer.node
        positions.append(answer.position)
        for row in answer.value:
            found[row[:width]] = project(row)
    position = merge_positions(positions)
    session.note(position)
    return EachLookedUp(
        rows=[None if key is None else found.get(key) for key in keys],
        reads=tuple([(schema.name, number, *read) for number, read in reads.items()]),
        position=position,
        nodes=tuple(nodes.values()),
    )


def _targets(keys: dict[Key, None], route: Callable[[Key], int]) -> list[tuple[int, FewKeysQuery]]:
    """Return the reads of each partition."""
    by_partition: dict[int, list[Key]] = {}
    for key in keys:
        by_partition.setdefault(route(key), []).append(key)
    return [
        (partition, FewKeysQuery(keys=tuple(members[at : at + _READ_MAX])))
        for partition, members in sorted(by_partition.items())
        for at in range(0, len(members), _READ_MAX)
    ]
