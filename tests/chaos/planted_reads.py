"""Defects of single kinds of reads, for `planted`: whoever reads so must find them, unaimed."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from msgspec.structs import force_setattr

from stategate.gateway.http.statements import paging
from stategate.gateway.pgwire.statements import cursors, rows
from stategate.planner.live import differences, event_list
from stategate.planner.running import consistency, many_lookups, snapshot
from stategate.planner.statements import answer_version
from stategate.planner.values.statement import EachLookedUp
from stategate.stores.engines.rocksdb import handlers_times, partition, writes
from stategate.stores.engines.rocksdb.row_cache import ChangedKeys
from stategate.stores.hosting import dispatch, local_store
from stategate.stores.spec.position import Position, PositionBound, Progress
from stategate.stores.spec.query import FewKeysQuery, KeysQuery
from stategate.stores.spec.store import DEFAULT_CONFIG


def _lists() -> None:
    """Lookups of several keys ignore their bound."""
    plain = dispatch.query_partition

    def query_partition(replica: Any, query: Any, config: Any, *more: Any) -> Any:
        if type(query) in (KeysQuery, FewKeysQuery) and config is not DEFAULT_CONFIG:
            config = dataclasses.replace(config, bound=PositionBound())
        return plain(replica, query, config, *more)

    vars(local_store)["query_partition"] = query_partition


def _pages() -> None:
    """The token of a page does not name the incarnation of its store."""
    plain = paging._asked

    def asked(request: Any) -> Any:
        found = plain(request)
        if found.token is not None:
            force_setattr(found.token, "store", _Any())
        return found

    paging._asked = asked


class _Any:
    """Equals anything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = object.__hash__


def _tags() -> None:
    """The tag of an answer does not name the definition of its store."""

    def state(store: Any) -> bytes:
        parts = [(n, each.progress.position) for n, each in sorted(store.statuses().items())]
        return repr(max(each.components for _, each in parts)).encode()

    answer_version._state = state


def _batches() -> None:
    """Some lookups of a batch have the row of an earlier batch."""
    plain, kept = many_lookups.look_up_each, dict[Any, Any]()

    def look_up_each(
        plan: Any, node: Any, parameters: Sequence[Any], *more: Any, **named: Any
    ) -> EachLookedUp | None:
        found = plain(plan, node, parameters, *more, **named)
        if found is None:
            return None
        places = [(node.access.schema.incarnation, tuple(each)) for each in parameters]
        old = [kept.get(place, row) for place, row in zip(places, found.rows, strict=True)]
        kept.update(zip(places, found.rows, strict=True))
        mixed = [
            o if n % 3 == 2 else r for n, (o, r) in enumerate(zip(old, found.rows, strict=True))
        ]
        return EachLookedUp(
            rows=mixed, reads=found.reads, position=found.position, nodes=found.nodes
        )

    many_lookups.look_up_each = look_up_each


def _cuts() -> None:
    """A snapshot has its odd partitions at the epoch before."""
    plain = snapshot.Snapshot.epoch_of

    def epoch_of(self: snapshot.Snapshot, store: Any, partition: int) -> int | None:
        epoch = plain(self, store, partition)
        if epoch is None or partition % 2 == 0 or self.of_transaction:
            return epoch
        hold = store.hold(partition, epoch - 1) if epoch else None
        if hold is None:
            return epoch
        self._holds[store.schema.name, -partition] = hold
        return epoch - 1

    snapshot.Snapshot.epoch_of = epoch_of  # type: ignore[method-assign]


def _cursors() -> None:
    """A cursor goes on with the rows of the result before, of the same columns and length."""
    newest: dict[tuple[str, ...], Any] = {}
    base = cursors.Reader

    class Reader(base):  # type: ignore[misc, valid-type]
        __slots__ = ("before", "kept", "names")

        def __init__(self, result: Any, *, window_bytes_max: int = 0) -> None:
            super().__init__(result, window_bytes_max=window_bytes_max)
            this: Any = self
            this.names = tuple(each.name for each in result.columns)
            # A FETCH has the pieces of its cursor as a stream of its own.
            if this._rows is None and getattr(result.batches, "__name__", "") != "_batches":
                read = [*this._batches]
                whole = pa.Table.from_batches(read).combine_chunks().to_batches() if read else []
                this._batches = iter(whole)
                this.kept = whole[0] if whole else None
            else:
                this.kept = this._rows
            this.before, newest[this.names] = newest.get(this.names), this
            if this.before is not None:
                this.before.before = None

        def forward(self, rows_max: int, limits: Any = None) -> Any:
            this: Any = self
            kept: Any = None if this.before is None else this.before.kept
            mine = this._rows or (this._held[0] if this._held else None)
            is_alike = isinstance(kept, pa.RecordBatch) == isinstance(mine, pa.RecordBatch)
            if self.passed and mine and kept and is_alike and len(kept) == len(mine):
                if this._rows:
                    this._rows = kept
                else:
                    this._held[0] = kept
            return super().forward(rows_max, limits)

    cursors.Reader = Reader  # type: ignore[misc]
    vars(rows)["Reader"] = Reader


