from __future__ import annotations

import pytest

from stategate.gateway.pgwire.protocol.limits import PgLimits, idle_timeout_s, statement_timeout_s

LIMITS = PgLimits(statement_timeout_s=60, statement_timeout_max_s=100)


@pytest.mark.parametrize(("setting", "seconds"), [(None, 60), ("5s", 5), ("0", 100), ("500s", 100)])
def test_the_server_limits_the_settings_of_sessions(setting: str | None, seconds: float) -> None:
    assert statement_timeout_s(setting, LIMITS) == seconds


def test_limits_may_be_absent() -> None:
    limits = PgLimits(statement_timeout_s=0, statement_timeout_max_s=0)
    assert statement_timeout_s(None, limits) is None
    assert statement_timeout_s("0", limits) is None
    assert statement_timeout_s("5s", limits) == 5


@pytest.mark.parametrize(
    ("granted_s", "wanted", "seconds"),
    [(0, None, None), (0, "5s", 5), (60, None, 60), (60, "0", 60), (60, "5s", 5), (60, "2h", 60)],
)
@pytest.mark.parametrize("inside", [False, True])
def test_a_session_can_ask_to_be_idle_for_less(
    inside: bool, granted_s: float, wanted: str | None, seconds: float | None
) -> None:
    name = "idle_in_transaction_session_timeout" if inside else "idle_session_timeout"
    settings = {} if wanted is None else {name: wanted}
    limits = PgLimits(idle_timeout_s=granted_s, idle_in_transaction_timeout_s=granted_s)
    assert idle_timeout_s(settings, limits, in_transaction=inside) == seconds
