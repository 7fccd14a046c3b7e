"""The laws of `binding.outer_joins`: any tree of joins has the rows that DuckDB finds.

Each statement is a tree of joins of every kind, in parentheses or not, of stores, derived tables,
common table expressions and LATERAL. WHERE and each ON draw conditions on every side: comparisons
with values and with columns, lists, ranges, NULLs, alternatives, and subqueries on a column.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.stores.spec.schema import Row
from tests.planner.sides import Sides, build, ordered
from tests.support.stores import keyvalue

STORES: dict[str, Sequence[Row]] = {
    "a": [(n, (n * 3) % 7 if n % 4 else None, n % 3) for n in range(12)],
    "b": [(n * 2, n % 5 if n % 3 else None, n % 4 if n % 5 else None) for n in range(10)],
    "few": [(1, 0, 1), (2, 5, None), (7, None, 2)],
}
"""Rows of id, i and j, which have some values in common."""
COLUMNS = ("id", "i", "j")
KINDS = (*("JOIN",) * 2, *("LEFT JOIN",) * 4, *("RIGHT JOIN",) * 3, *("FULL JOIN",) * 2)


@pytest.fixture(scope="module")
def sides(shared_process: None) -> Iterator[Sides]:
    schemas = [
        keyvalue(name, {"id": "integer"}, {"i": "integer", "j": "integer"}) for name in STORES
    ]
    made = build(schemas, STORES)
    yield made
    made.close()


@dataclass
class Drawing:
    """What a statement has so far."""

    chance: random.Random
    with_: list[str] = field(default_factory=list)
    names: int = 0

    def name(self) -> str:
        self.names += 1
        return f"t{self.names}"

    def one_of(self, *values: str) -> str:
        return self.chance.choice(values)

    def may(self, one_in: int) -> bool:
        return not self.chance.randrange(one_in)

    # FROM

    def tree(self, joins: int) -> tuple[str, list[str]]:
        """Draw a tree of joins; return it with the names that it makes."""
        if not joins:
            return self._item()
        left = self.chance.randrange(joins)
        one, ours = self._side(left, right=False)
        if self.may(8):
            lateral, name = self._lateral(ours)
            return f"{one} {lateral}", [*ours, name]
        other, theirs = self._side(joins - 1 - left, right=True)
        names = [*ours, *theirs]
        if self.may(10):
            return f"{one} CROSS JOIN {other}", names
        kind = self.one_of(*KINDS)
        equal = self._equality(ours, theirs)
        # PostgreSQL joins FULL by equalities alone.
        on = equal if kind == "FULL JOIN" or not self.may(3) else f"{equal} AND {self.where(names)}"
        if kind == "JOIN" and self.may(4):
            on = self.where(names)
        return f"{one} {kind} {other} ON {on}", names

    def _side(self, joins: int, *, right: bool) -> tuple[str, list[str]]:
        made, names = self.tree(joins)
        return (f"({made})" if joins and (right or self.may(2)) else made), names

    def _item(self) -> tuple[str, list[str]]:
        name, store = self.name(), self.one_of("a", "a", "b", "few")
        if not self.may(4):
            return f"{store} AS {name}", [name]
        inner = self.one_of(
            f"SELECT * FROM {store} s WHERE {self.where(['s'])}",
            "SELECT u.id, u.i, s.j FROM a u LEFT JOIN b s ON u.i = s.i AND s.j > 0",
            "SELECT s.id, u.i, s.j FROM a u RIGHT JOIN b s ON u.id = s.id",
            f"SELECT id, i, max(j) AS j FROM {store} GROUP BY id, i",
            f"SELECT DISTINCT * FROM {store}",
        )
        if self.may(2):
            return f"({inner}) AS {name}", [name]
        self.with_.append(f"c{name} AS ({inner})")
        return f"c{name} AS {name}", [name]

    def _lateral(self, outer: Sequence[str]) -> tuple[str, str]:
        name, kind = self.name(), self.one_of("JOIN", "LEFT JOIN")
        store = self.one_of("a", "b", "few")
        inner = f"SELECT * FROM {store} s WHERE s.id = {self._column(outer)}"
        on = self.one_of("true", f"{name}.j > 0", self._equality(outer, [name]))
        return f"{kind} LATERAL ({inner}) AS {name} ON {on}", name

    # Conditions

    def where(self, names: Sequence[str], depth: int = 2) -> str:
        """Draw a condition on columns of these items."""
        if depth:
            parts = [self.where(names, depth - 1) for _ in range(self.chance.randint(1, 3))]
            word = self.one_of(" AND ", " AND ", " AND ", " OR ")
            return f"({word.join(parts)})" if len(parts) > 1 else parts[0]
        column = self._column(names)
        condition = self.one_of(
            *(f"{column} = {value}" for value in (1, 2, 7)),
            f"{column} IN (0, 2, 5, 7)",
            f"{column} > 1",
            f"{column} BETWEEN 1 AND 4",
            f"{column} <> 2",
            *(f"{column} IS NULL",) * 3,
            *(f"{column} IS NOT NULL",) * 2,
            f"{column} IS NOT DISTINCT FROM NULL",
            f"coalesce({column}, 2) = 2",
            f"{column} {self.one_of('=', '=', '<', '>=', '<>')} {self._column(names)}",
        )
        if self.may(8):
            other = self._column(names)
            condition = self.one_of(
                f"{column} IN (SELECT q.id FROM few q)",
                f"{column} IN (SELECT q.i FROM b q WHERE q.j = {other})",
                f"{column} NOT IN (SELECT q.id FROM few q WHERE q.i > 2)",
                f"EXISTS (SELECT 1 FROM b q WHERE q.id = {column} AND q.j > 0)",
                f"NOT EXISTS (SELECT 1 FROM a q WHERE q.i = {column})",
                f"(SELECT count(*) FROM a q WHERE q.id = {column}) = 0",
            )
        return f"NOT ({condition})" if self.may(12) else condition

    def on_each(self, names: Sequence[str]) -> str:
        """Draw conditions on two items or three, some of them that a match is missing."""
        some = self.chance.sample(names, min(len(names), self.chance.randint(2, 3)))
        return " AND ".join(
            f"{self._column([name])} IS NULL" if self.may(2) else self.where([name], 0)
            for name in some
        )

    def _equality(self, ours: Sequence[str], theirs: Sequence[str]) -> str:
        if self.may(4):
            return f"{self._column(ours)} = {self._column(theirs)}"
        column = self.one_of("id", "i")
        return f"{self.one_of(*ours)}.{column} = {self.one_of(*theirs)}.{column}"

    def _column(self, names: Sequence[str]) -> str:
        return f"{self.one_of(*names)}.{self.one_of('id', *COLUMNS)}"


def statement(chance: random.Random) -> str:
    drawing = Drawing(chance)
    from_, names = drawing.tree(chance.choice((1, 1, 2, 2, 3, 4)))
    if drawing.may(8):
        more, others = drawing.tree(1)
        from_, names = f"{from_}, {more}", [*names, *others]
    draw = drawing.on_each if chance.random() < 0.7 else drawing.where
    where = f" WHERE {draw(names)}" if not drawing.may(8) else ""
    listed = ", ".join(f"{name}.{column}" for name in names for column in ("id", "i"))
    head = f"WITH {', '.join(drawing.with_)} " if drawing.with_ else ""
    return f"{head}SELECT {listed} FROM {from_}{where}"


@settings(
    max_examples=settings().max_examples * 3,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(seed=st.integers(0, 1 << 32))
def test_joins_with_conditions_on_every_side_have_all_their_rows(sides: Sides, seed: int) -> None:
    sql = statement(random.Random(seed))
    try:
        wanted = sides.theirs(sql)
    except duckdb.Error:  # a subquery in the ON of an outer join, for example
        with pytest.raises(QueryError):
            sides.ours(sql)
        return
    assert ordered(sides.ours(sql)) == ordered(wanted), sql
