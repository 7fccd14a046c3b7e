"""The names in a log: which are those of stores, and why a store is not open."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Set

from stategate.stores.errors import (
    HostRestoringError,
    LogError,
    StoreError,
    UnknownKindError,
    UnknownStoreError,
)

_logger = logging.getLogger(__name__)


class LogNames:
    """The names that the last search of a log has found. Safe to share between threads.

    Args:
        root: path or URI of the log.
    """

    def __init__(self, root: str) -> None:
        self.error: str | None = None
        """All errors, as one text; None if every store could be opened."""
        self.stores: frozenset[str] | None = None
        """The names that may be those of stores; None if the log could not be read."""
        self.listed: frozenset[str] = frozenset()
        """All names of the last search that could read the log."""
        self._root = root
        self._undefined: set[str] = set()
        """Names that had no definition when they were last looked at."""
        self._unopened: Mapping[str, tuple[type[StoreError], str]] = {}
        """The error that keeps a store from being opened, by name."""
        self._unlisted: str | None = None
        """The error of the last search."""
        self._changing = threading.Lock()

    @property
    def are_opened(self) -> bool:
        """Whether no store is known that cannot be opened."""
        return not self._unopened

    def may_be_store(self, name: str) -> bool:
        """Whether a name had a definition when it was last looked at."""
        return name in self.listed and name not in self._undefined

    def list(self, listed: frozenset[str], opened: Set[str]) -> frozenset[str]:
        """Note the names of a search; return those that may be of stores.

        Whether a new name is that of a store, only a look at it shows: its files may hang.

        Args:
            listed: the names in the log.
            opened: the stores that are open.
        """
        with self._changing:
            self.listed = listed
            self._undefined &= listed | opened
            self.stores = names = listed - self._undefined
            self._unlisted = None
            self._unopened = {n: why for n, why in self._unopened.items() if n in names}
            self._note_errors()
        return names

    def fail_to_list(self, error: LogError) -> None:
        """Note that the log cannot be searched."""
        with self._changing:
            self.stores, self._unlisted = None, str(error)
            self._note_errors()

    def open(self, name: str) -> None:
        """Note that a store could be opened, or is open and defined."""
        with self._changing:
            self._undefined.discard(name)
            if self.stores is not None and name not in self.stores:
                self.stores |= {name}
            self._note_unopened(name, None)

    def fail_to_open(self, name: str, error: StoreError) -> None:
        """Note why a store cannot be opened."""
        with self._changing:
            self._undefined.discard(name)
            self._note_unopened(name, error)

    def miss(self, name: str, *, is_open: bool) -> None:
        """Note that a name has no definition. Whether its store is gone, only a search shows."""
        with self._changing:
            self._undefined.add(name)
            if self.stores is not None and not is_open:
                self.stores -= {name}
            self._note_unopened(name, None)

    def missing(self, name: str) -> StoreError:
        """Return why a store is not open.

        Only a log that could be read shows that a store does not exist.
        """
        if self.stores is None:
            return HostRestoringError(f"the log has not been read: {self.error}")
        if name not in self.stores:
            return UnknownStoreError(f'store "{name}" does not exist')
        kind, why = self._unopened.get(name, (StoreError, "it is being opened"))
        if issubclass(kind, UnknownKindError):
            return UnknownKindError(why)
        return HostRestoringError(f'store "{name}" cannot be opened yet: {why}')

    def _note_unopened(self, name: str, error: StoreError | None) -> None:
        if error is None and name not in self._unopened:
            return
        others = {n: why for n, why in self._unopened.items() if n != name}
        # The error itself is not kept, because its frames may hold a database open.
        self._unopened = others if error is None else {**others, name: (type(error), str(error))}
        self._note_errors()

    def _note_errors(self) -> None:
        """Set `error` to all present errors, and log them if they are others than before."""
        errors = [why for _, (_, why) in sorted(self._unopened.items())]
        if self._unlisted is not None:
            errors.insert(0, self._unlisted)
        message = "; ".join(errors) or None
        if message is not None and self.error != message:
            _logger.warning("stores cannot be opened root=%s errors=%s", self._root, message)
        self.error = message
