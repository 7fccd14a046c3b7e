"""The law of live queries, for stores on several nodes that are lost and whose partitions move.

The first rows, with the changes of each epoch, are the rows of the statement. No epoch is passed
over, and no one has to start over: each partition has a copy at any time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.sql import LiveLimits, SqlEngine
from stategate.stores.nodes.cluster import Cluster
from stategate.stores.spec.schema import Row, StoreSchema
from tests.planner.live.nodes import NAMES, LiveLink, LiveNodes
from tests.planner.live.test_law import EXAMPLES, agree, keyed, of_one_store, rows_now
from tests.planner.live.watching import Watcher
from tests.planner.test_law import STORES, Query, joined, nested, single_store, tables
from tests.support.stores import FixedCatalog


class Both:
    """An engine on node `a` of some nodes, and one that has everything itself."""

    def __init__(self) -> None:
        self._nodes: LiveNodes | None = None
        self._stores, self._whole = FixedCatalog(), FixedCatalog()
        self._links: dict[str, LiveLink] = {}
        cluster = Cluster(
            self._stores, node="a", links=self._links, holders=self._holders, homes=self._homes
        )
        limits = LiveLimits(linger_s=0)
        self.engine = SqlEngine(cluster, live=limits, node="a")
        self.reference = SqlEngine(self._whole)

    def use(self, nodes: LiveNodes) -> None:
        """Read these nodes from now on."""
        self._nodes = nodes
        self._stores.replace(*nodes.stores["a"].values())
        self._whole.replace(*nodes.whole.values())
        self._links.clear()
        self._links.update(nodes.links)

    def close(self) -> None:
        """End both."""
        self.engine.close()
        self.reference.close()

    def _holders(self, schema: StoreSchema, partition: int) -> Sequence[str]:
        return [] if self._nodes is None else self._nodes.holders(schema, partition)

    def _homes(self, schema: StoreSchema, partition: int) -> Sequence[str]:
        return [] if self._nodes is None else self._nodes.homes(schema, partition)


@pytest.fixture(scope="module")
def both() -> Iterator[Both]:
    made = Both()
    yield made
    made.close()


@st.composite
def of_keys(draw: st.DrawFn) -> Query:
    """Draw a statement whose changes are those of the changed keys."""
    return Query(draw(of_one_store(("people", "orders", "clicks")))[0])


HAPPENS = st.one_of(
    st.just(("nothing", 0)),
    st.tuples(st.sampled_from(["lose b", "lose c", "lose b later", "lose c later"]), st.just(0)),
    st.tuples(st.just("move"), st.integers(0, 5)),
)


def happens(nodes: LiveNodes, what: str, number: int, after: int) -> None:
    """Let something happen to the nodes; one that was lost comes back first."""
    for name in NAMES[1:]:
        if not nodes.is_up(name) or nodes.links[name].requests_left < 1_000:
            nodes.lose(name)
            nodes.bring_back(name)
    event(what)
    if what == "move":
        for schema in nodes.schemas:
            partition = number % schema.partitions
            before = nodes.placed[schema.name, partition]
            new = next(name for name in NAMES if name not in before)
            nodes.move(schema.name, partition, [new, before[number % 2]])
        nodes.drop_moved()
    elif what.startswith("lose"):
        name = what.split()[1]
        if what.endswith("later"):
            nodes.links[name].requests_left = after
        else:
            nodes.lose(name)


@given(
    query=st.one_of(of_keys(), of_keys(), single_store(), joined(), nested()),
    contents=st.lists(tables(), min_size=2, max_size=5),
    what=st.lists(HAPPENS, min_size=4, max_size=4),
    after=st.integers(0, 30),
)
@settings(max_examples=EXAMPLES // 5, suppress_health_check=list(HealthCheck))
def test_changes_make_the_rows_of_each_epoch(
    both: Both,
    query: Query,
    contents: list[dict[str, list[Row]]],
    what: list[tuple[str, int]],
    after: int,
) -> None:
    nodes = LiveNodes(STORES)
    empty: dict[str, list[Row]] = {schema.name: [] for schema in STORES}
    apply_all(nodes, empty, contents[0], 0)
    both.use(nodes)
    expected = rows_now(both.reference, query)
    try:
        staying = Watcher(both.engine, query.sql, query.parameters)
    except QueryError:
        nodes.close()
        return  # the statement fails, or cannot be subscribed to
    try:
        assert expected is not None
        agree(staying.counts(), expected, query)
        for epoch, (old, new) in enumerate(itertools.pairwise(contents), 1):
            happens(nodes, *what[epoch - 1], after)
            apply_all(nodes, old, new, epoch)
            expected = rows_now(both.reference, query)
            if expected is None:
                return  # it fails with these rows, as a division by zero, and the subscription ends
            staying.until(people=epoch, orders=epoch, clicks=epoch)
            agree(staying.counts(), expected, query)
    finally:
        staying.close()
        nodes.close()


def apply_all(
    nodes: LiveNodes, old: dict[str, list[Row]], new: dict[str, list[Row]], epoch: int
) -> None:
    """Make the rows of all stores new in one epoch of each."""
    for schema in nodes.schemas:
        name = schema.name
        before, now = keyed(name, old[name]), keyed(name, new[name])
        gone = [row for key, row in before.items() if key not in now]
        nodes.apply(name, [row for key, row in now.items() if before.get(key) != row], epoch, gone)
