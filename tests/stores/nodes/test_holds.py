"""Epochs that are kept at other nodes: at which, and until when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from stategate.stores.nodes import holds
from stategate.stores.nodes.cluster_store import ClusterStore
from stategate.stores.nodes.links import NodeError, OnReply, Replied
from stategate.stores.nodes.messages import Request
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import Hold, Waiting
from tests.stores.nodes.memory_links import MemoryLink
from tests.stores.nodes.test_cluster_store import Cluster, replica_of
from tests.support.stores import progress


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = Cluster()
    found.apply([("old", 0)])
    yield found
    for store in [*found.stores.values(), found.whole]:
        store.close()


def held_at(cluster: Cluster, name: str, partition: int) -> int:
    """Return how many epochs of a partition a node keeps."""
    return cluster.stores[name].replicas[partition].status.held_epochs


def taken(hold: Hold | None) -> Hold:
    assert hold is not None
    return hold


def is_misplaced(hold: Hold) -> bool:
    return hold.is_misplaced


def test_the_copy_that_has_the_epoch_keeps_it(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    cluster.apply([("new", 1)], epoch=1, nodes=second)
    hold = taken(cluster.store.hold(partition, 1))
    assert hold.committed_ms == 0
    assert (held_at(cluster, first, partition), held_at(cluster, second, partition)) == (1, 1)
    cluster.links[first].is_up = False
    assert hold.is_held
    hold.release()


def test_an_epoch_that_no_copy_has_is_kept_when_it_comes(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    hold = taken(cluster.store.hold(partition, 1))
    assert hold.committed_ms is None
    for epoch in range(1, 9):
        cluster.apply([("new", epoch)], epoch=epoch)
    assert hold.is_held
    assert not hold.is_missed
    hold.release()
    assert all(held_at(cluster, name, partition) == 0 for name in cluster.holders(partition))


def test_epochs_are_kept_where_the_partition_is_to_be(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    homes = [first, second]

    def found(schema: StoreSchema, number: int) -> Sequence[str]:
        return homes

    store = ClusterStore(
        cluster.stores["a"],
        node="a",
        links=cluster.links,
        holders=lambda schema, number: [*cluster.holders(number), "a"],
        homes=found,
    )
    hold = taken(store.hold(partition))
    assert not is_misplaced(hold)
    cluster.stores["a"].add(replica_of(cluster.schema, partition))
    cluster.apply([("new", 0)], nodes="a", partition=partition)
    homes[:] = [second, "a"]
    assert is_misplaced(hold)
    anew = taken(store.hold(partition))
    assert not is_misplaced(anew)
    hold.release()
    assert held_at(cluster, first, partition) == 0
    homes[:] = [second]
    assert is_misplaced(anew), "its spare is here, or it is itself"
    last = taken(store.hold(partition))
    anew.release()
    assert not is_misplaced(last)
    assert [held_at(cluster, name, partition) for name in (first, second, "a")] == [0, 1, 0]
    last.release()


def test_an_epoch_whose_spare_was_lost_is_kept_at_two_nodes_again(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    hold = taken(cluster.store.hold(partition))
    assert not is_misplaced(hold)
    link = cluster.links.pop(second)
    link.answering.close()
    link.is_up = False
    assert held_at(cluster, second, partition) == 0
    assert not is_misplaced(hold), "there is no other node"
    link.connections, link.is_up = 2, True
    cluster.links[second] = link
    assert is_misplaced(hold)
    anew = taken(cluster.store.hold(partition, hold.epoch))
    hold.release()
    assert not is_misplaced(anew)
    assert [held_at(cluster, name, partition) for name in (first, second)] == [1, 1]
    anew.release()


def test_a_node_that_refused_to_keep_a_spare_is_not_asked_for_ever(cluster: Cluster) -> None:
    partition = cluster.elsewhere()
    _, second = cluster.holders(partition)
    cluster.stores[second].drop(partition)
    hold = taken(cluster.store.hold(partition))
    assert not is_misplaced(hold)
    hold.release()


def test_a_store_that_was_made_anew_does_not_go_on_for_the_old_one(cluster: Cluster) -> None:
    """Its epoch has the same number, and was committed at another time."""
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    hold = taken(cluster.store.hold(partition))
    anew = Cluster()
    for store in anew.stores.values():
        for replica in store.replicas.values():
            replica.apply(progress(0, committed_ms=7), [])
    cluster.stores[second] = anew.stores[second]
    cluster.link_to(second)
    cluster.links[first].is_up = False
    assert not hold.is_held
    assert anew.stores[second].replicas[partition].status.held_epochs == 0
    hold.release()


class _Unended:
    def cancel(self) -> bool:
        return True


class SlowLink(MemoryLink):
    """A link to a node that gets what it is sent, and whose replies come late."""

    def __init__(self, link: MemoryLink) -> None:
        super().__init__(link.answering)
        self.late: list[tuple[Request, OnReply]] = []

    def ask(self, request: Request, *, timeout_s: float | None = None) -> Replied:
        """Give no reply in time."""
        raise NodeError("it did not reply in time")

    def begin(self, request: Request, on_reply: OnReply) -> Waiting:
        """Keep a request until it is replied to."""
        self.late.append((request, on_reply))
        return _Unended()

    def reply(self) -> None:
        """Reply to what was sent."""
        for request, on_reply in self.late:
            on_reply(super().ask(request))


def test_a_slow_node_is_told_to_forget_what_is_kept_elsewhere_by_now(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    hold = taken(cluster.store.hold(partition))
    with monkeypatch.context() as slow:
        slow.setattr(cluster.links[first], "ask", SlowLink(cluster.links[first]).ask)
        assert hold.is_held
    assert held_at(cluster, first, partition) == 1
    hold.release()
    assert [held_at(cluster, name, partition) for name in (first, second)] == [0, 0]


def test_an_epoch_that_is_kept_too_late_is_forgotten(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "STATUS_S", 0.01)
    partition = cluster.elsewhere()
    first, second = cluster.holders(partition)
    cluster.links[first] = slow = SlowLink(cluster.links[first])
    hold = taken(cluster.store.hold(partition))
    slow.reply()
    assert len(slow.late) == 2, "and the spare of the second"
    hold.release()
    assert [held_at(cluster, name, partition) for name in (first, second)] == [0, 0]
