"""The records of the state log: terms, commits of epochs, and snapshots; and their names.

    store.json                                 the definition
    committed                                  empty: an epoch has been committed
    epochs/<epoch, 20 digits>.json             the commit of an epoch; a skip or move in its place
    epochs/<number, 20 digits>.skip            empty: the record of this number may be no commit
    terms/<term, 20 digits>.json               the writer that took the term
    snapshots/<epoch, 20 digits>/commit.json   the record of a snapshot

Only names, values and their fields: `metadata.documents` turns a record into bytes with a
checksum. Names are relative to the store's directory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from stategate.stores.log.metadata.documents import (
    decode_document,
    encode_document,
    optional_text,
    optional_whole,
    text_value,
    whole_value,
)
from stategate.stores.log.metadata.moves import Move, move_of
from stategate.stores.log.metadata.named_files import (
    DataFile,
    SnapshotFile,
    check_files,
    data_file,
    data_file_json,
    snapshot_file,
)
from stategate.stores.spec.position import Position, Progress, later_watermark

DEFINITION = "store.json"
COMMITTED = "committed"
"""An empty file, which shows that the store has had epochs if all their records are lost."""
_DIGITS = 20


def numbers_in(names: Iterable[str], suffix: str = "") -> set[int]:
    """Return the numbers of all names that are a number and this suffix."""
    stems = (name.removesuffix(suffix) for name in names if name.endswith(suffix))
    return {int(s) for s in stems if len(s) == _DIGITS and s.isascii() and s.isdigit()}


def commit_name(epoch: int) -> str:
    """Return the name of the record of an epoch."""
    return f"epochs/{epoch:0{_DIGITS}d}.json"


def skip_mark(number: int) -> str:
    """Return the name of the empty file that marks a number whose record may be no commit."""
    return f"epochs/{number:0{_DIGITS}d}.skip"


def term_name(term: int) -> str:
    """Return the name of the record of a term."""
    return f"terms/{term:0{_DIGITS}d}.json"


def snapshot_path(epoch: int) -> str:
    """Return the name of the directory of a snapshot."""
    return f"snapshots/{epoch:0{_DIGITS}d}"


def snapshot_name(epoch: int) -> str:
    """Return the name of the record of a snapshot."""
    return f"{snapshot_path(epoch)}/commit.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """The time in which one writer owns a store: until another writer takes the next term.

    Terms are numbered from 1. A term is taken by creating its record, which only one writer can.
    """

    term: int
    owner: str
    """Id of the run of the writer that took it; a restarted writer has another id."""
    writer: str
    """Name of the writer, as in its commits."""
    taken_ms: int
    """Wall clock of the writer, epoch milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Numbers that no epoch has. Its own number is the first of them; it names the next epoch.

    So there is always a file with the number after an epoch, a commit or a skip, and only one
    writer can create it, whatever number its epoch has.
    """

    epoch: int
    """The first number that is skipped."""
    next_epoch: int
    """The epoch after the skipped numbers; its commit may still be missing."""
    term: int
    owner: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One committed epoch. A data file that no commit names does not exist."""

    epoch: int
    previous: int
    """The epoch that must be applied before this one; -1 for the first."""
    position: Position
    watermark_ms: int | None
    """The pipeline's event-time watermark in this epoch; None without one."""
    committed_ms: int
    """Wall clock of the writer, epoch milliseconds."""
    writer: str
    """The writer: `spark:` and the query's id, or a name that the caller chose."""
    files: tuple[DataFile, ...]
    replace: bool = False
    """True if the epoch replaces the store: all other rows are removed."""
    term: int = 0
    """The writer's term, never less than that of the epoch before. Readers pass over a commit with
    an older term: its writer did not know yet that it had been replaced."""
    owner: str = ""
    """`Term.owner`. It tells two runs of one pipeline apart, whose `writer` is the same."""
    digest: str | None = None
    """Digest of the rows as the writer got them (`digests.rows_digest`). The same epoch
    with the same `writer` and digest is the same attempt; any other is a conflict. None if Spark's
    tasks wrote the rows."""
    input_digest: str | None = None
    """Digest of the input that the epoch was made from, in hexadecimal; the writer defines what it
    covers. A pipeline recognises its own epoch by it, even if its rows differ from one attempt to
    the next. None if the writer gave none.
    """

    def files_of(self, partition: int) -> tuple[DataFile, ...]:
        """Return the files with rows of one partition, in the order to apply them."""
        return tuple(file for file in self.files if file.partition == partition)

    def progress_after(self, before: Progress) -> Progress:
        """Return the progress of a replica that applies this epoch after `before`."""
        return Progress(
            epoch=self.epoch,
            position=self.position,
            watermark_ms=later_watermark(self.watermark_ms, before.watermark_ms),
            committed_ms=self.committed_ms,
        )

    @property
    def rows(self) -> int:
        """The number of rows of all partitions."""
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A whole store as of an epoch. A file that no snapshot's record names does not exist."""

    epoch: int
    position: Position
    watermark_ms: int | None
    """The watermark as of the epoch."""
    committed_ms: int
    """The time in the commit of the epoch, which shows that the snapshot is of this log."""
    layout: str
    """The layout of the files; only an engine with the same layout can read them."""
    files: tuple[SnapshotFile, ...]
    """One for each partition, even for an empty one."""
    tables: tuple[DataFile, ...] = ()
    """The rows as Parquet files, for scans: one for each partition that has rows."""

    @property
    def all_files(self) -> tuple[SnapshotFile | DataFile, ...]:
        """All files that the record names."""
        return (*self.files, *self.tables)

    @property
    def progress(self) -> Progress:
        """The progress of a replica that holds the snapshot."""
        return Progress(
            epoch=self.epoch,
            position=self.position,
            watermark_ms=self.watermark_ms,
            committed_ms=self.committed_ms,
        )

    def file_of(self, partition: int) -> SnapshotFile | None:
        """Return the file of one partition; None if it is missing."""
        return next((file for file in self.files if file.partition == partition), None)

    def table_of(self, partition: int) -> DataFile | None:
        """Return the Parquet file of one partition; None without one."""
        return next((file for file in self.tables if file.partition == partition), None)


