"""Where a third party adds a kind of store, or a type of query, without an edit to ours.

A kind is a name and a factory of engines; a query type is a class and a handler for one kind. Both
are registered when the third party's module is imported, before a host is started: a host that
meets a kind which nobody has registered cannot read the store's definition, and says so.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from stores.errors import StoreError
from stores.spec.query import Query
from stores.spec.schema import DataType, StoreKind, StoreSchema
from stores.spec.store import StorePartition, View

R = TypeVar("R")

SHIPPED = frozenset(StoreKind)
"""The kinds that are ours. Taken before anybody can have added one."""


class RegistryError(StoreError, ValueError):
    """A name or a type that cannot be registered, since it is taken or means nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What an engine is opened with."""

    schema: StoreSchema
    partition: int
    path: Path
    """A directory of its own, kept across restarts, which may not be there yet.

    An engine that finds in it what it cannot use raises a CodecError, and is opened again over an
    empty one.
    """


EngineFactory: TypeAlias = Callable[[Opening], StorePartition]
"""Makes the engine of one partition."""

QueryHandler: TypeAlias = Callable[[StorePartition, View, Any], Any]
"""Answers a query: (engine, view, query) → the query's result.

It reads the view through `engine.handlers`, whose queries it may ask for the same view.
"""

KEY = "key"
"""The type of an argument that is a whole key of the store that is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """How a query is asked from outside of Python: by a name, with arguments of SQL types.

    Raises:
        RegistryError: the name is not lower-case letters, digits and _.
        SchemaError: a type is not known.
    """

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Field of the query → SQL type of its value, or KEY. Those with a default may be left out."""
    result: str | None = None
    """SQL type of what the handler gives; None for a `BatchStream`."""

    def __post_init__(self) -> None:
        """Check what can be checked before the query is known."""
        _check_name(self.name, "query")
        for text in (*self.arguments.values(), *([self.result] if self.result else [])):
            if text != KEY or text == self.result:
                DataType.parse(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteQuery:
    """A query that can be asked by name, as it was registered."""

    query_type: type[Query[Any]]
    name: str
    arguments: Mapping[str, DataType | None]
    """None for a whole key."""
    required: frozenset[str]
    result: DataType | None
    """None for a `BatchStream`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Registered:
    handler: QueryHandler
    remote: RemoteQuery | None


_factories: dict[StoreKind, EngineFactory] = {}
_handlers: dict[tuple[StoreKind, type[Query[Any]]], _Registered] = {}


def register_kind(name: str, factory: EngineFactory) -> StoreKind:
    """Add a kind of store.

    Returns:
        The kind, for `StoreSchema`; definitions in the log name it by `name`.

    Raises:
        RegistryError: the name is not lower-case letters, digits and _, or is taken.
    """
    _check_name(name, "kind")
    if any(kind.value == name for kind in SHIPPED | _factories.keys()):
        raise RegistryError(f'kind "{name}" is taken')
    kind = StoreKind.opened(name)
    _factories[kind] = factory
    return kind


def register_query(
    kind: StoreKind,
    query_type: type[Query[R]],
    handler: Callable[[StorePartition, View, Any], R],
    *,
    remote: Remote | None = None,
) -> None:
    """Add a type of query to a kind, ours or a third party's. What an engine answers itself wins.

    Args:
        kind: of the stores that answer it.
        query_type: its class; a dataclass, if it is to be asked by name.
        handler: answers it.
        remote: how it is asked by HTTP; None if it is for Python alone.

    Raises:
        RegistryError: the type is no class of queries, or it or its name is registered for the
            kind; or the arguments of `remote` are not those of the query.
    """
    if not (isinstance(query_type, type) and issubclass(query_type, Query)):
        raise RegistryError(f"{query_type!r} is not a type of query")
    if (kind, query_type) in _handlers:
        raise RegistryError(f'{query_type.__name__} is registered for kind "{kind.value}"')
    if remote is not None and remote.name in remote_queries(kind):
        raise RegistryError(f'query "{remote.name}" is registered for kind "{kind.value}"')
    asked = None if remote is None else _remote_query(query_type, remote)
    _handlers[kind, query_type] = _Registered(handler=handler, remote=asked)


def registered_factory(kind: StoreKind) -> EngineFactory | None:
    """The factory of a third party's kind; None if it is ours."""
    return _factories.get(kind)


def registered_handler(kind: StoreKind, query_type: type[Query[Any]]) -> QueryHandler | None:
    """A third party's handler; None if there is none."""
    found = _handlers.get((kind, query_type))
    return None if found is None else found.handler


def remote_queries(kind: StoreKind) -> dict[str, RemoteQuery]:
    """The queries that stores of a kind can be asked by name."""
    of_kind = [found.remote for (each, _), found in list(_handlers.items()) if each is kind]
    return {remote.name: remote for remote in of_kind if remote is not None}


def _remote_query(query_type: type[Query[Any]], remote: Remote) -> RemoteQuery:
    name = query_type.__name__
    if not hasattr(query_type, "__dataclass_fields__"):
        raise RegistryError(f"{name} is no dataclass, so its arguments have no names")
    needed = {f.name: _is_needed(f) for f in _fields(query_type)}
    if unknown := set(remote.arguments) - set(needed):
        raise RegistryError(f'{name} has no field "{min(unknown)}"')
    required = {each for each, is_needed in needed.items() if is_needed}
    if missing := required - set(remote.arguments):
        raise RegistryError(f'{name} cannot be asked without its field "{min(missing)}"')
    return RemoteQuery(
        query_type=query_type,
        name=remote.name,
        arguments={
            each: None if text == KEY else DataType.parse(text)
            for each, text in remote.arguments.items()
        },
        required=frozenset(required),
        result=None if remote.result is None else DataType.parse(remote.result),
    )


def _fields(query_type: type[Any]) -> list[dataclasses.Field[Any]]:
    return [each for each in dataclasses.fields(query_type) if each.init]


def _is_needed(each: dataclasses.Field[Any]) -> bool:
    missing = dataclasses.MISSING
    return each.default is missing and each.default_factory is missing


def _check_name(name: str, of: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name):
        raise RegistryError(f'"{name}" is not a name for a {of}: use a-z, 0-9 and _')
