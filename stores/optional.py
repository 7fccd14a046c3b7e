"""Libraries that not every use of the stores needs: each is imported when it is first used.

A pipeline writes epochs with Arrow alone. Replicas need RocksDB, buckets a client of theirs.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from stategate.stores.errors import StoreError


def imported(name: str, *, extra: str) -> ModuleType:
    """Return a module of an optional library.

    Args:
        name: its name.
        extra: the extra of the distribution that installs it.

    Raises:
        StoreError: it is not installed.
    """
    library = name.partition(".")[0]
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise
        raise StoreError(
            f"{library} is not installed: pip install 'stategate-stores[{extra}]'"
        ) from error


class OptionalModule:
    """A module that is imported with the first name that is taken from it; as `imported`."""

    def __init__(self, name: str, *, extra: str) -> None:
        self._name, self._extra = name, extra

    def __getattr__(self, name: str) -> Any:
        """Return a name of the module, and keep it."""
        found = getattr(imported(self._name, extra=self._extra), name)
        setattr(self, name, found)
        return found
