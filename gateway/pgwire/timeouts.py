"""How long a statement may run: the session's `statement_timeout`, within the server's limits."""

from __future__ import annotations

import re
from functools import lru_cache

from gateway.pgwire.limits import PgLimits
from planner.engine import QueryError

SETTING = "statement_timeout"
_DURATION = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*(us|ms|s|min|h|d)?\s*")
_UNIT_S = {"us": 1e-6, None: 1e-3, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}


@lru_cache(maxsize=256)
def parse_duration_s(text: str) -> float:
    """Seconds of a duration as PostgreSQL's settings have it: `250` (ms), `5s`, `1.5min`.

    Raises:
        QueryError: it is none (22023).
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise QueryError(
            f'invalid value for parameter "{SETTING}": "{text[:100]}"',
            hint='Valid units are "us", "ms", "s", "min", "h" and "d".',
            sqlstate="22023",
        )
    return float(found[1]) * _UNIT_S[found[2]]


def statement_timeout_s(setting: str | None, limits: PgLimits) -> float | None:
    """Seconds that a statement may run under a session's setting; None for as long as it likes.

    Raises:
        QueryError: the setting is no duration (22023).
    """
    wanted = limits.statement_timeout_s if setting is None else parse_duration_s(setting)
    most = limits.statement_timeout_max_s
    if wanted == 0:
        return most or None
    return min(wanted, most) if most else wanted
