"""The records of the state log: definitions, terms, commits of epochs, and snapshots.

Only values and their fields. `stores.log.store_log` says where a record lies, and
`stores.log.documents` turns it into bytes with a checksum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from stores.errors import UnknownKindError
from stores.log.documents import FORMAT, decode_document, encode_document
from stores.spec.position import Position, Progress, later_watermark
from stores.spec.schema import (
    TIMELESS,
    Column,
    DataType,
    InputTopic,
    Kind,
    StoreKind,
    StoreSchema,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A Parquet file with rows of one partition."""

    path: str
    """Relative to the store's directory, with forward slashes."""
    partition: int
    rows: int
    size_bytes: int
    sha256: str | None = None
    """SHA-256 of its bytes, in hexadecimal: Parquet checks its pages, but not its footer. None in
    format 1."""


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
    """Numbers that no epoch has. It lies at the first of them and names the next epoch.

    So a file always lies at the number after an epoch, a commit or a skip, and only one writer can
    create it, whatever number its epoch has.
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
    """True if the epoch is the whole store: all other rows are gone."""
    term: int = 0
    """The writer's term, never less than that of the epoch before. Readers pass over a commit with
    an older term: its writer did not know yet that it had been replaced. 0 in format 1."""
    owner: str = ""
    """`Term.owner`. It tells two runs of one pipeline apart, whose `writer` is the same. Empty in
    format 1."""
    digest: str | None = None
    """Digest of the rows as the writer got them (`stores.log.digests.rows_digest`). The same epoch
    with the same `writer` and digest is the same attempt; any other is a conflict. None if Spark's
    tasks wrote the rows, and in format 1."""
    input_digest: str | None = None
    """Digest of the input that the epoch was made from, in hexadecimal; the writer defines what it
    covers. By it a pipeline knows its own epoch, even if its rows differ from one attempt to the
    next. None if the writer gave none."""
    format: int = FORMAT
    """Format of the record. In format 1 epochs may skip numbers without a `Skip`."""

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
class SnapshotFile:
    """One whole partition as of an epoch, as a file of the engine."""

    path: str
    """Relative to the store's directory, with forward slashes."""
    partition: int
    rows: int
    size_bytes: int
    sha256: str
    """SHA-256 of its bytes, in hexadecimal: the engine itself does not check them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A whole store as of an epoch. A file that no snapshot's record names does not exist."""

    epoch: int
    position: Position
    watermark_ms: int | None
    """The watermark as of the epoch."""
    committed_ms: int
    """As in the commit of the epoch: it shows that the snapshot is of this log."""
    layout: str
    """The layout of the files; only an engine with the same layout can read them."""
    files: tuple[SnapshotFile, ...]
    """One for each partition, also for an empty one."""

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


Record: TypeAlias = Commit | Skip
"""The content of a file in `epochs/`."""


def encode_definition(schema: StoreSchema) -> bytes:
    """Encode a definition as the JSON of `store.json`."""
    return encode_document(
        {
            "name": schema.name,
            "kind": schema.kind.value,
            "key": _columns_json(schema.key),
            "value": _columns_json(schema.value),
            "partitions": schema.partitions,
            "inputs": [{"topic": i.topic, "aligned": i.aligned} for i in schema.inputs],
            "window_size_ms": schema.window_size_ms,
            "retention_ms": schema.retention_ms,
        }
    )


def decode_definition(data: bytes, path: str) -> StoreSchema:
    """Decode `store.json`.

    Raises:
        TornRecordError: it is incomplete, damaged or foreign; the message names `path`.
        UnknownKindError: its kind is not registered.
    """
    try:
        return decode_document(data, path, _definition)
    except UnknownKindError as error:
        raise UnknownKindError(f'record "{path}" cannot be used: {error}') from error


def encode_commit(commit: Commit) -> bytes:
    """Encode a commit as JSON in its own format; format 1 has fewer fields."""
    files = [asdict(file) for file in commit.files]
    if commit.format == 1:
        for file in files:
            del file["sha256"]
    owned = {
        "term": commit.term,
        "owner": commit.owner,
        "digest": commit.digest,
        "input_digest": commit.input_digest,
    }
    return encode_document(
        {
            "epoch": commit.epoch,
            "previous": commit.previous,
            **(owned if commit.format > 1 else {}),
            "position": _position_json(commit.position),
            "watermark_ms": commit.watermark_ms,
            "committed_ms": commit.committed_ms,
            "writer": commit.writer,
            "replace": commit.replace,
            "files": files,
        },
        version=commit.format,
    )


def encode_skip(skip: Skip) -> bytes:
    """Encode a skip as JSON."""
    return encode_document(asdict(skip))