Record: TypeAlias = Commit | Skip | Move
"""The content of a file in `epochs/`."""


def encode_commit(commit: Commit) -> bytes:
    """Encode a commit as JSON.

    Raises:
        LogError: its files exceed what a reader reads.
    """
    check_files(commit.files)
    return encode_document(
        {
            "epoch": commit.epoch,
            "previous": commit.previous,
            "term": commit.term,
            "owner": commit.owner,
            "digest": commit.digest,
            "input_digest": commit.input_digest,
            "position": _position_json(commit.position),
            "watermark_ms": commit.watermark_ms,
            "committed_ms": commit.committed_ms,
            "writer": commit.writer,
            "replace": commit.replace,
            "files": [data_file_json(file) for file in commit.files],
        }
    )


def encode_skip(skip: Skip) -> bytes:
    """Encode a skip as JSON."""
    return encode_document(asdict(skip))


def decode_record(data: bytes, path: str) -> Record:
    """Decode a commit, or the skip or move in its place.

    Raises:
        TornRecordError: it is incomplete, damaged or foreign; the message names `path`.
    """
    return decode_document(data, path, _record)


def encode_term(term: Term) -> bytes:
    """Encode a term as JSON."""
    return encode_document(asdict(term))


def decode_term(data: bytes, path: str) -> Term:
    """Decode a term.

    Raises:
        TornRecordError: it is incomplete, damaged or foreign; the message names `path`.
    """
    return decode_document(data, path, _term)


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """Encode the record of a snapshot as JSON."""
    return encode_document(
        {
            "epoch": snapshot.epoch,
            "position": _position_json(snapshot.position),
            "watermark_ms": snapshot.watermark_ms,
            "committed_ms": snapshot.committed_ms,
            "layout": snapshot.layout,
            "files": [asdict(file) for file in snapshot.files],
            "tables": [data_file_json(file) for file in snapshot.tables],
        }
    )


def decode_snapshot(data: bytes, path: str) -> Snapshot:
    """Decode the record of a snapshot.

    Raises:
        TornRecordError: it is incomplete, damaged or foreign; the message names `path`.
    """
    return decode_document(data, path, _snapshot)


def _position_json(position: Position) -> dict[str, dict[str, int]]:
    return {topic: {str(p): o for p, o in offsets} for topic, offsets in position.components}


def _record(document: Mapping[str, Any]) -> Record:
    if "moved_ms" in document:
        return move_of(document)
    return _skip(document) if "next_epoch" in document else _commit(document)


def _skip(document: Mapping[str, Any]) -> Skip:
    found = Skip(
        epoch=whole_value(document["epoch"]),
        next_epoch=whole_value(document["next_epoch"]),
        term=whole_value(document["term"]),
        owner=text_value(document["owner"]),
    )
    if found.next_epoch <= found.epoch:
        raise ValueError(f"epoch {found.next_epoch} does not come after {found.epoch}")
    return found


def _term(document: Mapping[str, Any]) -> Term:
    return Term(
        term=whole_value(document["term"]),
        owner=text_value(document["owner"]),
        writer=text_value(document["writer"]),
        taken_ms=whole_value(document["taken_ms"]),
    )


def _commit(document: Mapping[str, Any]) -> Commit:
    files = tuple(map(data_file, document["files"]))
    check_files(files)
    return Commit(
        epoch=whole_value(document["epoch"]),
        previous=whole_value(document["previous"]),
        position=Position.from_json(document["position"]),
        watermark_ms=optional_whole(document["watermark_ms"]),
        committed_ms=whole_value(document["committed_ms"]),
        writer=text_value(document["writer"]),
        replace=bool(document["replace"]),
        files=files,
        term=whole_value(document["term"]),
        owner=text_value(document["owner"]),
        digest=optional_text(document["digest"]),
        input_digest=optional_text(document["input_digest"]),
    )


def _snapshot(document: Mapping[str, Any]) -> Snapshot:
    return Snapshot(
        epoch=whole_value(document["epoch"]),
        position=Position.from_json(document["position"]),
        watermark_ms=optional_whole(document["watermark_ms"]),
        committed_ms=whole_value(document["committed_ms"]),
        layout=text_value(document["layout"]),
        files=tuple(snapshot_file(item) for item in document["files"]),
        tables=tuple(map(data_file, document["tables"])),
    )
