"""The epochs that all partitions of a pipeline's stores can be read at."""

from __future__ import annotations

from collections.abc import Iterable

from stategate.stores.spec.store import PartitionStatus, ReplicaState, Store


def snapshot_epoch(statuses: Iterable[PartitionStatus]) -> int | None:
    """Return the newest epoch at which all these partitions can answer; None if they share none.

    A partition that skips an epoch answers as of the one before, since nothing changed in it. So
    only the oldest and the newest epoch of each partition matter.
    """
    held = list(statuses)
    if not held or any(status.state is ReplicaState.CLOSED for status in held):
        return None
    newest = min(status.progress.epoch for status in held)
    return newest if newest >= max(status.epoch_oldest for status in held) else None


ANONYMOUS_WRITERS = frozenset({"python", "load"})
"""The names in commits of those who named no writer, by `StoreWriter` and `stategate load`.

Each run of them counts its own epochs, so two stores with such a name do not share a pipeline.
"""


def pipeline_of(store: str, statuses: Iterable[PartitionStatus]) -> str:
    """Return a name for the pipeline of a store; equal for two stores if they share epochs."""
    found = next((s.pipeline for s in statuses if s.pipeline is not None), None)
    return f"store:{store}" if found is None or found in ANONYMOUS_WRITERS else found


def snapshot_epochs(stores: Iterable[Store]) -> dict[str, int | None]:
    """Return the epoch to ask each store at, by name; the same for all stores of a pipeline.

    Epochs of different pipelines have nothing in common.
    """
    members: dict[str, list[str]] = {}
    statuses: dict[str, list[PartitionStatus]] = {}
    for store in stores:
        found = list(store.statuses().values())
        name = store.schema.name
        pipeline = pipeline_of(name, found)
        members.setdefault(pipeline, []).append(name)
        statuses.setdefault(pipeline, []).extend(found)
    return {
        name: snapshot_epoch(statuses[pipeline])
        for pipeline, names in members.items()
        for name in names
    }
