"""Steps of planning change nodes of the tree, not nodes that have left it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlglot import exp

from stategate.planner.sql import SqlEngine
from stategate.planner.trees.nodes import N, Nodes, kinds
from stategate.planner.values.session import Session
from stategate.stores.spec.schema import Row
from tests.planner.sides import rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
SHOUTED = UUID.upper()
PLACES = keyvalue(
    "places",
    {"k": "text"},
    {"p": 'struct("x" double, "n" integer)', "b": "bytea", "u": "uuid", "t": "text[]"},
)
ROWS: list[Row] = [
    ("a", {"x": 1.5, "n": 2}, b"a", UUID, ["p"]),
    ("b", {"x": 0.5, "n": 3}, b"\0", None, None),
]


@pytest.fixture(scope="module")
def engine() -> Iterator[SqlEngine]:
    places = open_store(PLACES)
    fill(places, ROWS)
    made = SqlEngine(FixedCatalog(places))
    yield made
    made.close()


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        (f"SELECT u = E'{SHOUTED}' FROM places", [(True,), (None,)]),
        (f"SELECT k FROM places WHERE u IN (E'{{{SHOUTED}}}')", [("a",)]),
        ("SELECT t = E'{p}' FROM places", [(True,), (None,)]),
        (
            f"SELECT (CASE WHEN u = '{SHOUTED}' THEN p END).* FROM places",
            [(1.5, 2), (None, None)],
        ),
        ("SELECT ((true, 2) = ((1, 2) < (1, 3), 2), 4) < (true, 5)", [(True,)]),
        ("SELECT 1 OPERATOR(pg_catalog.=) (SELECT length(x) FROM lower('Q') x)", [(True,)]),
        ("SELECT count(*) FROM unnest(ARRAY(SELECT x FROM unnest('{1}'::int[], '{2}'::int[])"
         " AS u (x, y)), ARRAY[1])", [(1,)]),
    ],
)  # fmt: skip
def test_each_step_finds_nodes_of_earlier_steps(
    engine: SqlEngine, sql: str, rows: list[Row]
) -> None:
    assert rows_of(run(engine, sql)) == rows


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT (CASE WHEN b = '\\x61' AND u = E'{SHOUTED}' AND $1 THEN p END).* FROM places",
        "SELECT k FROM places WHERE k COLLATE \"C\" > $1 AND t @> E'{a}' AND k <> ANY('{a,b}')",
        "SELECT pg_catalog.upper(k::pg_catalog.text) FROM places WHERE t = '{a}'::pg_catalog._text",
        "SELECT k, (p).n FROM places ORDER BY (p).n FETCH FIRST 1 ROW WITH TIES",
        "SELECT * FROM unnest('{1}'::int[], ARRAY[$1]) u (a, b), jsonb_each('{}') j, lower('A') l",
        "SELECT k FROM places WHERE (k, b) >= ($1, '\\x61') AND (k, k) IN (('a', 'a'))",
        "SELECT coalesce(b, '\\x61'), k::varchar(1) FROM places NATURAL JOIN places q",
        "SELECT 1 UNION SELECT '2' EXCEPT (SELECT $1 OPERATOR(pg_catalog.+) 1 INTERSECT SELECT 3)",
    ],
)
def test_no_step_reads_replaced_nodes(
    engine: SqlEngine, sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, given = [], Nodes.of

    def of(self: Nodes, kind: type[N]) -> list[N]:
        found = given(self, kind)
        asked.append((kind, found, given(Nodes(self._tree), kind)))
        assert list(map(id, asked[-1][1])) == list(map(id, asked[-1][2])), kind
        return found

    monkeypatch.setattr(Nodes, "of", of)
    engine.prepare(sql, Session())
    assert {exp.Cast, exp.Literal, exp.Select} <= {kind for kind, *_ in asked}


def test_renew_finds_new_nodes() -> None:
    tree = exp.select("a", "b")
    nodes = Nodes(tree)
    assert [node.name for node in nodes.of(exp.Column)] == ["a", "b"]
    tree.expressions[0].replace(exp.column("c"))
    nodes.renew()
    assert [node.name for node in nodes.of(exp.Column)] == ["c", "b"]
    assert nodes.has(kinds(exp.Condition))
    assert exp.Select in nodes.types