def decode_record(data: bytes, path: str) -> Record:
    """Decode a commit, or the skip in its place.

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


def _definition(document: Mapping[str, Any]) -> StoreSchema:
    kind = _kind(document["kind"])
    retention_ms = _optional(document["retention_ms"])
    return StoreSchema(
        name=_text(document["name"]),
        kind=kind,
        key=_columns(document["key"]),
        value=_columns(document["value"]),
        partitions=_whole(document["partitions"]),
        inputs=tuple(
            InputTopic(topic=_text(item["topic"]), aligned=bool(item["aligned"]))
            for item in document["inputs"]
        ),
        window_size_ms=_optional(document["window_size_ms"]),
        # Older versions accepted it for such stores, too, where it had no effect.
        retention_ms=None if kind in TIMELESS else retention_ms,
    )


def _kind(item: Any) -> StoreKind:
    name = _text(item)
    try:
        return StoreKind(name)
    except ValueError as error:
        raise UnknownKindError(f'kind "{name}" is not registered here') from error


def _record(document: Mapping[str, Any]) -> Record:
    return _skip(document) if "next_epoch" in document else _commit(document)


def _skip(document: Mapping[str, Any]) -> Skip:
    found = Skip(
        epoch=_whole(document["epoch"]),
        next_epoch=_whole(document["next_epoch"]),
        term=_whole(document["term"]),
        owner=_text(document["owner"]),
    )
    if found.next_epoch <= found.epoch:
        raise ValueError(f"epoch {found.next_epoch} does not come after {found.epoch}")
    return found


def _term(document: Mapping[str, Any]) -> Term:
    return Term(
        term=_whole(document["term"]),
        owner=_text(document["owner"]),
        writer=_text(document["writer"]),
        taken_ms=_whole(document["taken_ms"]),
    )


def _commit(document: Mapping[str, Any]) -> Commit:
    version = _whole(document["format"])
    owned = version > 1
    return Commit(
        epoch=_whole(document["epoch"]),
        previous=_whole(document["previous"]),
        position=Position.from_json(document["position"]),
        watermark_ms=_optional(document["watermark_ms"]),
        committed_ms=_whole(document["committed_ms"]),
        writer=_text(document["writer"]),
        replace=bool(document["replace"]),
        files=tuple(
            DataFile(
                path=_inside(item["path"]),
                partition=_whole(item["partition"]),
                rows=_whole(item["rows"]),
                size_bytes=_whole(item["size_bytes"]),
                sha256=_optional_text(item["sha256"]) if owned else None,
            )
            for item in document["files"]
        ),
        term=_whole(document["term"]) if owned else 0,
        owner=_text(document["owner"]) if owned else "",
        digest=_optional_text(document["digest"]) if owned else None,
        input_digest=_optional_text(document["input_digest"]) if owned else None,
        format=version,
    )


def _snapshot(document: Mapping[str, Any]) -> Snapshot:
    return Snapshot(
        epoch=_whole(document["epoch"]),
        position=Position.from_json(document["position"]),
        watermark_ms=_optional(document["watermark_ms"]),
        committed_ms=_whole(document["committed_ms"]),
        layout=_text(document["layout"]),
        files=tuple(
            SnapshotFile(
                path=_inside(item["path"]),
                partition=_whole(item["partition"]),
                rows=_whole(item["rows"]),
                size_bytes=_whole(item["size_bytes"]),
                sha256=_text(item["sha256"]),
            )
            for item in document["files"]
        ),
    )


def _columns_json(columns: tuple[Column, ...]) -> list[dict[str, Any]]:
    return [{"name": column.name, "type": _type_json(column.type)} for column in columns]


def _columns(items: list[dict[str, Any]]) -> tuple[Column, ...]:
    return tuple(Column(name=_text(item["name"]), type=_type(item["type"])) for item in items)


def _type_json(data_type: DataType) -> Any:
    """Encode a scalar type as its SQL name, a nested one as an object: fields can have any name."""
    inner = data_type.element
    match data_type.kind:
        case Kind.ARRAY if inner is not None:
            return {"array": _type_json(inner)}
        case Kind.MAP if inner is not None:
            return {"map": [_type_json(data_type.fields[0][1]), _type_json(inner)]}
        case Kind.STRUCT:
            return {"struct": [[name, _type_json(field)] for name, field in data_type.fields]}
        case _:
            return str(data_type)


def _type(item: Any) -> DataType:
    if isinstance(item, str):
        return DataType.parse(item)
    ((family, inner),) = item.items()
    match family:
        case "array":
            return DataType(kind=Kind.ARRAY, element=_type(inner))
        case "map":
            key, element = inner
            return DataType(kind=Kind.MAP, fields=(("key", _type(key)),), element=_type(element))
        case "struct":
            fields = tuple((_text(name), _type(field)) for name, field in inner)
            return DataType(kind=Kind.STRUCT, fields=fields)
    raise ValueError(f"no type is called {family!r}")


def _text(item: Any) -> str:
    if not isinstance(item, str):
        raise ValueError(f"{item!r} is not text")
    return item


def _optional_text(item: Any) -> str | None:
    return None if item is None else _text(item)


def _whole(item: Any) -> int:
    if isinstance(item, bool) or not isinstance(item, int):
        raise ValueError(f"{item!r} is not an integer")
    return item


def _optional(item: Any) -> int | None:
    return None if item is None else _whole(item)


def _inside(item: Any) -> str:
    """A path that stays inside the store's directory, whoever wrote the record."""
    path = _text(item)
    if not path or path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise ValueError(f"path {path!r} leads out of the store")
    return path
