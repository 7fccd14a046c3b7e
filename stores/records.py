"""The records of the state log as JSON: definitions, commits of epochs, and snapshots.

Only values and their text; where the text is kept is `stores.log`'s affair. Every record names
its format, and a reader refuses a format that it does not know.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import orjson

from stores.errors import StoreError, TornRecordError
from stores.position import Position, Progress
from stores.schema import Column, DataType, InputTopic, Kind, StoreKind, StoreSchema

FORMAT = 1
"""Version of all records; counted up when an older reader would misread a newer one."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """A Parquet file with rows of one partition, whole or not at all."""

    path: str
    """Relative to the store's directory, with forward slashes."""
    partition: int
    rows: int
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """One committed epoch: what makes its data files exist."""

    epoch: int
    previous: int
    """The epoch that must be applied before this one; -1 for the first."""
    position: Position
    watermark_ms: int | None
    """The pipeline's event-time watermark in this epoch; None if it has none."""
    committed_ms: int
    """Wall clock of the writer, epoch milliseconds."""
    writer: str
    """Who wrote it: `spark:` and the query's id, or a name of the caller's choice."""
    files: tuple[DataFile, ...]
    replace: bool = False
    """True if the epoch is the whole store, so that rows it does not hold are gone."""

    def files_of(self, partition: int) -> tuple[DataFile, ...]:
        """The files with rows of one partition, in the order in which they are to be applied."""
        return tuple(file for file in self.files if file.partition == partition)

    @property
    def rows(self) -> int:
        """Rows of all partitions."""
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotFile:
    """The whole of one partition as of an epoch, in the bytes of an engine."""

    path: str
    """Relative to the store's directory, with forward slashes."""
    partition: int
    rows: int
    size_bytes: int
    sha256: str
    """Of its bytes, in hexadecimal: an engine takes them unread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A store as of an epoch: what makes its files exist."""

    epoch: int
    position: Position
    watermark_ms: int | None
    """The latest watermark of all epochs up to this one."""
    committed_ms: int
    """As in the commit of the epoch: by it a snapshot is known to be of this log."""
    layout: str
    """What the engine that reads the files must have."""
    files: tuple[SnapshotFile, ...]
    """One for each partition, also for one without rows."""

    @property
    def progress(self) -> Progress:
        """What a replica has applied that holds the snapshot."""
        return Progress(
            epoch=self.epoch,
            position=self.position,
            watermark_ms=self.watermark_ms,
            committed_ms=self.committed_ms,
        )

    def file_of(self, partition: int) -> SnapshotFile | None:
        """The file of one partition."""
        return next((file for file in self.files if file.partition == partition), None)


def encode_definition(schema: StoreSchema) -> bytes:
    """A definition as the JSON of `store.json`."""
    return _dump(
        {
            "format": FORMAT,
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
    """Read `store.json`.

    Raises:
        TornRecordError: it is incomplete or not ours; the message names `path`.
    """
    return _decoded(data, path, _definition)


def encode_commit(commit: Commit) -> bytes:
    """A commit as JSON."""
    return _dump(
        {
            "format": FORMAT,
            "epoch": commit.epoch,
            "previous": commit.previous,
            "position": _position_json(commit.position),
            "watermark_ms": commit.watermark_ms,
            "committed_ms": commit.committed_ms,
            "writer": commit.writer,
            "replace": commit.replace,
            "files": [
                {
                    "path": file.path,
                    "partition": file.partition,
                    "rows": file.rows,
                    "size_bytes": file.size_bytes,
                }
                for file in commit.files
            ],
        }
    )


def decode_commit(data: bytes, path: str) -> Commit:
    """Read a commit.

    Raises:
        TornRecordError: it is incomplete or not ours; the message names `path`.
    """
    return _decoded(data, path, _commit)


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """The record of a snapshot as JSON."""
    return _dump(
        {
            "format": FORMAT,
            "epoch": snapshot.epoch,
            "position": _position_json(snapshot.position),
            "watermark_ms": snapshot.watermark_ms,
            "committed_ms": snapshot.committed_ms,
            "layout": snapshot.layout,
            "files": [asdict(file) for file in snapshot.files],
        }
    )


def decode_snapshot(data: bytes, path: str) -> Snapshot:
    """Read the record of a snapshot.

    Raises:
        TornRecordError: it is incomplete or not ours; the message names `path`.
    """
    return _decoded(data, path, _snapshot)


def _position_json(position: Position) -> dict[str, dict[str, int]]:
    return {topic: {str(p): o for p, o in offsets} for topic, offsets in position.components}


def _dump(document: dict[str, Any]) -> bytes:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _decoded(data: bytes, path: str, build: Callable[[Mapping[str, Any]], T]) -> T:
    """Build a record from JSON that may be anything; whatever does not fit is a torn record."""
    try:
        document = orjson.loads(data)
        if not isinstance(document, dict):
            raise TornRecordError(f'record "{path}" is not a JSON object')
        if document.get("format") != FORMAT:
            found = document.get("format")
            raise TornRecordError(f'record "{path}" has format {found!r}; we read {FORMAT}')
        return build(document)
    except TornRecordError:
        raise
    except orjson.JSONDecodeError as error:
        raise TornRecordError(f'record "{path}" is not complete JSON') from error
    except KeyError as error:
        raise TornRecordError(f'record "{path}" has no field {error}') from error
    except (StoreError, TypeError, ValueError, AttributeError) as error:
        raise TornRecordError(f'record "{path}" is not ours: {error}') from error


def _definition(document: Mapping[str, Any]) -> StoreSchema:
    return StoreSchema(
        name=_text(document["name"]),
        kind=StoreKind(document["kind"]),
        key=_columns(document["key"]),
        value=_columns(document["value"]),
        partitions=_whole(document["partitions"]),
        inputs=tuple(
            InputTopic(topic=_text(item["topic"]), aligned=bool(item["aligned"]))
            for item in document["inputs"]
        ),
        window_size_ms=_optional(document["window_size_ms"]),
        retention_ms=_optional(document["retention_ms"]),
    )


def _commit(document: Mapping[str, Any]) -> Commit:
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
            )
            for item in document["files"]
        ),
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
    """A scalar by its SQL name; a nested type as an object, for a field may be called anything."""
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
