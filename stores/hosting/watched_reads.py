"""Watches what the handlers of an engine read for one query, for its execution info."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from stategate.stores.errors import StoreError
from stategate.stores.spec.query import BatchStream, KeyQuery, Query
from stategate.stores.spec.store import Handler, StorePartition, View

_ROWS, _COLUMNS, _DATABASE = "the row cache", "the column cache", "the database"
_SOURCES = (_ROWS, _COLUMNS, _DATABASE)


class WatchedReads:
    """An engine with caches whose reads are noted, for one query.

    The handler of a registered query gets it in place of the engine, so it looks like one.

    Args:
        engine: the engine.
    """

    def __init__(self, engine: StorePartition) -> None:
        self._engine = engine
        self._read: set[str | None] = set()
        """The caches that were read, or the database; None for a read whose source is unknown."""
        self.handlers = _WatchedHandlers(engine.handlers, self._answer)

    @property  # type: ignore[misc] # the handler may ask for the type of its engine
    def __class__(self) -> type:
        """The class of the engine."""
        return type(self._engine)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    @property
    def source(self) -> str | None:
        """What was read, as "the row cache and the database"; None if not all of it is known."""
        if not self._read or None in self._read:
            return None
        return " and ".join(each for each in _SOURCES if each in self._read)

    def _answer(self, handler: Handler, view: View, query: Query[Any]) -> Any:
        source = self._row_source(view, query)
        value = handler(view, query)
        if isinstance(value, BatchStream):
            source = _DATABASE if value.rows_in_memory is None else _COLUMNS
        self._read.add(source)
        return value

    def _row_source(self, view: View, query: Query[Any]) -> str | None:
        """Return the source of the row that a lookup reads; None if unknown, or no lookup."""
        if type(query) is not KeyQuery:
            return None
        engine = cast(Any, self._engine)
        try:
            is_cached = not query.skip_cache and engine.has_cached_row(view, query.key)
        except StoreError:
            return None  # the query itself says why
        return _ROWS if is_cached else _DATABASE


class _WatchedHandlers(Mapping[type[Query[Any]], Handler]):
    """Handlers that note what they read.

    Args:
        inner: the handlers of the engine.
        answer: takes one of them, the view and the query, and answers.
    """

    def __init__(
        self,
        inner: Mapping[type[Query[Any]], Handler],
        answer: Callable[[Handler, View, Any], Any],
    ) -> None:
        self._inner, self._answer = inner, answer

    def __getitem__(self, query_type: type[Query[Any]]) -> Handler:
        return partial(self._answer, self._inner[query_type])

    def __iter__(self) -> Iterator[type[Query[Any]]]:
        return iter(self._inner)

    def __len__(self) -> int:
        return len(self._inner)


def watched(engine: StorePartition) -> WatchedReads | None:
    """Return the engine with its reads noted; None if it has no caches to tell of."""
    return WatchedReads(engine) if hasattr(engine, "has_cached_row") else None
