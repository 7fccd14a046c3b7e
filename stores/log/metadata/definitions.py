"""Definitions of stores: their JSON in `store.json`, and how new inputs and comments are added."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from stategate.stores.errors import (
    LogError,
    LogMissingError,
    LogReplacedError,
    PositionBackError,
    SchemaError,
    TornRecordError,
    UnknownKindError,
)
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.metadata.documents import (
    decode_document,
    encode_document,
    optional_whole,
    text_value,
    whole_value,
)
from stategate.stores.log.metadata.records import DEFINITION
from stategate.stores.spec.arguments import shown
from stategate.stores.spec.redefinition import merged_comment
from stategate.stores.spec.schema import (
    NESTING_MAX,
    Column,
    DataType,
    InputTopic,
    Kind,
    StoreKind,
    StoreSchema,
)

_FIXED = (
    "name",
    "kind",
    "key",
    "value",
    "partitions",
    "window_size_ms",
    "retention_ms",
    "by_event_time",
    "not_null",
)
"""The parts of a store's definition that only a rebuild changes, if anything does."""
_REBUILD = ". stategate rebuild changes it"
_HINTS = {
    "key": _REBUILD,
    "partitions": _REBUILD,
    "retention_ms": _REBUILD,
    "not_null": _REBUILD,
    "value": ". evolve adds columns, and stategate rebuild changes them",
}
"""What to do if a part is to change."""
_CHANGES_TRIED = 100
"""A change is tried again only if another one came first, so all but endless changes end."""


class DefinitionFile:
    """The definition of a store in its log.

    Args:
        directory: the directory of the store.
        name: its name.
    """

    def __init__(self, directory: Directory, name: str) -> None:
        self._directory, self._name = directory, name
        self._read: tuple[bytes, StoreSchema] | None = None
        """The content that was read last, and its definition."""

    def read(self) -> StoreSchema:
        """Read the definition.

        Raises:
            LogMissingError: it is missing.
            LogReplacedError: it is of another incarnation than the one that was read first.
            TornRecordError: it is incomplete, foreign, or of another store.
        """
        return self._current()[1]

    def create(self, schema: StoreSchema) -> StoreSchema | None:
        """Create the definition, as a new incarnation of the store.

        Returns:
            The definition with the name of its incarnation; None if there is one already.

        Raises:
            LogMissingError: it was read before, and has been removed.
        """
        if self._read is not None:
            raise LogMissingError(f'the definition of store "{self._name}" was removed')
        named = replace(schema, incarnation=secrets.token_hex(8))
        data = encode_definition(named)
        if not self._directory.create(DEFINITION, data):
            return None
        self._read = data, named
        return named

    def require_same(self) -> None:
        """Make sure that the store is the one whose definition was read first.

        Raises:
            LogReplacedError: it was removed and created again.
            LogError: as `read`.
        """
        if self._read is not None:
            self._current()

    def last_read(self) -> StoreSchema:
        """Return the definition as it was read last; read it if it never was.

        Raises:
            LogError: as `read`.
        """
        return self.read() if self._read is None else self._read[1]

    def merge(self, schema: StoreSchema) -> tuple[StoreSchema, bool]:
        """Add what a definition has and the one in the log lacks; see `merged_definition`.

        Others may name a topic or change a comment at the same moment: no change is lost.

        Returns:
            The definition in the log, and whether this call has changed it.

        Raises:
            SchemaError: they differ; the message names the difference.
            LogError: others change it all the time.
        """
        for _ in range(_CHANGES_TRIED):
            data, defined = self._current()
            merged = merged_definition(defined, schema)
            if (merged.inputs, merged.comments) == (defined.inputs, defined.comments):
                return merged, False
            if self._directory.replace_if(DEFINITION, encode_definition(merged), expected=data):
                return merged, True
        raise LogError(f'the definition of store "{self._name}" is changed all the time: try again')

    def _current(self) -> tuple[bytes, StoreSchema]:
        data = self._directory.read(DEFINITION)
        path = self._directory.join(DEFINITION)
        if data is None:
            raise LogMissingError(f'there is no store definition "{path}"')
        if self._read is None or self._read[0] != data:
            schema = decode_definition(data, path)
            if schema.name != self._name:
                raise TornRecordError(f'record "{path}" defines store "{schema.name}"')
            if self._read is not None and self._read[1].incarnation != schema.incarnation:
                raise LogReplacedError(f'store "{self._name}" was removed and created again')
            self._read = data, schema
        return self._read


