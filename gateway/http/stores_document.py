"""Describes the stores as JSON documents, and gives the reasons why a node is not ready.

`routes` serves them at `/v1/stores` and `/readyz`, without importing stores.
"""

from __future__ import annotations

from stategate.gateway.nodes.service import NodeService
from stategate.stores.errors import LogError
from stategate.stores.hosting.host import Host
from stategate.stores.spec.schema import Column, StoreSchema
from stategate.stores.spec.store import PartitionStatus, Store


def describe_stores(host: Host) -> list[dict[str, object]]:
    """Return the documents of all stores, for `/v1/stores`."""
    return [_describe_store(store) for _, store in sorted(host.stores.items())]


def _describe_store(store: Store) -> dict[str, object]:
    schema, statuses = store.schema, store.statuses()
    replicas = [_describe_replica(status) for _, status in sorted(statuses.items())]
    return {
        "name": schema.name,
        "comment": schema.comment,
        "kind": schema.kind.value,
        "key": [_describe_column(schema, each) for each in schema.key],
        "columns": [_describe_column(schema, each) for each in schema.columns],
        "partitions": schema.partitions,
        "inputs": [{"topic": each.topic, "aligned": each.aligned} for each in schema.inputs],
        "window_size_ms": schema.window_size_ms,
        "retention_ms": schema.retention_ms,
        "by_event_time": schema.by_event_time,
        **_describe_log(store),
        "running": sum(replica["state"] == "running" for replica in replicas),
        "replicas": replicas,
    }


def _describe_column(schema: StoreSchema, column: Column) -> dict[str, object]:
    return {
        "name": column.name,
        "type": str(column.type),
        "not_null": column.name in schema.not_null,
        "comment": column.comment,
    }


def _describe_log(store: Store) -> dict[str, object]:
    try:
        return {"committed_epoch": store.committed_epoch(), "log_error": None}
    except LogError as error:
        return {"committed_epoch": None, "log_error": str(error)}


def _describe_replica(status: PartitionStatus) -> dict[str, object]:
    progress = status.progress
    return {
        "partition": status.partition,
        "role": status.role.value,
        "state": status.state.value,
        "epoch": progress.epoch,
        "position": {
            topic: {str(partition): offset for partition, offset in offsets.items()}
            for topic, offsets in progress.position.to_dict().items()
        },
        "watermark_ms": progress.watermark_ms,
        "committed_ms": progress.committed_ms,
        "late_rows": status.late_rows,
        "error": status.error,
    }


def reasons_not_ready(host: Host, nodes: NodeService | None = None) -> list[str]:
    """Return why the node is not ready; empty once every replica runs, until it leaves."""
    if nodes is not None and nodes.is_leaving:
        return ["the node is leaving"]
    if host.is_ready:
        return []
    reasons = [
        f"{name}[{partition}] is {status.state.value}"
        + (f": {status.error}" if status.error else "")
        for name, statuses in sorted(host.statuses().items())
        for partition, status in sorted(statuses.items())
        if status.error or status.state.value != "running"
    ]
    if host.error:
        reasons.insert(0, host.error)
    return reasons or ["the stores are being opened"]
