"""Settings of Postgres that mean nothing here: clients may set them, and are shown what they set.

What a setting is, and who may change it, says `pg_settings`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from planner.errors import QueryError, TransactionError

_UNITS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "kB": (("TB", 1 << 30), ("GB", 1 << 20), ("MB", 1 << 10), ("kB", 1)),
    "8kB": (("GB", 1 << 17), ("MB", 1 << 7), ("8kB", 1)),
    "B": (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10), ("B", 1)),
    "MB": (("GB", 1 << 10), ("MB", 1)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresSetting:
    """One setting."""

    shown: str
    """What SHOW says of it while nobody has set it."""
    context: str
    """Who may change it, in the words of `pg_settings`."""


def version_number(server_version: str) -> int:
    """`16.3` → 160003, as server_version_num has it; 0 if the text begins with no version."""
    found = re.match(r"(\d+)\.(\d+)", server_version)
    return int(found[1]) * 10_000 + int(found[2]) if found else 0


def check_may_be_set(name: str, context: str) -> None:
    """Refuse to change a setting that no session can change in Postgres either.

    Raises:
        QueryError: it belongs to the server (55P02), or to its superuser (42501).
    """
    match context:
        case "internal":
            raise TransactionError(f'parameter "{name}" cannot be changed', sqlstate="55P02")
        case "postmaster":
            raise TransactionError(
                f'parameter "{name}" cannot be changed without restarting the server',
                sqlstate="55P02",
            )
        case "sighup":
            raise TransactionError(f'parameter "{name}" cannot be changed now', sqlstate="55P02")
        case "superuser":
            raise QueryError(f'permission denied to set parameter "{name}"', sqlstate="42501")


def shown_size(value: str, unit: str) -> str:
    """A size in the largest unit that it is a whole number of: 4096 kB are `4MB`."""
    if unit not in _UNITS or not value.isdigit() or value == "0":
        return value
    count = int(value)
    name, size = next((n, s) for n, s in _UNITS[unit] if not count % s)
    return f"{count // size}{name}"
