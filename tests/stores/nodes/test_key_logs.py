"""The changed keys that nodes record for one another, also when replicas come and go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stategate.stores.nodes.messages import FollowKeys
from tests.stores.nodes.test_cluster_store import Cluster, replica_of
from tests.support.stores import batch, progress


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = Cluster()
    found.apply([("old", 0)])
    yield found
    for store in [*found.stores.values(), found.whole]:
        store.close()


def test_keys_of_a_replica_that_was_opened_anew_are_followed_anew(cluster: Cluster) -> None:
    """The connection goes on, but the log of the replica before does not grow any more."""
    partition = cluster.elsewhere()
    names = cluster.holders(partition)
    log = cluster.store.follow_keys(partition)
    assert log is not None
    cluster.apply([("x", 1)], epoch=1)
    assert log.changed(0, 1) == [("x",)]
    for name in names:
        store = cluster.stores[name]
        store.drop(partition)
        store.add(replica_of(cluster.schema, partition))
        store.replicas[partition].apply(progress(1), [batch(cluster.schema, [("y", 1)])])
    cluster.apply([("z", 2)], epoch=2)
    assert log.changed(1, 2) is None, "no one has followed them"
    cluster.apply([("w", 3)], epoch=3)
    assert log.changed(2, 3) == [("w",)]
    for name in names:
        link = cluster.links[name]
        assert len(link.answering._logs) == 1, "the old one is released"
        assert sum(isinstance(each, FollowKeys) for each in link.asked) == 2
    for name in names:
        cluster.stores[name].drop(partition)
    assert log.changed(3, 4) is None, "it is not here any more"
