"""Plans by text: those used last are kept, each for one version of the catalog."""

from __future__ import annotations

from stategate.planner.statements.plan_cache import PlanCache
from stategate.planner.values.statement import Statement, StatementKind
from stategate.planner.values.times.time_settings import PLAIN_TIMES, time_settings
from stategate.stores.spec.schema import BIGINT

MADE = 1, PLAIN_TIMES


def shown(sql: str) -> Statement:
    return Statement(sql=sql, kind=StatementKind.SHOW)


def test_the_least_recently_used_plan_is_dropped_first() -> None:
    cache = PlanCache(statements_max=2)
    first, second, third = shown("SHOW a"), shown("SHOW b"), shown("SHOW c")
    cache.add(first.sql, (), MADE, first)
    cache.add(second.sql, (), MADE, second)
    assert cache.find(first.sql, (), MADE) is first
    cache.add(third.sql, (), MADE, third)
    assert cache.find(second.sql, (), MADE) is None
    assert cache.find(first.sql, (), MADE) is first


def test_types_version_and_time_settings_are_part_of_the_key() -> None:
    cache = PlanCache(statements_max=2)
    planned = shown("SHOW a")
    cache.add(planned.sql, (BIGINT,), MADE, planned)
    assert cache.find(planned.sql, (BIGINT,), MADE) is planned
    assert cache.find(planned.sql, (), MADE) is None
    assert cache.find(planned.sql, (BIGINT,), (2, PLAIN_TIMES)) is None
    elsewhere = time_settings("Europe/Berlin", None)
    assert cache.find(planned.sql, (BIGINT,), (1, elsewhere)) is None
