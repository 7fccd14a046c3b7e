"""The settings that PostgreSQL reports to its clients: at first all, then what has changed."""

from __future__ import annotations

from collections.abc import Mapping

from gateway.pgwire.protocol.messages import ParameterStatus
from planner.engine import Session

_REPORTED = {
    "application_name": "",
    "client_encoding": "UTF8",
    "TimeZone": "UTC",
}
"""Settings that are told as the session has them, with their value where it has none."""


class ReportedSettings:
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

    def changed(self, session: Session) -> tuple[ParameterStatus, ...]:
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
