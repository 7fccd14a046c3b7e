"""Plans by text: those used last are kept, each for one version of the catalog."""

from __future__ import annotations

from planner.statements.plan_cache import PlanCache
from planner.values.statement import Statement, StatementKind
from stores.spec.schema import BIGINT


def shown(sql: str) -> Statement:
    return Statement(sql=sql, kind=StatementKind.SHOW)


def test_the_least_recently_used_plan_is_dropped_first() -> None:
    cache = PlanCache(statements_max=2)
    first, second, third = shown("SHOW a"), shown("SHOW b"), shown("SHOW c")
    cache.add(first.sql, (), 1, first)
    cache.add(second.sql, (), 1, second)
    assert cache.find(first.sql, (), 1) is first
    cache.add(third.sql, (), 1, third)
    assert cache.find(second.sql, (), 1) is None
    assert cache.find(first.sql, (), 1) is first


def test_types_and_version_are_part_of_the_key() -> None:
    cache = PlanCache(statements_max=2)
    planned = shown("SHOW a")
    cache.add(planned.sql, (BIGINT,), 1, planned)
    assert cache.find(planned.sql, (BIGINT,), 1) is planned
    assert cache.find(planned.sql, (), 1) is None
    assert cache.find(planned.sql, (BIGINT,), 2) is None
