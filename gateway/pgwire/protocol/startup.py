"""What a client says when it connects, and the settings that it is told in return.

Startup parameters become settings of the session. Those that PostgreSQL reports are reported, at
first and after every statement that may have changed one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from gateway.pgwire.protocol.messages import ParameterStatus, StartupMessage
from planner.engine import QueryError, Session, check_settings

_NO_SETTINGS = frozenset({"user", "options", "replication"})
_OPTION = re.compile(r"(?:-c\s*|--)([\w.-]+)=(.*)", re.DOTALL)
_UTF8_NAMES = frozenset({"utf8", "unicode"})
_NOT_A_PROTOCOL_OPTION = "_pq_."


def unknown_options(message: StartupMessage) -> tuple[str, ...]:
    """The protocol extensions that a client asks for: we know none."""
    return tuple(name for name, _ in message.parameters if name.startswith(_NOT_A_PROTOCOL_OPTION))


def open_session(message: StartupMessage) -> Session:
    """The session of a client.

    Raises:
        QueryError: no user (28000), a setting that cannot be had (22023), or a replication
            connection (0A000). It ends the connection.
    """
    parameters = dict(message.parameters)
    user = parameters.get("user", "")
    if not user:
        raise QueryError("no user name specified in startup packet", sqlstate="28000")
    if parameters.get("replication", "false").lower() not in {"false", "off", "no", "0"}:
        raise QueryError("replication connections are not supported", sqlstate="0A000")
    settings = {"database": parameters.get("database") or user}
    settings.update(parse_options(parameters.get("options", "")))
    for name, value in parameters.items():
        if name not in _NO_SETTINGS and not name.startswith(_NOT_A_PROTOCOL_OPTION) and value:
            settings[name.lower()] = value
    if "client_encoding" in settings:
        settings["client_encoding"] = _encoding(settings["client_encoding"])
    check_settings(settings)
    return Session(settings=settings, user=user)


def parse_options(options: str) -> dict[str, str]:
    r"""The settings in an `options` parameter, e.g. `-c a=b --stategate.wait=5s`.

    A backslash keeps the blank, or backslash, behind it from ending a setting.

    Raises:
        QueryError: something else than settings (22023).
    """
    words = re.findall(r"(?:\\.|[^\s\\])+", options)
    settings: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        if word == "-c" and at + 1 < len(words):
            at += 1
            word += words[at]
        found = _OPTION.fullmatch(re.sub(r"\\(.)", r"\1", word))
        if found is None:
            raise QueryError(
                f'invalid command-line argument for server process: "{word[:100]}"',
                hint="Only settings are taken, as -c name=value.",
                sqlstate="22023",
            )
        name = found[1] if word.startswith("-c") else found[1].replace("-", "_")
        settings[name.lower()] = found[2]
        at += 1
    return settings


def _encoding(name: str) -> str:
    """The canonical name of a client encoding.

    SQL_ASCII means bytes as they are, which ours are, in UTF-8.

    Raises:
        QueryError: neither of the two (22023).
    """
    folded = re.sub(r"[^a-z0-9]", "", name.lower())
    if folded in _UTF8_NAMES:
        return "UTF8"
    if folded == "sqlascii":
        return "SQL_ASCII"
    raise QueryError(
        f'invalid value for parameter "client_encoding": "{name[:100]}"',
        hint="Only UTF8 is spoken.",
        sqlstate="22023",
    )


_REPORTED = {
    "application_name": "",
    "client_encoding": "UTF8",
    "TimeZone": "UTC",
}
"""Settings that are told as the session has them, with their value where it has none."""


class Reports:
    """The settings that one client has been told.

    Args:
        server_version: e.g. `15.18`; clients choose their catalog queries by it.
    """

    __slots__ = ("_constant", "_told")

    def __init__(self, *, server_version: str) -> None:
        # Values always go out in these styles, whatever the client has asked for: it must parse
        # what it gets, not what it wished for. Nor does anybody's wish make a store writable.
        self._constant = {
            "server_version": server_version,
            "server_encoding": "UTF8",
            "DateStyle": "ISO, MDY",
            "IntervalStyle": "postgres",
            "integer_datetimes": "on",
            "standard_conforming_strings": "on",
            "default_transaction_read_only": "on",
            "is_superuser": "off",
            "in_hot_standby": "off",
        }
        self._told: Mapping[str, str] = {}

    def news(self, session: Session) -> tuple[ParameterStatus, ...]:
        """What has changed since it was told last; everything at first."""
        current = {name: _value(session, name, default) for name, default in _REPORTED.items()}
        current.update(self._constant)
        current["session_authorization"] = session.user
        changed = tuple(
            ParameterStatus(name=name, value=value)
            for name, value in current.items()
            if self._told.get(name) != value
        )
        self._told = current
        return changed


def _value(session: Session, name: str, default: str) -> str:
    return session.settings.get(name.lower(), default)