def encode_definition(schema: StoreSchema) -> bytes:
    """Encode a definition as the JSON of `store.json`."""
    return encode_document(
        {
            "name": schema.name,
            "kind": schema.kind.value,
            "key": _columns_json(schema.key),
            "value": _columns_json(schema.value),
            "partitions": schema.partitions,
            "inputs": [_input_json(topic) for topic in schema.inputs],
            "window_size_ms": schema.window_size_ms,
            "retention_ms": schema.retention_ms,
            "by_event_time": schema.by_event_time,
            **({"not_null": sorted(schema.not_null)} if schema.not_null else {}),
            **_comment_json(schema.comment),
            **({"incarnation": schema.incarnation} if schema.incarnation else {}),
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


def merged_definition(defined: StoreSchema, schema: StoreSchema) -> StoreSchema:
    """Return a definition with the new inputs and comments of another one.

    The order of the value columns stays that of the log, whatever the other one has. So do comments
    for which the other one has None; its empty texts remove them.

    Raises:
        SchemaError: they differ in anything else; the message names the difference.
        PositionBackError: a topic has another id, so its offsets mean other records.
    """
    merged = replace(schema, inputs=_merged_inputs(defined, schema))
    given = {column.name: column for column in merged.value}
    if given == {column.name: column for column in defined.value}:
        merged = replace(merged, value=tuple(given[column.name] for column in defined.value))
    for name in _FIXED:
        if getattr(defined, name) != getattr(merged, name):
            raise SchemaError(
                f'store "{schema.name}" is defined with another {name.replace("_", " ")}: '
                f"{_shown(getattr(defined, name))}, not {_shown(getattr(merged, name))}"
                f"{_HINTS.get(name, '')}"
            )
    return replace(
        merged,
        key=_commented(defined.key, merged.key),
        value=_commented(defined.value, merged.value),
        comment=merged_comment(defined.comment, merged.comment),
        incarnation=defined.incarnation,
    )


def _commented(defined: tuple[Column, ...], given: tuple[Column, ...]) -> tuple[Column, ...]:
    return tuple(
        replace(column, comment=merged_comment(before.comment, column.comment))
        for before, column in zip(defined, given, strict=True)
    )


def _definition(document: Mapping[str, Any]) -> StoreSchema:
    return StoreSchema(
        name=text_value(document["name"]),
        kind=_kind(document["kind"]),
        key=_columns(document["key"]),
        value=_columns(document["value"]),
        partitions=whole_value(document["partitions"]),
        inputs=tuple(_input(item) for item in document["inputs"]),
        window_size_ms=optional_whole(document["window_size_ms"]),
        retention_ms=optional_whole(document["retention_ms"]),
        by_event_time=_flag(document["by_event_time"]),
        not_null=frozenset(text_value(each) for each in document.get("not_null", ())),
        comment=_comment(document),
        incarnation=text_value(document.get("incarnation", "")),
    )


def _input_json(topic: InputTopic) -> dict[str, Any]:
    known = {} if topic.id is None else {"id": topic.id}
    return {"topic": topic.topic, "aligned": topic.aligned, **known}


def _input(item: Mapping[str, Any]) -> InputTopic:
    return InputTopic(
        topic=text_value(item["topic"]),
        aligned=bool(item["aligned"]),
        id=text_value(item["id"]) if "id" in item else None,
    )


def _flag(item: Any) -> bool:
    if not isinstance(item, bool):
        raise ValueError(f"{shown(item)} is not true or false")
    return item


def _kind(item: Any) -> StoreKind:
    name = text_value(item)
    try:
        return StoreKind(name)
    except ValueError as error:
        raise UnknownKindError(f'kind "{name}" is not registered here') from error


def _columns_json(columns: tuple[Column, ...]) -> list[dict[str, Any]]:
    return [
        {"name": each.name, "type": _type_json(each.type), **_comment_json(each.comment)}
        for each in columns
    ]


def _columns(items: list[dict[str, Any]]) -> tuple[Column, ...]:
    return tuple(
        Column(name=text_value(item["name"]), type=_type(item["type"]), comment=_comment(item))
        for item in items
    )


def _comment_json(comment: str | None) -> dict[str, Any]:
    return {"comment": comment} if comment else {}


def _comment(item: Mapping[str, Any]) -> str | None:
    return text_value(item["comment"]) if "comment" in item else None


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


def _type(item: Any, depth: int = NESTING_MAX) -> DataType:
    if not depth:
        raise ValueError(f"a type is nested deeper than {NESTING_MAX}")
    if isinstance(item, str):
        return DataType.parse(item)
    ((family, inner),) = item.items()
    match family:
        case "array":
            return DataType(kind=Kind.ARRAY, element=_type(inner, depth - 1))
        case "map":
            key, element = (_type(each, depth - 1) for each in inner)
            return DataType(kind=Kind.MAP, fields=(("key", key),), element=element)
        case "struct":
            fields = tuple((text_value(name), _type(field, depth - 1)) for name, field in inner)
            return DataType(kind=Kind.STRUCT, fields=fields)
    raise ValueError(f"no type is called {shown(family)}")


def _merged_inputs(defined: StoreSchema, schema: StoreSchema) -> tuple[InputTopic, ...]:
    known = {topic.topic: topic for topic in defined.inputs}
    for topic in schema.inputs:
        before = known.setdefault(topic.topic, topic)
        if before.aligned != topic.aligned:
            raise SchemaError(
                f'store "{schema.name}" is defined with another alignment of input "{topic.topic}"'
            )
        if topic.id is not None and before.id not in (None, topic.id):
            raise PositionBackError(
                f'topic "{topic.topic}", which feeds store "{schema.name}", was deleted and '
                "created again. The store was made from the old records: remove both the store and "
                "the checkpoint to build it anew"
            )
        known[topic.topic] = replace(before, id=topic.id or before.id)
    return tuple(known.values())


def _shown(part: object) -> str:
    if isinstance(part, tuple):
        return ", ".join(f"{column.name} {column.type}" for column in part) or "none"
    if isinstance(part, frozenset):
        return ", ".join(sorted(part)) or "none"
    return str(getattr(part, "value", part))
