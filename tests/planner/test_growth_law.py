"""The law of growth: planning a statement of twice the size takes at most four times the steps.

Steps are calls of Python functions, so that no clock decides. A step that visits a part of a tree
twice doubles them with each level of it, which is seen at once. Between two checkpoints there are
few steps, so that a statement's end also ends its planning.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.errors import QueryCancelledError, QueryError
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from tests.planner.sides import Sides
from tests.planner.world import world
from tests.support.stores import FixedCatalog

DEPTH, LENGTH = 8, 48
"""The smaller size of nested statements, and of lists; the larger one is twice as large."""
GROWTH_MAX = 5.0
"""How many times the steps may grow when the size doubles: n² and what all statements need."""
STEPS_MAX = 12_000
"""Steps between two checkpoints: some ten milliseconds."""
NUMBERS = itertools.count()

Grow = Callable[[str, int], str]
QUERIES: dict[str, Grow] = {
    "derived": lambda q, k: f"SELECT n FROM ({q}) AS s{k}",
    "star": lambda q, k: f"SELECT * FROM ({q}) AS s{k}",
    "qualified star": lambda q, k: f"SELECT s{k}.* FROM ({q}) AS s{k}",
    "computed": lambda q, k: f"SELECT n + {k} AS n FROM ({q}) AS s{k} WHERE n > {k}",
    "renamed": lambda q, k: f"SELECT m AS n FROM ({q}) AS s{k} (m)",
    "union left": lambda q, k: f"{q} UNION ALL SELECT {k} AS n",
    "union right": lambda q, k: f"SELECT {k} AS n UNION ({q})",
    "except": lambda q, k: f"({q}) EXCEPT SELECT {k}",
    "intersect": lambda q, k: f"SELECT age AS n FROM people INTERSECT ALL ({q})",
    "member": lambda q, k: f"SELECT age AS n FROM people WHERE age IN ({q})",
    "scalar": lambda q, k: f"SELECT ({q} LIMIT 1) AS n FROM people",
    "exists": lambda q, k: (
        f"SELECT age AS n FROM people WHERE EXISTS (SELECT FROM ({q}) AS s{k} WHERE n = age)"
    ),
    "joined": lambda q, k: f"SELECT s{k}.n FROM ({q}) AS s{k} JOIN people AS p{k} ON age = s{k}.n",
    "lateral": lambda q, k: f"SELECT s{k}.n FROM people CROSS JOIN LATERAL ({q}) AS s{k}",
    "grouped": lambda q, k: f"SELECT max(n) AS n FROM ({q}) AS s{k} GROUP BY n",
    "ordered": lambda q, k: f"(SELECT n FROM ({q}) AS s{k} ORDER BY n LIMIT {k + 5})",
    "common": lambda q, k: f"(WITH c{k} AS ({q}) SELECT n FROM c{k})",
    "read twice": lambda q, k: (
        f"(WITH c{k} AS ({q}) SELECT a.n FROM c{k} AS a JOIN c{k} AS b ON a.n = b.n)"
    ),
}
"""What makes a larger query of a query with the column n."""
EXPRESSIONS: dict[str, Grow] = {
    "sum": lambda x, k: f"{x} + {k}",
    "product": lambda x, k: f"({x}) * ({k} - age)",
    "case": lambda x, k: f"CASE WHEN age = {k} THEN {k} ELSE {x} END",
    "simple case": lambda x, k: f"CASE {x} WHEN {k} THEN age END",
    "coalesce": lambda x, k: f"coalesce({x}, {k})",
    "greatest": lambda x, k: f"greatest({x}, age, {k})",
    "cast": lambda x, k: f"({x})::bigint",
    "call": lambda x, k: f"abs({x})",
    "negative": lambda x, k: f"- ({x})",
    "array": lambda x, k: f"(ARRAY[{x}, {k}])[1]",
    "call like a type": lambda x, k: f"int8({x})",
}
"""What makes a larger expression of a number."""


def _joined(sign: str, make: Callable[[int], str]) -> Callable[[int], str]:
    return lambda size: sign.join(map(make, range(size)))


_AGES = _joined(" OR ", lambda k: f"(age = {k} AND score = {k}.5)")
_ROWS = _joined(", ", lambda k: f"({k}, 'n{k}', {k}.5)")
LISTS: dict[str, Callable[[int], str]] = {
    "union": _joined(" UNION ", lambda k: f"SELECT {k} % 3 AS n"),
    "union of reads": _joined(
        " UNION ALL ", lambda k: f"SELECT name, age FROM people WHERE age = {k}"
    ),
    "union of catalogs": _joined(
        " UNION ALL ", lambda k: f"SELECT relname, oid FROM pg_class WHERE oid = {k}"
    ),
    "in": lambda n: f"SELECT 1 FROM people WHERE age IN ({_joined(', ', str)(n)})",
    "not in": lambda n: f"SELECT 1 FROM people WHERE age NOT IN ({_joined(', ', str)(n)})",
    "rows in": lambda n: f"SELECT 1 FROM people WHERE (age, name, score) IN ({_ROWS(n)})",
    "values": lambda n: f"SELECT * FROM (VALUES {_ROWS(n)}) AS v (a, b, c)",
    "or": lambda n: f"SELECT 1 FROM people WHERE {_AGES(n)}",
    "or of values": lambda n: f"SELECT 1 FROM (VALUES (1, 2)) AS v (age, score) WHERE {_AGES(n)}",
    "and": lambda n: "SELECT 1 FROM people WHERE " + _joined(" AND ", "age <> {}".format)(n),
    "columns": lambda n: "SELECT " + _joined(", ", "age + {}".format)(n) + " FROM people",
    "columns of one name": lambda n: (
        f"SELECT 1 FROM (SELECT {_joined(', ', 'age + {} AS c'.format)(n)} FROM people) AS s"
    ),
    "columns of columns": lambda n: (
        f"SELECT {_joined(', ', 'c{}'.format)(n)} FROM "
        f"(SELECT {_joined(', ', lambda k: f'age + {k} AS c{k}')(n)} FROM people) AS s"
    ),
    "group": lambda n: (
        f"SELECT {_joined(', ', 'age + {}'.format)(n)} FROM people "
        f"GROUP BY {_joined(', ', 'age + {}'.format)(n)}"
    ),
    "order": lambda n: "SELECT 1 FROM people ORDER BY " + _joined(", ", "age + {}".format)(n),
    "windows": lambda n: (
        "SELECT " + _joined(", ", "sum(age) OVER (ORDER BY age + {})".format)(n) + " FROM people"
    ),
    "pattern": lambda n: f"SELECT 1 FROM people WHERE name ~ '^{'a[bc]' * 50 * n}'",
    "pattern of a set": lambda n: f"SELECT 1 FROM people WHERE name ~* '[{'ab' * 50 * n}]'",
    "pattern of SQL": lambda n: f"SELECT 1 FROM people WHERE name SIMILAR TO '{'a_' * 50 * n}'",
    "case": lambda n: (
        f"SELECT CASE {_joined(' ', lambda k: f'WHEN age = {k} THEN {k}')(n)} END FROM people"
    ),
    "parameters": lambda n: (
        "SELECT 1 FROM people WHERE age IN (" + _joined(", ", lambda k: f"${k + 1}")(n) + ")"
    ),
    "concatenation": lambda n: "SELECT name" + _joined("", " || 'x{}'".format)(n) + " FROM people",
    "array": lambda n: f"SELECT ARRAY[{_joined(', ', str)(n)}]",
    "common tables": lambda n: (
        "WITH c0 AS (SELECT age AS n FROM people)"
        + _joined("", lambda k: f", c{k + 1} AS (SELECT n FROM c{k} UNION SELECT n FROM c{k})")(
            n // 4
        )
        + f" SELECT n FROM c{n // 4}"
    ),
    "subqueries": lambda n: (
        "SELECT 1 FROM people AS p WHERE "
        + _joined(" AND ", lambda k: f"EXISTS (SELECT FROM people AS q WHERE q.age = p.age + {k})")(
            n
        )
    ),
}
"""Statements with a list of a given length."""


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    opened = world()
    opened.engine.warm_up()
    yield opened
    opened.close()


def nested(kinds: Sequence[Grow], start: str, size: int) -> str:
    grown = start
    for k, grow in enumerate(itertools.islice(itertools.cycle(kinds), size)):
        grown = grow(grown, k)
    return grown


class Watched(Cancellation):
    """Counts the steps of planning, and notes the most between two checkpoints.

    Args:
        ends_at: the number of the check that ends the statement; None lets it go on.
    """

    def __init__(self, ends_at: int | None = None) -> None:
        super().__init__()
        self.ends_at = ends_at
        self.steps, self.checks, self.most, self._last = 0, 0, 0, 0

    def check(self) -> None:
        self.checks += 1
        self.most, self._last = max(self.most, self.steps - self._last), self.steps
        if self.checks == self.ends_at:
            self.cancel()
        super().check()

    def note(self, frame: FrameType, event: str, argument: object) -> None:
        self.steps += event == "call"

    @contextmanager
    def counting(self) -> Iterator[None]:
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)


def planned(engine: SqlEngine, sql: str) -> Watched:
    """Plan a statement, or as much of it as can be planned."""
    watched = Watched()
    try:
        with watched.counting():
            engine.prepare(sql, Session(), cancellation=watched)
    except QueryError:
        pass  # the steps until then count
    return watched


def require_growth(engine: SqlEngine, build: Callable[[int], str], size: int) -> None:
    # The first plan of a kind may fill a cache.
    planned(engine, f"{build(size)} ")
    small, large = planned(engine, build(size)), planned(engine, build(2 * size))
    assert large.steps <= GROWTH_MAX * small.steps


@given(kinds=st.lists(st.sampled_from(sorted(QUERIES)), min_size=1, max_size=3))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nested_queries(sides: Sides, kinds: list[str]) -> None:
    grow = [QUERIES[kind] for kind in kinds]
    require_growth(sides.engine, lambda n: nested(grow, "SELECT 1 AS n", n), DEPTH)


@given(kinds=st.lists(st.sampled_from(sorted(EXPRESSIONS)), min_size=1, max_size=3))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nested_expressions(sides: Sides, kinds: list[str]) -> None:
    grow = [EXPRESSIONS[kind] for kind in kinds]
    require_growth(sides.engine, lambda n: f"SELECT {nested(grow, 'age', n)} FROM people", DEPTH)


@pytest.mark.parametrize("kind", LISTS)
def test_lists(sides: Sides, kind: str) -> None:
    require_growth(sides.engine, LISTS[kind], LENGTH)


@pytest.mark.parametrize("kind", LISTS)
def test_checkpoints_are_close_to_each_other(sides: Sides, kind: str) -> None:
    assert planned(sides.engine, f"{LISTS[kind](2 * LENGTH)}  ").most <= STEPS_MAX


@given(kind=st.sampled_from(sorted(LISTS)), share=st.floats(0, 1, exclude_max=True))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_statement_that_ends_is_planned_no_longer(sides: Sides, kind: str, share: float) -> None:
    # Each text is new, as plans are kept.
    first, second = (f"SELECT * FROM ({LISTS[kind](LENGTH)}) AS q{next(NUMBERS)}" for _ in "ab")
    total = planned(sides.engine, first).checks
    ended = Watched(ends_at=1 + int(share * total))
    with pytest.raises(QueryCancelledError):
        sides.engine.prepare(second, Session(), cancellation=ended)


def test_a_statement_is_listed_while_it_is_planned(sides: Sides) -> None:
    queries = RunningQueries(lambda: 0)
    engine = SqlEngine(FixedCatalog(*sides.stores), queries=queries)
    seen: set[str] = set()

    class Listing(Cancellation):
        def check(self) -> None:
            seen.update(each.sql for each in queries.own())

    try:
        for sql in ("SELECT 3 AS three UNION SELECT 4", "EXPLAIN SELECT name FROM people"):
            seen.clear()
            engine.prepare(sql, Session(), cancellation=Listing())
            assert seen == {sql}
            assert not queries.own()
    finally:
        engine.close()
