"""Every setting of a gateway: its name, unit, default and the reason for that default.

`SETTINGS` is the one registry: the loader, `--help`, `stategate settings` and the documentation
read it. A later source wins: the default, a TOML file, the environment, the command line.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from gateway.errors import SettingsError

ENVIRONMENT_PREFIX = "STATEGATE_"
CONFIG_VARIABLE = "STATEGATE_CONFIG"
URL_VARIABLE = "STATEGATE_URL"

USER_VARIABLE = "STATEGATE_USER"
PASSWORD_VARIABLE = "STATEGATE_PASSWORD"
TOKEN_VARIABLE = "STATEGATE_TOKEN"

_NOT_SETTINGS = re.compile(r"STATEGATE_(CONFIG|URL|USER|PASSWORD|TOKEN|SERVICE_.*|PORT|PORT_.*)")
"""What else begins with our prefix: what the command line's own client takes, and what Kubernetes
puts into every pod beside a service named `stategate`."""


def _setting(
    default: object, about: str, *, unit: str = "", least: float = 0, most: float = 2**31
) -> Any:
    return field(
        default=default, metadata={"about": about, "unit": unit, "least": least, "most": most}
    )


_Value: TypeAlias = bool | int | str


class Address(NamedTuple):
    """Where a server listens."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a gateway runs with. Immutable; checked when it is loaded.

    Raises:
        SettingsError: on construction, if a value is out of range.
    """

    root: str = _setting("", "State log to follow: a directory or a file-system URL. Required.")
    data: str = _setting(
        "",
        "Directory for the replicas, kept across restarts. Empty keeps them in a temporary one, "
        "which is safe because the log can always be read again.",
    )
    http: str = _setting(
        "127.0.0.1:7420",
        "Where HTTP listens, HOST:PORT. Loopback, because access is not restricted by default; "
        "port 0 takes a free one.",
    )
    pg: str = _setting(
        "127.0.0.1:7432",
        "Where the Postgres wire listens, HOST:PORT; empty turns it off. Not 5432, which a "
        "Postgres on the same machine would hold.",
    )
    users: str = _setting(
        "",
        "File of the users who may come in, made by `stategate user add`; read again when it "
        "changes. Empty: nobody has to say who it is, and only loopback is let in.",
    )
    auth: str = _setting(
        "auto",
        "What clients of the Postgres wire show: auto, scram, password (in clear, over TLS only) "
        "or trust. auto is scram where users are given, else trust.",
    )
    allow_anonymous: bool = _setting(
        False,
        "Let everybody in from anywhere where trust is the rule. Off, because who reaches the "
        "port could read all stores; for networks that keep strangers out by themselves.",
    )
    http_hosts: str = _setting(
        "",
        "Names under which HTTP may be asked without credentials, separated by commas, beside "
        "localhost and IP addresses. A web page that points its own name here is refused so.",
    )
    proxies: str = _setting(
        "",
        "Addresses and networks of proxies, separated by commas, whose X-Forwarded-For and "
        "X-Forwarded-Proto say where an HTTP client is. None by default: anybody can send them. "
        "What another proxy passes on counts as its own, and never as loopback.",
    )
    strangers_max: int = _setting(
        250,
        "Connections of one address (an IPv6 /64) that are not let in yet, for HTTP and for the "
        "Postgres wire; more are cut off. A quarter of all places: a burst fits, a flood does not.",
        unit="connections",
        least=1,
    )
    strangers_total_max: int = _setting(
        1_000,
        "The same of all addresses, for HTTP and for the Postgres wire, beside the clients that "
        "are let in. Of more, the address that has most loses its oldest, so that a few cannot "
        "keep the others out.",
        unit="connections",
        least=1,
    )
    authentication_timeout_ms: int = _setting(
        60_000,
        "How long a client of the Postgres wire may take from its connection to being let in, "
        "TLS included. PostgreSQL's default, for people who type a password.",
        unit="ms",
        least=1,
    )
    tls_certificate: str = _setting(
        "",
        "PEM file of the certificate, and those between it and the root. Given, HTTP is HTTPS "
        "and the Postgres wire offers TLS; read again when it changes, and on SIGHUP.",
    )
    tls_key: str = _setting(
        "",
        "PEM file of the certificate's key, without a passphrase, closed to other users.",
    )
    tls_required: bool = _setting(
        False,
        "Refuse clients of the Postgres wire that come from elsewhere than loopback without TLS. "
        "Off, because SCRAM keeps passwords safe without; rows are in clear then.",
    )
    node: str = _setting("local", "Name of this node in answers and in system relations.")
    poll_ms: int = _setting(
        25,
        "How often the log is looked at for a new epoch. Small against a micro-batch, so that it "
        "adds little to what a reader waits for.",
        unit="ms",
        least=1,
        most=60_000,
    )
    workers_threads: int = _setting(
        8,
        "Statements that run at once beside the event loop. A few more than cores, for some wait "
        "on disk or on a bound.",
        unit="threads",
        least=1,
        most=1024,
    )
    workers_queue_max: int = _setting(
        256,
        "Statements that may wait for a thread; more are refused (53300). Some seconds of work: "
        "what waits longer has lost its reader.",
        unit="statements",
    )
    memory_bytes_max: int = _setting(
        1 << 30,
        "Memory for joining, sorting and grouping, over all statements. What needs more fails "
        "(53200) instead of taking the node down. A composing process may take 640 MiB beyond its "
        "share, for the catalog, rows on their way and what functions allocate.",
        unit="bytes",
        least=64 << 20,
        most=1 << 50,
    )
    compose_processes: int = _setting(
        1,
        "Processes beside the gateway in which statements are composed. One uses all cores but one "
        "for a statement; with more, fewer statements begin again when one has to be killed.",
        unit="processes",
        least=1,
        most=64,
    )
    cache_bytes: int = _setting(
        256 << 20,
        "RocksDB's block cache, shared by all replicas. Room for the index and filter blocks of "
        "some ten million keys, with hot rows beside them.",
        unit="bytes",
        least=1 << 20,
        most=1 << 50,
    )
    columns_bytes: int = _setting(
        256 << 20,
        "Decoded columns of all but versioned stores, for whole scans: read in the background "
        "after a start and mended as epochs come in; 0 keeps none. Room for some four million "
        "rows of five columns.",
        unit="bytes",
        least=0,
        most=1 << 50,
    )
    rows_bytes: int = _setting(
        256 << 20,
        "Rows that are looked up again and again, of keyvalue and global stores, kept decoded "
        "until an epoch changes them; 0 keeps none. Room for some 500,000 rows of five "
        "columns.",
        unit="bytes",
        least=0,
        most=1 << 50,
    )
    linger_us: int = _setting(
        50,
        "How long the event loop looks for the next message after an answer, before it sleeps: "
        "twice what a client on the same machine takes to ask again. 0 where cores are shared out "
        "by time, as by a container's CPU limit.",
        unit="microseconds",
        least=0,
        most=10_000,
    )
    statements_max: int = _setting(
        2_000,
        "Plans kept by the text of their statement, at some 20 kB each. No application has more "
        "in use.",
        unit="statements",
        least=1,
    )
    statement_timeout_ms: int = _setting(
        60_000,
        "How long a statement may run, rows included, before it is cancelled (57014). A gateway "
        "serves interactive reads; longer ones belong to Spark.",
        unit="ms",
        least=1,
    )
    body_bytes_max: int = _setting(
        1 << 20,
        "Longest request body. Room for thousands of parameters and a position token.",
        unit="bytes",
        least=1024,
        most=1 << 30,
    )
    body_timeout_ms: int = _setting(
        10_000,
        "How long a client may take to send the head of a request, and then again its body, so "
        "that slow ones hold no connection.",
        unit="ms",
        least=1,
    )
    parameters_max: int = _setting(
        65_535,
        "Parameters of one statement: what the Postgres wire can count.",
        unit="parameters",
        most=65_535,
    )
    chunk_bytes: int = _setting(
        256 << 10,
        "Rows rendered at once, by their size in Arrow. Large enough that the cost of a chunk "
        "does not show, small enough that a stream holds little and the first rows come early.",
        unit="bytes",
        least=1024,
        most=1 << 28,
    )
    stall_timeout_ms: int = _setting(
        30_000,
        "How long a client may leave a streamed answer unread before it is cut off: an open "
        "stream holds a snapshot.",
        unit="ms",
        least=1,
    )
    http_connections_max: int = _setting(
        1_000,
        "HTTP connections at once; more are answered 503. A gateway behind a proxy sees some "
        "hundred, and each may hold a stream.",
        unit="connections",
        least=1,
    )
    pg_connections_max: int = _setting(
        500,
        "Clients of the Postgres wire at once. Postgres has 100, but a connection costs no "
        "process here.",
        unit="connections",
        least=1,
    )
    keep_alive_ms: int = _setting(
        75_000,
        "How long an idle HTTP connection stays open. Longer than the 60 s of usual proxies, so "
        "that they close first and never send into a closing connection.",
        unit="ms",
        least=1,
    )
    grace_ms: int = _setting(
        10_000,
        "How long the gateway may take to end after SIGTERM; all but the last second of it running "
        "statements may finish. Within the 30 s after which "
        "Kubernetes kills, with time left to close the replicas.",
        unit="ms",
    )
    log_level: str = _setting("info", "Least level that is logged: debug, info, warning or error.")

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        for each in SETTINGS.values():
            _check(each, getattr(self, each.name))
        for name, choices in _CHOICES.items():
            if (value := getattr(self, name)) not in choices:
                raise _no_choice(name, value)
        self._check_access()

    def _check_access(self) -> None:
        if self.auth in {"scram", "password"} and not self.users:
            raise SettingsError(
                f'setting "auth" is "{self.auth}", but there are no users',
                hint="Name their file with --users; `stategate user add` makes one.",
            )
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise SettingsError("a certificate and its key go together", hint=_BOTH_HINT)
        if (self.tls_required or self.auth == "password") and not self.tls_certificate:
            raise SettingsError("TLS is asked for, but there is no certificate", hint=_BOTH_HINT)


_BOTH_HINT = "Set tls_certificate and tls_key."
_CHOICES = {
    "log_level": ("debug", "info", "warning", "error"),
    "auth": ("auto", "scram", "password", "trust"),
}


def _no_choice(name: str, value: object) -> SettingsError:
    *most, last = _CHOICES[name]
    return SettingsError(
        f'setting "{name}" cannot be "{value}"', hint=f"Use {', '.join(most)} or {last}."
    )


class Setting(NamedTuple):
    """One entry of the registry."""

    name: str
    kind: type[bool] | type[int] | type[str]
    default: bool | int | str
    about: str
    unit: str
    least: float
    most: float

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return ENVIRONMENT_PREFIX + self.name.upper()


def _registry() -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for each in fields(Settings):
        assert each.default is not MISSING, "every setting has a default"
        kind = type(each.default)
        assert kind in {bool, int, str}, "a setting is a truth value, a number or a text"
        found[each.name] = Setting(each.name, kind, each.default, **each.metadata)
    return found


SETTINGS: Mapping[str, Setting] = _registry()
"""All settings by name, in the order of the documentation."""


def load_settings(
    *,
    config: str | None = None,
    environment: Mapping[str, str] | None = None,
    overrides: Mapping[str, object] | None = None,
) -> Settings:
    """The settings from all sources.

    Args:
        config: a TOML file; without one, the file that STATEGATE_CONFIG names, if it is set.
        environment: variables; those of the process if it is None.
        overrides: from the command line; None values count as not given.

    Raises:
        SettingsError: a name is not known, a value does not parse or is out of range, or the file
            cannot be read.
    """
    variables = os.environ if environment is None else environment
    values: dict[str, _Value] = {}
    path = config or variables.get(CONFIG_VARIABLE)
    if path:
        values.update(_from_file(path))
    values.update(_from_environment(variables))
    given = {name: value for name, value in (overrides or {}).items() if value is not None}
    values.update({name: _parsed(name, value) for name, value in given.items()})
    return Settings(**values)  # type: ignore[arg-type] # _parsed gave each its field's type


def _from_file(path: str) -> dict[str, _Value]:
    try:
        with Path(path).open("rb") as file:
            document = tomllib.load(file)
    except OSError as error:
        raise SettingsError(f'cannot read the file "{path}": {error.strerror}') from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f'the file "{path}" is not TOML: {error}') from error
    return {name: _parsed(name, value) for name, value in document.items()}


def _from_environment(variables: Mapping[str, str]) -> dict[str, _Value]:
    return {
        name: _parsed(name, value)
        for variable, value in variables.items()
        if variable.startswith(ENVIRONMENT_PREFIX) and not _NOT_SETTINGS.fullmatch(variable)
        for name in [variable.removeprefix(ENVIRONMENT_PREFIX).lower()]
    }


def _parsed(name: str, value: object) -> _Value:
    setting = SETTINGS.get(name)
    if setting is None:
        near = difflib.get_close_matches(name, SETTINGS, n=1)
        hint = f'Did you mean "{near[0]}"?' if near else "`stategate settings` lists all."
        raise SettingsError(f'setting "{name}" does not exist', hint=hint)
    if setting.kind is str and isinstance(value, str):
        return value
    if setting.kind is int and isinstance(value, int) and not isinstance(value, bool):
        return value
    if setting.kind is int and isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}", value):
        return int(value)
    if setting.kind is bool:
        truth = value if isinstance(value, bool) else _TRUTHS.get(str(value).strip().lower())
        if truth is not None:
            return truth
    raise SettingsError(f'setting "{name}" cannot be {value!r}', hint=_TAKES[setting.kind])


_TRUTHS = {"true": True, "on": True, "yes": True, "1": True} | {
    "false": False,
    "off": False,
    "no": False,
    "0": False,
}
_TAKES = {bool: "It takes true or false.", int: "It takes a whole number.", str: "It takes a text."}


def _check(setting: Setting, value: _Value) -> None:
    if setting.kind is not int:
        return
    assert isinstance(value, int), "_parsed gave each its field's type"
    if not setting.least <= value <= setting.most:
        raise SettingsError(
            f'setting "{setting.name}" cannot be {value}',
            hint=f"It takes {setting.least:g} to {setting.most:g} {setting.unit}.",
        )


def parse_address(name: str, text: str) -> Address:
    """The address in a setting of the form HOST:PORT; an IPv6 host is written in brackets.

    Raises:
        SettingsError: it has another form.
    """
    found = re.fullmatch(r"(?:\[([0-9A-Fa-f:.%]+)\]|([^:\s\[\]]+)):([0-9]{1,5})", text)
    if found is None or int(found[3]) > 65_535:
        raise SettingsError(
            f'setting "{name}" cannot be "{text}"', hint="It takes HOST:PORT, e.g. 127.0.0.1:7420."
        )
    return Address(found[1] or found[2], int(found[3]))
