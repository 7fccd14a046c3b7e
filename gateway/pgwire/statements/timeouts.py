"""How long a statement may run and a client may be idle, by session settings and server limits."""

from __future__ import annotations

from collections.abc import Mapping

from gateway.pgwire.protocol.limits import PgLimits
from planner.engine import duration_ms

SETTING = "statement_timeout"
_IDLE = "idle_session_timeout"
_IDLE_IN_TRANSACTION = "idle_in_transaction_session_timeout"


def statement_timeout_s(setting: str | None, limits: PgLimits) -> float | None:
    """Return the seconds that a statement may run under a session's setting; None for ever.

    Raises:
        QueryError: the setting is not a duration (22023).
    """
    wanted = limits.statement_timeout_s if setting is None else _seconds(SETTING, setting)
    most = limits.statement_timeout_max_s
    if wanted == 0:
        return most or None
    return min(wanted, most) if most else wanted


def idle_timeout_s(
    settings: Mapping[str, str], limits: PgLimits, *, in_transaction: bool
) -> float | None:
    """Return the seconds that a client may be silent; None for ever.

    A session can set less than the server's limit, not more.
    """
    name = _IDLE_IN_TRANSACTION if in_transaction else _IDLE
    granted = limits.idle_in_transaction_timeout_s if in_transaction else limits.idle_timeout_s
    wanted = _seconds(name, settings[name]) if name in settings else 0.0
    return min((each for each in (granted, wanted) if each > 0), default=None)


def _seconds(name: str, text: str) -> float:
    return duration_ms(name, text) / 1000
