"""Waits until stores have met the bound at which a subscription begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from stategate.planner.errors import UnavailableError
from stategate.planner.live.cuts import Epochs, Stores
from stategate.planner.running.consistency import Reading, wait_for_all
from stategate.planner.syntax.options import ReadOptions
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.partition_failures import partitions_failed
from stategate.stores.errors import FailureReason
from stategate.stores.hosting.partition_waits import Awaited
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.position import PositionBound

_ALIGN_S = 1.0
"""How long partitions that have met the bound may take to reach the same epoch."""


def await_bounds(
    stores: Stores, options: ReadOptions, catalog: StoreCatalog, cancellation: Cancellation
) -> Mapping[str, int]:
    """Wait for the bound of a statement, and return the least epoch of each store that meets it.

    Raises:
        UnavailableError: a partition has not met it in time (55S01).
        QueryError: a topic of the bound feeds no store, or the statement was cancelled.
    """
    reading = Reading(options=options, cancellation=cancellation)
    reading.check_topics(stores.values(), catalog)
    awaited = [
        Awaited(store=store, partition=number, bound=reading.config(store, number).bound)
        for store in stores.values()
        for number in range(store.schema.partitions)
    ]
    if all(each.bound.is_unbounded for each in awaited):
        return {}
    wait_s = options.wait_ms / 1000
    if not wait_for_all(awaited, timeout_s=wait_s, cancellation=cancellation, report_all=True):
        raise partitions_failed(_behind(awaited))
    least = {
        name: max((s.progress.epoch for s in store.statuses().values()), default=-1)
        for name, store in stores.items()
    }
    aligned = [
        Awaited(store=store, partition=number, bound=PositionBound(epoch=least[name]))
        for name, store in stores.items()
        for number in range(store.schema.partitions)
    ]
    wait_for_all(aligned, timeout_s=max(wait_s, _ALIGN_S), cancellation=cancellation)
    return least


class Advancing(Protocol):
    """A live query that is brought up to date."""

    def reached(self, least: Epochs) -> bool:
        """Whether its rows are at least as new as these epochs."""

    def advance(self) -> None:
        """Read the epochs that have come."""


def await_token(
    query: Advancing, stores: Stores, epochs: Epochs, cancellation: Cancellation
) -> None:
    """Bring a query to the epochs of a token: its client has seen them, perhaps elsewhere.

    Raises:
        UnavailableError: no copy that answers has them (55S01).
    """
    if query.reached(epochs):
        return
    _await_epochs(stores, epochs, cancellation)
    query.advance()
    if not query.reached(epochs):
        raise UnavailableError(
            "the partitions are behind the token",
            detail="No copy that answers has the rows that the client has seen.",
            hint="Retry.",
            sqlstate="55S01",
        )


def _await_epochs(stores: Stores, epochs: Epochs, cancellation: Cancellation) -> None:
    awaited = [
        Awaited(store=store, partition=number, bound=PositionBound(epoch=epochs.get(name)))
        for name, store in stores.items()
        for number in range(store.schema.partitions)
    ]
    wait_for_all(awaited, timeout_s=_ALIGN_S, cancellation=cancellation)


def _behind(awaited: list[Awaited]) -> list[tuple[str, int, FailureReason, str]]:
    """Return the failure of each partition that has not met its bound by now."""
    found = []
    for each in awaited:
        if not each.store.wait(each.partition, each.bound, timeout_s=0):
            status = each.store.statuses().get(each.partition)
            epoch = -1 if status is None else status.progress.epoch
            why = f"it has not reached the bound at epoch {epoch}"
            place = each.store.schema.name, each.partition
            found.append((*place, FailureReason.NOT_UP_TO_BOUND, why))
    first = awaited[0]
    late = "it reached the bound too late"
    return found or [
        (first.store.schema.name, first.partition, FailureReason.NOT_UP_TO_BOUND, late)
    ]
