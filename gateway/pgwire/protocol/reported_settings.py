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
"""Settings that are reported as the session has them → the value if it has none."""


class ReportedSettings:
    """The settings that have been reported to one client.

    Args:
        server_version: e.g. `15.18`; clients choose their catalog queries by it.
    """

    __slots__ = ("_constant", "_reported")

    def __init__(self, *, server_version: str) -> None:
        # Values always have these styles, whatever the client has set, and a client parses values
        # by what is reported. Stores cannot become writable either.
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
        self._reported: Mapping[str, str] = {}

    def changed(self, session: Session) -> tuple[ParameterStatus, ...]:
        """Return the settings that changed since the last call; all of them at first."""
        current = {name: _value(session, name, default) for name, default in _REPORTED.items()}
        current.update(self._constant)
        current["session_authorization"] = session.user
        changed = tuple(
            ParameterStatus(name=name, value=value)
            for name, value in current.items()
            if self._reported.get(name) != value
        )
        self._reported = current
        return changed


def _value(session: Session, name: str, default: str) -> str:
    return session.settings.get(name.lower(), default)
