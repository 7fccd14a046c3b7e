"""Writes the epochs of one store into the state log."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from stategate.stores.credentials import authorization
from stategate.stores.errors import (
    ArgumentError,
    EpochConflictError,
    FencedError,
    LogError,
    PositionBackError,
    TornRecordError,
)
from stategate.stores.log.data.canonical import InvalidUtf8, known_handling
from stategate.stores.log.data.datafiles import write_parts
from stategate.stores.log.data.deduplication import latest_rows
from stategate.stores.log.data.digests import rows_digest
from stategate.stores.log.data.shaping import shaped
from stategate.stores.log.files.directory import Root
from stategate.stores.log.metadata.named_files import DataFile
from stategate.stores.log.metadata.records import Commit, Term
from stategate.stores.log.metadata.terms import take_term
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.given_epoch import GivenEpoch
from stategate.stores.log.writing.given_rows import GivenRows, table_of
from stategate.stores.log.writing.hints import Hints
from stategate.stores.log.writing.laps import Laps
from stategate.stores.log.writing.ownership import rebuilt_error, require_owned
from stategate.stores.spec.arguments import require_name, require_path, shown
from stategate.stores.spec.position import Position, later_watermark
from stategate.stores.spec.schema import InputTopic, StoreSchema

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The newest epoch of a log."""

    epoch: int
    """-1 if the log has no epoch."""
    commit: Commit | None
    """Its commit, if it can be read."""
    following: int
    """The number of the next epoch if the caller gives none."""

    @property
    def position(self) -> Position:
        return Position() if self.commit is None else self.commit.position

    @property
    def watermark_ms(self) -> int | None:
        return None if self.commit is None else self.commit.watermark_ms


