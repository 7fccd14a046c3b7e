"""The rows of the gateway's own relations, in schema `stategate`, as they are now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import pyarrow as pa

from stategate.planner.binding.relations import SYSTEM_RELATIONS
from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.syntax.options import SETTINGS
from stategate.planner.values.rights import Rights
from stategate.planner.values.session import Session
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.catalog import NodeStatus, StoreCatalog
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import PartitionStatus, ReplicaState, Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The facts that system relations show."""

    catalog: StoreCatalog
    rights: Rights
    """Stores that the user may not read are not shown."""
    queries: RunningQueries
    session: Session
    """The session that reads the relation."""
    node: str
    now_ms: int

    def stores(self) -> list[tuple[str, Store]]:
        """Return the stores that the user may read, by name."""
        may_read, user = self.rights.may_read, self.session.user
        return [each for each in sorted(self.catalog.stores.items()) if may_read(user, each[0])]


def system_table(name: str, around: Surroundings) -> pa.Table:
    """Return the rows of a system relation as they are now."""
    rows = _ROWS[name](around)
    columns = SYSTEM_RELATIONS[name]
    return pa.Table.from_arrays(
        [physical_array([row[i] for row in rows], c.type) for i, c in enumerate(columns)],
        schema=pa.schema([(c.name, c.type.arrow) for c in columns]),
    )


def _store_rows(around: Surroundings) -> list[Row]:
    return [
        (
            schema.name,
            schema.kind.value,
            ", ".join(f"{c.name} {c.type}" for c in schema.key),
            ", ".join(f"{c.name} {c.type}" for c in schema.value),
            schema.partitions,
            ", ".join(topic.topic for topic in schema.inputs),
            schema.window_size_ms,
            schema.retention_ms,
            schema.by_event_time,
        )
        for schema in (store.schema for _, store in around.stores())
    ]


def _partition_rows(around: Surroundings) -> list[Row]:
    return [
        (
            name,
            status.partition,
            status.node or around.node,
            status.role.value,
            status.state.value,
            status.progress.epoch,
            status.progress.position.token(),
            status.progress.watermark_ms,
            around.now_ms - status.progress.committed_ms if status.progress.epoch >= 0 else None,
            status.late_rows,
            status.error,
        )
        for name, store in around.stores()
        for status in sorted(_replicas(around, store), key=lambda each: each.partition)
    ]


def _replicas(around: Surroundings, store: Store) -> Collection[PartitionStatus]:
    """Return the status of each replica of a store, on any node."""
    nodes = around.catalog.nodes
    return store.statuses().values() if nodes is None else nodes.replicas(store.schema.name)


def _node_rows(around: Surroundings) -> list[Row]:
    if around.catalog.nodes is not None:
        return [_node_row(status) for status in around.catalog.nodes.statuses()]
    replicas = [
        status.state is ReplicaState.RUNNING
        for store in around.catalog.stores.values()
        for status in store.statuses().values()
    ]
    running = sum(replicas)
    alone = NodeStatus(name=around.node, running=running, restoring=len(replicas) - running)
    return [_node_row(alone)]


def _node_row(status: NodeStatus) -> Row:
    return (
        status.name,
        status.running + status.restoring,
        status.running,
        status.is_connected,
        status.is_leaving,
        status.zone,
        status.weight,
        status.version or None,
        status.reply_ms,
        status.problem,
    )


def _query_rows(around: Surroundings) -> list[Row]:
    """Return the running statements; the text of another user's is for administrators."""
    may_see, user = around.rights.may_see, around.session.user
    return [
        (
            query.number,
            query.user,
            query.started_ms * 1000,
            max(0, around.now_ms - query.started_ms),
            query.sql if may_see(user, query.user) else None,
            query.pid if query.pid >= -(2**31) else None,
            query.state,
        )
        for query in around.queries.running()
    ]


def _slow_query_rows(around: Surroundings) -> list[Row]:
    """Return the slow statements; the text of another user's is for administrators."""
    may_see, user = around.rights.may_see, around.session.user
    return [
        (
            slow.query.number,
            slow.query.user,
            slow.query.started_ms * 1000,
            slow.elapsed_ms,
            slow.rows,
            slow.sqlstate,
            slow.query.sql if may_see(user, slow.query.user) else None,
        )
        for slow in around.queries.slow.all()
    ]


def _setting_rows(around: Surroundings) -> list[Row]:
    values = around.session.settings
    return [(name, values.get(name, default), default) for name, default in SETTINGS.items()]


_ROWS: Mapping[str, Callable[[Surroundings], list[Row]]] = {
    "stores": _store_rows,
    "partitions": _partition_rows,
    "nodes": _node_rows,
    "queries": _query_rows,
    "slow_queries": _slow_query_rows,
    "settings": _setting_rows,
}
