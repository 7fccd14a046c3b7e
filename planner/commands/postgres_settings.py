"""PostgreSQL's settings: clients may set and read them, with little effect.

`OWN_SETTINGS` lists those whose value or meaning differs here. `pg_settings` describes
all others, and says who may change them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stategate.planner.commands.encoding_names import UTF8, read_encoding
from stategate.planner.commands.setting_kinds import PostgresSetting
from stategate.planner.commands.transaction import DEFAULT_DEFERRABLE
from stategate.planner.errors import (
    InvalidValueError,
    NotSupportedError,
    QueryError,
    TransactionError,
)
from stategate.planner.values.durations import DURATIONS, canonical_duration
from stategate.planner.values.session import DEFAULT_ISOLATION, read_isolation
from stategate.planner.values.times.time_settings import read_date_style, read_zone


def _any_text(name: str, value: str) -> str:
    return value


def read_boolean(name: str, value: str) -> str:
    """Return a boolean as SHOW writes it.

    Raises:
        InvalidValueError: the setting does not take this value (22023).
    """
    return PostgresSetting(name=name, default="off", context="user", kind="bool").read(value)


def _isolation(name: str, value: str) -> str:
    return read_isolation(name, value).value


def _interval_style(name: str, value: str) -> str:
    """Accept only `postgres`: a client that sets another one reads intervals in that style."""
    style = value.strip().lower()
    if style in _OTHER_INTERVAL_STYLES:
        raise NotSupportedError(
            f'the interval style "{style}" is not supported',
            hint="Intervals are printed in the style postgres; use to_char() or extract().",
        )
    if style != "postgres":
        raise InvalidValueError(
            f'invalid value for parameter "{name}": "{value[:100]}"',
            hint="Available values: postgres, postgres_verbose, sql_standard, iso_8601.",
        )
    return style


_OTHER_INTERVAL_STYLES = frozenset({"postgres_verbose", "sql_standard", "iso_8601"})


def _bytes_form(name: str, value: str) -> str:
    form = value.lower()
    if form not in {"hex", "escape"}:
        raise InvalidValueError(
            f'invalid value for parameter "{name}": "{value[:100]}"',
            hint="Available values: escape, hex.",
        )
    return form


def _only_on(name: str, value: str) -> str:
    """Accept only `on`: a client that turns it off sends texts that would mean something else."""
    if read_boolean(name, value) != "on":
        raise InvalidValueError(
            f'parameter "{name}" cannot be turned off',
            hint="Write E'…' for a text with backslash escapes.",
        )
    return "on"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSetting:
    """A setting of PostgreSQL whose value or meaning differs here."""

    name: str
    """Its name as `pg_settings` writes it."""
    default: str
    read: Callable[[str, str], str] = _any_text
    """Turns a name and a value into the value that SHOW returns, or raises a QueryError."""
    is_fixed: bool = False
    """Whether it keeps its default; setting another value gives a notice."""
    of_transaction: bool = False
    """Whether it belongs to the transaction and not to the session."""


_TABLE = (
    # The form of values in results, which the gateway encodes in one way.
    OwnSetting(name="bytea_output", default="hex", read=_bytes_form, is_fixed=True),
    OwnSetting(name="client_encoding", default=UTF8, read=read_encoding, is_fixed=True),
    OwnSetting(name="IntervalStyle", default="postgres", read=_interval_style),
    OwnSetting(name="server_encoding", default="UTF8"),
    # How times are read and printed.
    OwnSetting(name="TimeZone", default="UTC", read=read_zone),
    OwnSetting(name="DateStyle", default="ISO, MDY", read=read_date_style),
    # Texts are read in one way, too.
    OwnSetting(name="standard_conforming_strings", default="on", read=_only_on),
    # Nothing can be written.
    OwnSetting(
        name="default_transaction_read_only", default="on", read=read_boolean, is_fixed=True
    ),
    OwnSetting(name="transaction_read_only", default="on", read=read_boolean, is_fixed=True),
    # The transaction, and the defaults of the next one.
    OwnSetting(name=DEFAULT_DEFERRABLE, default="off", read=read_boolean),
    OwnSetting(name=DEFAULT_ISOLATION, default="read committed", read=_isolation),
    OwnSetting(name="transaction_deferrable", default="off", of_transaction=True),
    OwnSetting(name="transaction_isolation", default="read committed", of_transaction=True),
    # Time limits, which the servers enforce.
    *(OwnSetting(name=name, default="0", read=canonical_duration) for name in sorted(DURATIONS)),
    # Read by drivers: DuckDB has no just-in-time compiler, and sorts texts by their bytes.
    OwnSetting(name="jit", default="off", read=read_boolean),
    OwnSetting(name="lc_collate", default="C"),
    OwnSetting(name="lc_ctype", default="C"),
)
OWN_SETTINGS: Mapping[str, OwnSetting] = {setting.name.lower(): setting for setting in _TABLE}
"""The settings by their name in lower case."""


def settings_of_user(user: str) -> dict[str, str]:
    """Return the settings of a user, which no client changes here and `pg_settings` leaves out."""
    return {"is_superuser": "off", "role": "none", "session_authorization": user}


_STYLES = ("timezone", "datestyle", "intervalstyle")


def read_styles(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of times and intervals with which a client connects, as SHOW writes them.

    Raises:
        QueryError: a value is wrong (22023), or not supported.
    """
    return {n: OWN_SETTINGS[n].read(n, settings[n]) for n in _STYLES if n in settings}


def version_number(server_version: str) -> int:
    """Return `16.3` as 160003, like server_version_num; 0 if the text does not begin with one."""
    found = re.match(r"(\d+)\.(\d+)", server_version)
    return int(found[1]) * 10_000 + int(found[2]) if found else 0


def check_may_be_set(name: str, context: str) -> None:
    """Refuse to change a setting that sessions cannot change in Postgres either.

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