class StoreWriter:
    """Writes the epochs of one store, from Python or for a pipeline.

    A store has one writer at a time. With its first write a writer takes the store's next term, and
    the writer before is refused from then on. So a program that still runs after another has
    replaced it does no harm.

    A write that fails leaves the log as it was, or with the whole epoch. Then the same write again,
    with its number or as the next write, returns the commit.

    Args:
        root: path or URI of the state log.
        schema: the definition of the store, which is created if it is missing.
        writer: a name that stays the same when the program is started again.
        notify: URLs of gateways to tell of each epoch, so that they need not find it themselves.
            Credentials come from the environment; see `stategate.stores.credentials`.
        invalid_utf8: whether a value with a text that is not UTF-8 is refused ("refuse"), or its
            wrong bytes are replaced by U+FFFD ("replace"). A key is always refused.

    Raises:
        ArgumentError: an argument has the wrong type.
        SchemaError: the store is defined differently.
        LogError: the log cannot be read or written.
    """

    def __init__(
        self,
        root: Root,
        schema: StoreSchema,
        *,
        writer: str = "python",
        notify: Sequence[str] = (),
        invalid_utf8: InvalidUtf8 = "refuse",
    ) -> None:
        if not isinstance(schema, StoreSchema):
            raise ArgumentError(f"schema must be a StoreSchema, not {shown(schema)}")
        require_name("writer", writer)
        self._invalid_utf8 = known_handling(invalid_utf8)
        self._hints = Hints(notify, schema.name, credentials=authorization())
        self.log = StoreLog.open(require_path("root", root), schema.name)
        self.schema = self.log.define(schema)
        self._writer = writer
        self._term: Term | None = None
        self._head: _Head | None = None
        """None if it has to be read from the log."""
        self._tried: int | None = None
        """The epoch of a failed commit, which may be in the log."""
        self._is_marked = False
        """Whether the log is known to have the mark that it has had epochs."""
        self.laps = Laps()
        """The phases of the last write: `shape`, `write` and `commit`."""

    def take_ownership(self) -> Term:
        """Take the store over, and return the term. The first write does so by itself.

        Raises:
            LogError: the log cannot be read or written.
        """
        if self._term is None:
            newest = self._look().commit
            # The newest commit has the newest term, unless it cannot be read.
            after = self.log.newest_term() if newest is None else newest.term
            self._term = take_term(
                self.log.directory,
                writer=self._writer,
                after=after,
                now_ms=time.time_ns() // 1_000_000,
            )
            # Look again: the writer before may have committed until the term was taken.
            self._head = None
        return self._term

    def write(
        self,
        rows: GivenRows,
        *,
        position: Position,
        epoch: int | None = None,
        watermark_ms: int | None = None,
        committed_ms: int | None = None,
        replace: bool = False,
        keys_are_distinct: bool = False,
        input_digest: str | None = None,
    ) -> Commit:
        """Write and commit one epoch.

        Args:
            rows: the changed rows, by column name, as a table of Arrow or anything that hands out
                Arrow data (`__arrow_c_stream__`): frames of pandas and Polars, relations of
                DuckDB, readers. `_timestamp` and `_deleted` may be missing, and `window_end` in a
                window store. Among rows with one key (and window) the last wins; in a store by
                event time the latest by `_timestamp`, then the last.
            position: the input that the store reflects after this epoch.
            epoch: its number; None takes the next.
            watermark_ms: the event-time watermark. If it is missing or less than that of the epoch
                before, the store's watermark stays.
            committed_ms: wall clock of the commit; None takes the time of the call.
            replace: whether the rows replace the store.
            keys_are_distinct: whether two rows of one key (and window) are an error.
            input_digest: digest of the input that the rows were made from; kept in the commit.

        Returns:
            The commit. If the same attempt is committed already (the same writer's name, epoch,
            rows, position, input and `replace`, and no later watermark), it is that commit, and
            nothing changes.

        Raises:
            ArgumentError: an argument has the wrong type or is out of range.
            RepeatedKeyError: a SchemaError; a key has several rows, and must not.
            SchemaError: the rows do not fit the store, or no reader could read a value of them.
            EpochConflictError: the epoch is before the newest, or has other content there.
            PositionBackError: the position lacks something that the epoch before had reached.
            FencedError: another writer has taken over the store.
            LogError: the log cannot be read or written.
        """
        given = GivenEpoch(
            epoch=epoch,
            position=position,
            watermark_ms=watermark_ms,
            committed_ms=committed_ms,
            replace=replace,
            input_digest=input_digest,
        )
        self.laps = Laps()
        table = shaped(table_of(rows), self.schema, invalid_utf8=self._invalid_utf8)
        latest_of_keys = latest_rows(table, self.schema, keys_are_distinct=keys_are_distinct)
        digest = rows_digest(latest_of_keys)
        self.laps.lap("shape")
        self._require_ownership()
        found = self._committed(given, digest)
        if found is not None:
            return found
        number = self._look().following if epoch is None else epoch
        self._check(number, position)
        with self.log.attempt(number) as attempt:
            with self.told_if_replaced():
                files = write_parts(self.log.directory, attempt, latest_of_keys, self.schema)
            self.laps.lap("write")
            commit = self._publish(number, given, attempt, files, digest)
            self.laps.lap("commit")
            return commit

    def publish(
        self,
        *,
        epoch: int,
        attempt: str,
        files: Iterable[DataFile],
        position: Position,
        watermark_ms: int | None = None,
        committed_ms: int | None = None,
        replace: bool = False,
        digest: str | None = None,
        input_digest: str | None = None,
    ) -> Commit:
        """Commit an epoch whose data files lie in a directory from `attempt`.

        Raises:
            ArgumentError: an argument has the wrong type or is out of range.
            EpochConflictError: the epoch is before the newest, or another writer was first.
            PositionBackError: the position lacks something that the epoch before had reached.
            FencedError: another writer has taken over the store, and sees the epoch or none.
            LogError: the log cannot be read or written.
        """
        given = GivenEpoch(
            epoch=epoch,
            position=position,
            watermark_ms=watermark_ms,
            committed_ms=committed_ms,
            replace=replace,
            input_digest=input_digest,
        )
        return self._publish(epoch, given, attempt, files, digest)

    def _publish(
        self,
        epoch: int,
        given: GivenEpoch,
        attempt: str,
        files: Iterable[DataFile],
        digest: str | None,
    ) -> Commit:
        term = self._require_ownership()
        head = self._check(epoch, given.position)
        self.declare(topic for topic, _ in given.position.components)
        now_ms = time.time_ns() // 1_000_000
        commit = Commit(
            epoch=epoch,
            previous=head.epoch,
            position=given.position,
            # Readers keep the greatest watermark. But they may begin with an epoch that replaces
            # the store, so its commit must have the watermark, too.
            watermark_ms=later_watermark(given.watermark_ms, head.watermark_ms),
            committed_ms=now_ms if given.committed_ms is None else given.committed_ms,
            writer=self._writer,
            files=tuple(sorted(files, key=lambda file: (file.partition, file.path))),
            replace=given.replace,
            term=term.term,
            owner=term.owner,
            digest=digest,
            input_digest=given.input_digest,
        )
        # Until all steps are done, only the log knows the newest epoch.
        self._head, self._tried = None, epoch
        with self.told_if_replaced():
            self.log.write_commit(commit)
        # A writer that takes the next term after this line looks for the newest epoch, and sees
        # this one.
        require_owned(self.log, term)
        self._head = _Head(epoch=epoch, commit=commit, following=epoch + 1)
        self._tried = None
        self._hints.send()
        self._mark_and_tidy(attempt)
        return commit

    def _look(self) -> _Head:
        """Return the newest epoch, from the log at the start and after a failure."""
        if self._head is None:
            epoch = self.log.latest_epoch()
            self._require_unmoved()
            try:
                commit = self.log.commit(epoch) if epoch >= 0 else None
            except TornRecordError:
                # Readers are stuck at a torn commit, but a pipeline may go on writing.
                commit = None
            following = self.log.next_number(epoch)
            self._head = _Head(epoch=epoch, commit=commit, following=following)
        return self._head

    def _require_unmoved(self) -> None:
        if self.log.move is not None:
            # The program that rebuilt the store may have ended before it wrote the hint.
            self.log.note_move()
            raise rebuilt_error(self.log)

    def _require_ownership(self) -> Term:
        """Take the store, or make sure that no other writer has taken it since."""
        if self._term is None:
            return self.take_ownership()
        require_owned(self.log, self._term)
        return self._term

    @contextmanager
    def told_if_replaced(self) -> Iterator[None]:
        """Turn an error into a FencedError if another writer has taken over.

        That writer may have committed the same epoch, and removed the files of other attempts.
        """
        try:
            yield
        except Exception as error:  # also of Spark, whose tasks write files
            if self._term is not None:
                try:
                    require_owned(self.log, self._term)
                except FencedError as fenced:
                    raise fenced from error
            raise

    def _check(self, epoch: int, position: Position) -> _Head:
        """Check that an epoch can follow the newest one; return the newest."""
        head = self._look()
        latest, name = head.epoch, self.log.name
        if epoch < latest:
            raise EpochConflictError(
                f'epoch {epoch} of store "{name}" comes before epoch {latest}, the newest: use a '
                "later number"
            )
        if epoch == latest:
            raise EpochConflictError(f'epoch {epoch} of store "{name}" is committed already')
        if not position.covers(head.position):
            raise PositionBackError(
                f'epoch {epoch} of store "{name}" would move its position back: '
                f"{position.moved_back_from(head.position)}. Leave no topic out; if the input was "
                "created again, build the store anew"
            )
        return head

    def _committed(self, given: GivenEpoch, digest: str) -> Commit | None:
        """Return the commit of this same attempt, if it is committed already.

        Without a number, look at the number of the last failed write: it may have been committed,
        and the caller tries it again.

        Raises:
            EpochConflictError: the number belongs to another commit.
        """
        number = self._tried if given.epoch is None else given.epoch
        if number is None or number > self._look().epoch:
            return None
        found = self.log.commit(number)
        if found is None:
            return None
        if found.writer == self._writer and given.is_met_by(found) and found.digest == digest:
            return found
        if given.epoch is None:
            return None
        raise EpochConflictError(
            f'epoch {number} of store "{self.log.name}" is committed with other content, '
            f"by {found.writer}: write the next number, or find out who wrote it"
        )

    def declare(self, topics: Iterable[str], ids: Mapping[str, str] | None = None) -> None:
        """Name topics as inputs of the store: from then on bounds on them are not ignored.

        An epoch names the topics of its position. A writer that knows its topics earlier declares
        them before the first data comes, which may take long.

        Args:
            topics: their names.
            ids: topic → what tells it from a later one with its name.

        Raises:
            SchemaError: the store is defined differently by now.
            PositionBackError: a topic has another id than before.
        """
        known = {topic.topic: topic for topic in self.schema.inputs}
        named = {topic: known.get(topic, InputTopic(topic=topic)) for topic in sorted({*topics})}
        given = {t: replace(each, id=(ids or {}).get(t, each.id)) for t, each in named.items()}
        inputs = tuple({**known, **given}.values())
        if inputs != self.schema.inputs:
            # Its comments may be others by now.
            wanted = replace(self.schema.without_comments(), inputs=inputs)
            self.schema = self.log.define(wanted)

    def _mark_and_tidy(self, attempt: str) -> None:
        """Mark the log and remove files of other attempts; the next commit repeats a failure."""
        try:
            if not self._is_marked:
                self.log.mark_committed()
                self._is_marked = True
            self.log.remove_other_attempts(attempt)
        except LogError as error:
            _logger.warning("log not tidied after commit store=%s error=%s", self.log.name, error)
