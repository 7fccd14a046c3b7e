"""Writes a store anew under another definition: other columns, another key, more partitions.

The new log begins with one epoch, of the same number and position as the last of the old log, which
has all its rows. Then the old log ends with a move (see `stategate.stores.log.metadata.moves`), and
readers go on in the new one. A failure before the move leaves the store as it was.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.errors import LogError, SchemaError
from stategate.stores.log.data.datafiles import file_schema, write_part, write_parts
from stategate.stores.log.data.deduplication import identity
from stategate.stores.log.data.scanning import Wanted, scan_part
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import Term
from stategate.stores.log.metadata.terms import take_term
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.redefinition import Redefinition, redefinition, widened
from stategate.stores.spec.registry import SHIPPED
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.upkeep.compaction import IsStopped, Runner, caught_up, go_on, in_turn
from stategate.stores.upkeep.scratch import scratch_directory

_logger = logging.getLogger(__name__)

WRITER = "stategate rebuild"
_ROWS_PER_FILE = 1_000_000
"""Rows that are held at a time if each may belong to any partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A store that was written anew."""

    schema: StoreSchema
    """The new definition."""
    epoch: int
    """The epoch from which readers see it; -1 if the store has no epoch yet."""
    rows: int
    """Rows that were written, with remembered deletions."""


@dataclass(frozen=True, slots=True)
class RebuildWork:
    """The work of one rebuild: the files of the new log, by partitions of the old one."""

    change: Redefinition
    epoch: int
    place: str
    """The directory of the new log in that of the store."""
    attempt: str
    """The directory of the files in that of the new log."""

    @property
    def schema(self) -> StoreSchema:
        """The old definition."""
        return self.change.before

    def write(
        self,
        log: StoreLog,
        partition: int,
        *,
        scratch: Path | None = None,
        is_stopped: IsStopped = go_on,
    ) -> list[DataFile]:
        """Write the rows of one old partition; see `PartitionWork`."""
        directory, after = log.at_place(self.place).directory, self.change.after
        with scratch_directory(scratch) as place:
            engine = RocksPartition(place / "replica", schema=self.schema, partition=partition)
            try:
                caught_up(log, engine, self.epoch, is_stopped)
                tables = (self._changed(rows) for rows in engine.logged_rows())
                if not self.change.moves_rows:
                    batches = (batch for table in tables for batch in table.to_batches())
                    file = write_part(directory, self.attempt, batches, partition=partition)
                    return [] if file is None else [file]
                files: list[DataFile] = []
                for table in _joined(tables):
                    files += write_parts(directory, self.attempt, table, after)
                return files
            finally:
                engine.close()

    def _changed(self, rows: pa.Table) -> pa.Table:
        """Return rows of the old definition as rows of the new one."""
        after, sources = self.change.after, self.change.sources
        named = {column.name for column in (*self.schema.key, *self.schema.value)}
        columns = {name: rows.column(name) for name in rows.column_names if name not in named}
        for column in (*after.key, *after.value):
            source = sources.get(column.name)
            if source in rows.column_names:
                columns[column.name] = rows.column(source)
            else:
                columns[column.name] = pa.chunked_array([pa.nulls(len(rows), column.type.arrow)])
        return shaped(pa.table(columns), after)


def rebuild(
    root: Root,
    store: str,
    schema: StoreSchema,
    *,
    renamed: Mapping[str, str] | None = None,
    run: Runner = in_turn,
) -> Rebuilt:
    """Write a store anew under another definition.

    A running writer of the store is refused from then on, and has to be started again with the new
    definition. A pipeline keeps its checkpoint. Readers see the old store until they hold the new
    one. The old epochs are removed as `compact` removes epochs.

    Args:
        root: path or URI of the state log.
        store: the name of the store.
        schema: the new definition; its inputs are not used. See
            `stategate.stores.spec.redefinition.redefinition` for what may change.
        renamed: new column name → old column name.
        run: writes the partitions; by default one after the other in this process.

    Raises:
        SchemaError: the rows of the store do not fit the definition, or two of them would have the
            same key. The store is as it was.
        EpochConflictError: another writer has taken over the store meanwhile.
        LogError: the log cannot be read or written.
        StoreError: the disk of the scratch directory fails.
    """
    done = _rebuild(root, store, lambda before: redefinition(before, schema, renamed), run)
    assert done is not None, "a store that has the definition already is refused"
    return done


def evolve(root: Root, schema: StoreSchema, *, run: Runner = in_turn) -> Rebuilt | None:
    """Give a store the further columns and wider types of its writer's definition.

    Older rows have NULL in the further columns. Does nothing if the store does not exist yet, or
    has the definition. Call it before the writer starts.

    Args:
        root: path or URI of the state log.
        schema: the definition of the writer.
        run: as for `rebuild`.

    Returns:
        The rebuilt store; None if nothing had to be done.

    Raises:
        SchemaError: the definitions differ in more than that.
        StoreError: as `rebuild`.
    """
    if not StoreLog.open(root, schema.name).defined():
        return None
    return _rebuild(root, schema.name, lambda before: widened(before, schema), run)


def _rebuild(
    root: Root,
    store: str,
    change_of: Callable[[StoreSchema], Redefinition | None],
    run: Runner,
) -> Rebuilt | None:
    before = StoreLog.open(root, store).schema()
    if change_of(before) is None:
        return None
    if before.kind not in SHIPPED:
        raise LogError(
            f'store "{store}" is of kind "{before.kind.value}", whose engines cannot write their '
            "rows to a log"
        )
    # No epoch of another writer follows from now on.
    writer = StoreWriter(root, before, writer=WRITER)
    log, term = writer.log, writer.take_ownership()
    # Its inputs may be others by now.
    change = change_of(log.schema())
    assert change is not None, "only the inputs change without a rebuild"
    epoch = log.latest_epoch()
    new = log.new_log()
    try:
        new.define(change.after)
        rows = _write(log, new, change, term, run) if epoch >= 0 else 0
        log.move_to(
            new,
            after=epoch,
            term=term.term,
            owner=term.owner,
            moved_ms=time.time_ns() // 1_000_000,
        )
    except BaseException:
        if log.move is None:
            _abandon(new)
        raise
    _logger.info("store rebuilt store=%s epoch=%d rows=%d", log.name, epoch, rows)
    return Rebuilt(schema=change.after, epoch=epoch, rows=rows)


def _write(log: StoreLog, new: StoreLog, change: Redefinition, term: Term, run: Runner) -> int:
    """Write the first epoch of the new log; return its number of rows."""
    epoch = log.latest_epoch()
    last = log.commit(epoch)
    if last is None:
        raise LogError(f'epoch {epoch} of store "{log.name}" is gone from the log')
    work = RebuildWork(change, epoch, new.place, new.begin(epoch))
    parts = run(log, work, go_on)
    files = [file for part in parts for file in part]
    if change.joins_keys:
        _require_distinct(new, change.after, files)
    taken = take_term(new.directory, writer=last.writer, after=term.term, now_ms=term.taken_ms)
    # Writer, position and digests stay, so that the writer recognises its own last epoch.
    first = replace(
        last,
        previous=-1,
        files=tuple(sorted(files, key=lambda file: (file.partition, file.path))),
        replace=True,
        term=taken.term,
        owner=taken.owner,
    )
    new.write_commit(first)
    new.mark_committed()
    return first.rows


def _joined(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield tables of many rows."""
    held: list[pa.Table] = []
    rows = 0
    for table in tables:
        held.append(table)
        rows += table.num_rows
        if rows >= _ROWS_PER_FILE:
            yield pa.concat_tables(held)
            held, rows = [], 0
    if held:
        yield pa.concat_tables(held)


def _require_distinct(log: StoreLog, schema: StoreSchema, files: list[DataFile]) -> None:
    """Make sure that no two rows have the same key, in the memory for the keys of a partition."""
    names = list(identity(schema))
    types = file_schema(schema)
    wanted = Wanted(columns=tuple(names))
    empty = pa.schema([types.field(name) for name in names]).empty_table()
    for partition in sorted({file.partition for file in files}):
        batches = [
            batch
            for file in files
            if file.partition == partition
            for batch in scan_part(log.directory, file, types, wanted)
        ]
        keys = pa.Table.from_batches(batches, empty.schema)
        counts = keys.group_by(names).aggregate([([], "count_all")])
        twice = counts.filter(pc.greater(counts.column("count_all"), 1))
        if twice.num_rows:
            key = ", ".join(str(twice.column(name)[0]) for name in names)
            raise SchemaError(
                f'store "{schema.name}" has {twice.column("count_all")[0]} rows that would have '
                f"the key ({key})"
            )


def _abandon(new: StoreLog) -> None:
    """Remove the files of a failed attempt, which may be large."""
    try:
        new.abandon()
    except LogError as error:
        _logger.warning("new log not removed store=%s error=%s", new.name, error)