def _gone() -> None:
    """Live queries lose deletes."""
    plain = differences.Difference.changes

    def changes(self: differences.Difference, old: Any, new: Any) -> Any:
        return tuple(each for each in plain(self, old, new) if each.new is not None)

    differences.Difference.changes = changes  # type: ignore[method-assign]


def _resumes() -> None:
    """A client that comes back misses an event."""
    plain = event_list.EventList.number_after

    def number_after(self: event_list.EventList, token: str) -> int | None:
        number = plain(self, token)
        return None if number is None else min(number + 1, self.next_number)

    event_list.EventList.number_after = number_after  # type: ignore[method-assign]


def _caches() -> None:
    """Cached rows outlive their deletion."""
    plain = writes.EntryWriter._write

    def write(self: writes.EntryWriter, entry_keys: list[bytes], batch: pa.RecordBatch) -> None:
        changed, self._changed = self._changed, ChangedKeys(wanted=False)
        plain(self, entry_keys, batch)
        self._changed = changed
        gone = batch.column("_deleted").to_pylist()
        changed.add([key for key, is_gone in zip(entry_keys, gone, strict=True) if not is_gone])

    writes.EntryWriter._write = write  # type: ignore[method-assign]


def _windows() -> None:
    """The last window of a key is lost if it has several."""
    plain = handlers_times._key_chunks

    def key_chunks(*given: Any, **named: Any) -> Iterator[Any]:
        *before, last = [*plain(*given, **named)] or [([], [])]
        yield from before
        keys, stored = last
        yield last if len(keys) == 1 and not before else (keys[:-1], stored[:-1])

    handlers_times._key_chunks = key_chunks


def _waits() -> None:
    """A bound that a statement may wait for is taken for met."""
    plain = consistency.Reading._bound

    def bound(self: consistency.Reading, store: Any) -> PositionBound:
        found = plain(self, store)
        return dataclasses.replace(found, position=Position()) if self.options.wait_ms else found

    consistency.Reading._bound = bound  # type: ignore[method-assign]


def _restarts() -> None:
    """A replica that is opened again loses the rows of the next epoch."""
    plain, plain_begin = partition.RocksPartition.apply, partition.RocksPartition._begin
    begin_at_rest = partition.RocksPartition._begin_at_rest
    opened: set[int] = set()

    def begin(self: partition.RocksPartition) -> None:
        plain_begin(self)
        opened.discard(id(self))
        if self.view.progress.epoch >= 0:
            opened.add(id(self))

    def at_rest(self: partition.RocksPartition, progress: Progress) -> None:
        begin_at_rest(self, progress)
        opened.add(id(self))

    def apply(
        self: partition.RocksPartition,
        progress: Progress,
        batches: Iterable[pa.RecordBatch],
        *,
        replace: bool = False,
    ) -> None:
        is_lost = id(self) in opened and not replace
        opened.discard(id(self))
        plain(self, progress, [] if is_lost else batches, replace=replace)

    partition.RocksPartition.apply = apply  # type: ignore[method-assign]
    partition.RocksPartition._begin = begin  # type: ignore[method-assign]
    partition.RocksPartition._begin_at_rest = at_rest  # type: ignore[method-assign]


READS: Mapping[str, Callable[[], None]] = {
    "batches": _batches,
    "caches": _caches,
    "cursors": _cursors,
    "cuts": _cuts,
    "gone": _gone,
    "lists": _lists,
    "pages": _pages,
    "restarts": _restarts,
    "resumes": _resumes,
    "tags": _tags,
    "waits": _waits,
    "windows": _windows,
}
