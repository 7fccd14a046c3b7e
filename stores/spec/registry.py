"""Registers kinds of store and types of query from outside of this package.

A kind is a name and a factory of engines; a type of query is a class and a handler for one kind.
Register both when your module is imported, before a host is started: a host cannot read the
definition of a store whose kind is not registered.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from stategate.stores.errors import StoreError
from stategate.stores.spec.query import Query
from stategate.stores.spec.schema import DataType, StoreKind, StoreSchema
from stategate.stores.spec.store import StorePartition, View

R = TypeVar("R")

SHIPPED = frozenset(StoreKind)
"""The kinds of this package, without registered ones."""


class RegistryError(StoreError, ValueError):
    """A name or a type cannot be registered: it is taken or not valid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The arguments of an engine's factory."""

    schema: StoreSchema
    partition: int
    path: Path
    """The partition's own directory, kept across restarts; missing at the first start.

    If its content is of no use, the factory raises a CodecError and is called again for an empty
    one.
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
    """The name, arguments and result of a query that clients can ask by HTTP.

    Raises:
        RegistryError: the name is not lower-case letters, digits and _.
        SchemaError: a type is not known.
    """

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Field of the query → SQL type of its value, or KEY. Those with a default may be left out."""
    result: str | None = None
    """SQL type of the handler's result; None for a `BatchStream`."""

    def __post_init__(self) -> None:
        """Check the names and types; the fields are checked when the query is registered."""
        _check_name(self.name, "query")
        for text in (*self.arguments.values(), *([self.result] if self.result else [])):
            if text != KEY or text == self.result:
                DataType.parse(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteQuery:
    """A registered query that clients can ask by name."""

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
    """Add a type of query to a kind. An engine that answers the type itself does so.

    Args:
        kind: the kind of store that answers it.
        query_type: its class; a dataclass if it has a `remote`.
        handler: answers it.
        remote: how clients ask it by HTTP; None if it is for Python only.

    Raises:
        RegistryError: the type is not a class of queries; or it or its name is registered for the
            kind; or the arguments of `remote` do not match its fields.
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
    """Return the factory of a registered kind; None for a kind of this package."""
    return _factories.get(kind)


def registered_handler(kind: StoreKind, query_type: type[Query[Any]]) -> QueryHandler | None:
    """Return the registered handler of a type of query; None if it has no handler."""
    found = _handlers.get((kind, query_type))
    return None if found is None else found.handler


def registered_queries() -> list[type[Query[Any]]]:
    """Return all registered types of queries."""
    return [query_type for _, query_type in list(_handlers)]


def remote_queries(kind: StoreKind) -> dict[str, RemoteQuery]:
    """Return the queries that clients can ask stores of a kind, by name."""
    of_kind = [found.remote for (each, _), found in list(_handlers.items()) if each is kind]
    return {remote.name: remote for remote in of_kind if remote is not None}


def _remote_query(query_type: type[Query[Any]], remote: Remote) -> RemoteQuery:
    name = query_type.__name__
    if not hasattr(query_type, "__dataclass_fields__"):
        raise RegistryError(f"{name} is not a dataclass, so its arguments have no names")
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
