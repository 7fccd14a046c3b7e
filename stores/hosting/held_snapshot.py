"""A consistent cut over several stores: their epochs chosen and held in one moment.

`stores.spec.store.snapshot_epochs` finds the epochs, and what it found can be forgotten before it
is asked for. Here it cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager

from stores.hosting.held_epochs import standstill
from stores.spec.store import Store, snapshot_epochs


@contextmanager
def held_snapshot(stores: Iterable[Store]) -> Iterator[Mapping[str, int | None]]:
    """Keep all partitions of several stores at the newest epoch that those of a pipeline share.

    Meanwhile applying goes on, and `QueryConfig(at_epoch=…)` finds the epoch, for as long as a hold
    lasts (see `Store.hold`). A stream that was taken may be read afterwards, too.

    Args:
        stores: of this process; those of other pipelines have epochs of their own.

    Returns:
        The epoch to ask each store at, by name; None if its pipeline has none that all its
        partitions still know.
    """
    members = list(stores)
    with ExitStack() as held:
        with standstill():
            epochs = snapshot_epochs(members)
            for store in members:
                epoch = epochs[store.schema.name]
                for partition in store.statuses() if epoch is not None else ():
                    hold = store.hold(partition, epoch)
                    if hold is not None:
                        held.callback(hold.release)
        yield epochs
