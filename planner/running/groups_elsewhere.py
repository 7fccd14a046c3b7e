"""Groups of rows of which other nodes have some: they sum up theirs while this one does.

A node that is lost meanwhile is replaced by the rows of its streams, which another one has at the
same epoch. What a node replies counts as a whole or not at all, so no row counts twice.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from stategate.planner.planning.groupings import Grouping, GroupStates, reduce_streams
from stategate.planner.planning.merged_groups import MergedGroups
from stategate.planner.planning.row_path import RowPath
from stategate.planner.running.gathering import Streams
from stategate.stores.errors import StoreError
from stategate.stores.spec.reductions import Elsewhere, NotReducedError, Reducing, Reduction
from stategate.stores.spec.schema import Row


def groups_elsewhere(streams: Streams, path: RowPath, parameters: Row) -> list[Row] | None:
    """Return the result of a statement that groups rows of several nodes; None as `states_of`."""
    groups = path.groups
    found = None if groups is None else states_of(streams, groups)
    if groups is None or found is None:
        return None
    try:
        rows = groups.rows(found.tables)
    except NotReducedError:
        rows = None
    result = None if rows is None else path.finish_groups(rows, parameters)
    groups.note(missed=result is None)
    if result is not None:
        found.note_rows()
    return result


def states_of(streams: Streams, groups: GroupStates) -> FoundStates | None:
    """Return the states of the groups of rows of several nodes.

    None if no other node has rows, or if these have to be read as they are: the streams remain
    open for that.
    """
    access = streams.scatter.access
    if access.limit or access.top or access.by_time:
        return None
    places = _by_node(streams)
    if not places:
        return None
    groups.count_statement()
    how = None if groups.is_skipped else groups.how(access, streams.scatter.allowed)
    if how is None:
        return None
    found = FoundStates(streams, how)
    try:
        found.read(places)
    except NotReducedError:
        groups.note(missed=True)
        return None
    except StoreError:  # the batches will raise it again, and name the partition
        return None
    return found


def merged_batches(streams: Streams, groups: MergedGroups) -> list[pa.RecordBatch] | None:
    """Return the states of groups as rows for DuckDB; None as `states_of`."""
    found = states_of(streams, groups)
    if found is None:
        return None
    groups.note(missed=False)
    found.note_rows()
    return groups.batches(found.tables)


def _by_node(streams: Streams) -> list[dict[int, Elsewhere]]:
    """Return the streams that other nodes can reduce, by their index, for each of the nodes."""
    found: dict[int, dict[int, Elsewhere]] = {}
    for at, (_, stream) in enumerate(streams.answered):
        place = stream.elsewhere
        node = None if place is None else place.reducer
        if place is not None and node is not None:
            found.setdefault(id(node), {})[at] = place
    return list(found.values())


class FoundStates:
    """The states of the groups of some streams.

    Args:
        streams: the streams.
        how: the description of the groups.
    """

    def __init__(self, streams: Streams, how: Grouping) -> None:
        self._streams, self._how = streams, how
        self._counts = [0] * len(streams.answered)
        self.tables: list[pa.Table] = []
        """Tables of states, to be merged."""

    def note_rows(self) -> None:
        """Add the rows that were read to the answers of the partitions."""
        for (answer, _), count in zip(self._streams.answered, self._counts, strict=True):
            answer.rows += count

    def read(self, places: Sequence[dict[int, Elsewhere]]) -> None:
        """Let each node reduce its streams, and reduce the others here.

        Args:
            places: the streams of each other node, by their index.

        Raises:
            NotReducedError: they have to be read as they are.
            StoreError: a stream cannot be read.
        """
        begun = [(list(each), _begun(each, self._how)) for each in places]
        others = {at for each in places for at in each}
        self._read([at for at in range(len(self._counts)) if at not in others])
        for indexes, reducing in begun:
            reduction = reducing.wait()
            if reduction is None:
                self._read(indexes)
            else:
                self._add(indexes, reduction)

    def _read(self, indexes: Sequence[int]) -> None:
        """Reduce streams here."""
        answered = self._streams.answered
        for reduction in reduce_streams(self._how, [answered[at][1] for at in indexes]):
            self._streams.cancellation.check()
            if reduction is not None:
                self._add(indexes, reduction)

    def _add(self, indexes: Sequence[int], reduction: Reduction) -> None:
        self.tables.append(self._how.table_of(reduction.batches))
        for at, count in zip(indexes, reduction.rows, strict=True):
            self._counts[at] = count


def _begun(places: dict[int, Elsewhere], how: Grouping) -> Reducing:
    first, *_ = places.values()
    return first.begin_reducing(list(places.values()), how)
