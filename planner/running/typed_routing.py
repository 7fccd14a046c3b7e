"""Which query goes to which partition, for queries by name: by the key among their arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from stategate.planner.errors import InvalidValueError
from stategate.planner.running.shipped_queries import Shape, ShippedQuery, shipped_queries
from stategate.stores.codec.partitioner import partitioner
from stategate.stores.errors import CodecError, StoreError
from stategate.stores.spec.query import Query
from stategate.stores.spec.registry import RemoteQuery, remote_queries
from stategate.stores.spec.schema import Key, StoreKind, Value
from stategate.stores.spec.store import Store

NamedQuery: TypeAlias = RemoteQuery | ShippedQuery

_WHOLE: Final = frozenset({None, Shape.KEY, Shape.KEYS})
"""The kinds of arguments that are whole keys; None is that of registered queries."""


def known_queries(kind: StoreKind) -> dict[str, NamedQuery]:
    """Return the queries by name of a kind; a registered one hides one of this package."""
    return {**shipped_queries(kind), **remote_queries(kind)}


def routed(
    store: Store,
    remote: NamedQuery,
    arguments: Mapping[str, Value],
    partitions: frozenset[int] | None,
) -> dict[int, Query[Any]]:
    """Return the query for each partition that may have rows of the keys in the arguments.

    All that are asked for by number are asked, whatever the keys.

    Raises:
        InvalidValueError: the arguments are wrong, or a partition does not exist.
    """
    whole = [
        (name, kind is Shape.KEYS)
        for name, kind in remote.arguments.items()
        if kind in _WHOLE and arguments.get(name) is not None
    ]
    if partitions is not None or len(whole) != 1:
        query = _built(remote, arguments)
        return dict.fromkeys(_checked(partitions, store), query)
    (name, is_list), schema = whole[0], store.schema
    keys: Any = arguments[name] if is_list else (arguments[name],)
    _built(remote, arguments)  # it may refuse the key, before that is encoded
    route = partitioner(schema.key, schema.partitions)
    by_partition: dict[int, list[Key]] = {}
    try:
        for key in keys:
            by_partition.setdefault(route(key), []).append(key)
    except CodecError as error:
        raise InvalidValueError(f'argument "{name}": {error}') from error
    return {
        number: _built(remote, {**arguments, name: tuple(found) if is_list else found[0]})
        for number, found in sorted(by_partition.items())
    }


def _built(remote: NamedQuery, arguments: Mapping[str, Value]) -> Query[Any]:
    try:
        if isinstance(remote, ShippedQuery):
            return remote.build(arguments)
        return remote.query_type(**arguments)
    except (StoreError, TypeError, ValueError) as error:
        raise InvalidValueError(f'query "{remote.name}": {error}') from error


def _checked(partitions: frozenset[int] | None, store: Store) -> list[int]:
    count = store.schema.partitions
    if partitions is None:
        return list(range(count))
    for number in sorted(partitions):
        if not 0 <= number < count:
            raise InvalidValueError(
                f'partition {number} of store "{store.schema.name}" does not exist',
                hint=f"Its partitions are 0 to {count - 1}.",
            )
    return sorted(partitions)
