"""Where a third party adds a kind of store, or a type of query, without an edit to ours.

A kind is a name and a factory of engines; a query type is a class and a handler for one kind. Both
are registered when the third party's module is imported, before a host is started: a host that
meets a kind which nobody has registered cannot read the store's definition, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from stores.errors import StoreError
from stores.query import Query
from stores.schema import StoreKind, StoreSchema
from stores.store import StorePartition, View

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

_factories: dict[StoreKind, EngineFactory] = {}
_handlers: dict[tuple[StoreKind, type[Query[Any]]], QueryHandler] = {}


def register_kind(name: str, factory: EngineFactory) -> StoreKind:
    """Add a kind of store.

    Returns:
        The kind, for `StoreSchema`; definitions in the log name it by `name`.

    Raises:
        RegistryError: the name is not lower-case letters, digits and _, or is taken.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name):
        raise RegistryError(f'"{name}" is not a name for a kind: use a-z, 0-9 and _')
    if any(kind.value == name for kind in SHIPPED | _factories.keys()):
        raise RegistryError(f'kind "{name}" is taken')
    kind = StoreKind.opened(name)
    _factories[kind] = factory
    return kind


def register_query(
    kind: StoreKind, query_type: type[Query[R]], handler: Callable[[StorePartition, View, Any], R]
) -> None:
    """Add a type of query to a kind, ours or a third party's. What an engine answers itself wins.

    Raises:
        RegistryError: the type is no class of queries, or is registered for the kind.
    """
    if not (isinstance(query_type, type) and issubclass(query_type, Query)):
        raise RegistryError(f"{query_type!r} is not a type of query")
    if (kind, query_type) in _handlers:
        raise RegistryError(f'{query_type.__name__} is registered for kind "{kind.value}"')
    _handlers[kind, query_type] = handler


def registered_factory(kind: StoreKind) -> EngineFactory | None:
    """The factory of a third party's kind; None if it is ours."""
    return _factories.get(kind)


def registered_handler(kind: StoreKind, query_type: type[Query[Any]]) -> QueryHandler | None:
    """A third party's handler; None if there is none."""
    return _handlers.get((kind, query_type))
