"""The law of the first rows by time: they are those that DuckDB finds among all rows."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.planning.plan import Lookup, QueryPlan, accesses_of
from stategate.planner.planning.scatter import scatterer
from stategate.planner.values.session import Session
from stategate.stores.engines.rocksdb import column_arrays, column_ends
from stategate.stores.engines.rocksdb.column_budget import ColumnBudget
from stategate.stores.engines.rocksdb.partition import RocksPartition
from stategate.stores.spec.result import Success
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from tests.planner.sides import Sides, build, comparable, looked_up
from tests.support.stores import timed, window

EXAMPLES = settings().max_examples
MINUTE_US = 60_000_000
VALUES = {"v": "bigint"}
SCHEMAS = [
    window("w", {"k": "text"}, VALUES, partitions=3, size_ms=60_000),
    window("w", {"k": "text"}, VALUES, partitions=1, size_ms=60_000),
    timed(StoreKind.SESSION, "w", {"k": "text"}, VALUES, partitions=3),
]
KEYS = st.sampled_from(["a", "b", "c", "d", "e", "f"])
# Some are a thousand windows apart, and so in different segments.
MINUTES = st.one_of(st.integers(-4, 12), st.sampled_from([2000, 2001, 5000]))
TABLES = st.dictionaries(
    st.tuples(KEYS, MINUTES, st.integers(0, 2)),
    st.one_of(st.none(), st.integers(-2, 2)),
    max_size=40,
)
WHERES = ["", "", " WHERE v > 0", " WHERE k = 'a'", " WHERE k IN ('a', 'b', 'c')", " WHERE k > 'b'"]
WHERES += [f" WHERE window_start {sign} '1970-01-01 00:03:00+00'" for sign in ("<", ">=")]


@st.composite
def statements(draw: st.DrawFn) -> tuple[str, int]:
    """Draw a statement, and the number of its last columns whose order it decides."""
    direction = draw(st.sampled_from(["", " DESC", " DESC NULLS LAST"]))
    time = draw(st.sampled_from(["window_end", "window_start"]))
    more = draw(st.lists(st.sampled_from(["k", "v"]), unique=True, max_size=2))
    terms = [f"{time}{direction}", *(f"{m}{draw(st.sampled_from(['', ' DESC']))}" for m in more)]
    named = [time, *more]
    columns = [*({"k", "v", "window_start", "window_end"} - set(named)), *named]
    if draw(st.sampled_from([True, False, False])):
        columns[0] += " AS other, upper(k)"  # composed by DuckDB
    cut = f" LIMIT {draw(st.integers(0, 6))}" + draw(st.sampled_from(["", " OFFSET 2"]))
    where = draw(st.sampled_from(WHERES))
    sql = f"SELECT {', '.join(columns)} FROM w{where} ORDER BY {', '.join(terms)}"
    return f"{sql}{cut}", len(named)


def rows_in(schema: StoreSchema, table: dict[tuple[str, int, int], int | None]) -> list[Row]:
    found: dict[Row, Row] = {}
    for (key, minute, length), value in table.items():
        start = minute * MINUTE_US
        size = MINUTE_US * (length if schema.kind is StoreKind.SESSION else 1)
        found[key, start, start + size] = (key, start, start + size, value)
    return list(found.values())


def check(sides: Sides, sql: str, decided: int) -> None:
    """Check a statement; LIMIT may keep any of the rows that are equal in the order."""
    whole = sides.theirs(sql[: sql.index(" LIMIT")])
    wanted = sides.theirs(sql)
    given_ = [sides.ours(sql)]
    session = Session()
    found = looked_up(sides.engine.prepare(sql, session), (), session)
    given_ += [] if found is None else [[comparable(row) for row in found]]
    for rows in given_:
        assert [row[-decided:] for row in rows] == [row[-decided:] for row in wanted]
        assert len(set(rows)) == len(rows)
        assert set(rows) <= set(whole)


@pytest.fixture
def short_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_ends, "END_ROWS", 4)
    monkeypatch.setattr(column_arrays, "END_ROWS", 4)


def maintain(sides: Sides) -> None:
    for store in sides.stores:
        for replica in store.replicas.values():
            assert isinstance(replica.engine, RocksPartition)
            replica.engine.maintain(lambda: False)


@pytest.mark.usefixtures("short_ends")
@settings(max_examples=EXAMPLES // 12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    schema=st.sampled_from(SCHEMAS),
    table=TABLES,
    asked=st.lists(statements(), min_size=4, max_size=8),
    is_kept=st.booleans(),
)
def test_the_first_rows_are_those_of_all_rows(
    schema: StoreSchema,
    table: dict[tuple[str, int, int], int | None],
    asked: list[tuple[str, int]],
    is_kept: bool,
) -> None:
    with tempfile.TemporaryDirectory() as directory:
        columns = ColumnBudget(1 << 20) if is_kept else None
        rows = {"w": rows_in(schema, table)}
        with closing(build([schema], rows, Path(directory), columns=columns)) as sides:
            for sql, decided in asked:
                check(sides, sql, decided)
            if is_kept:
                maintain(sides)
                for sql, decided in asked:
                    check(sides, sql, decided)


@pytest.mark.parametrize(
    ("where", "limit"),
    [(f" WHERE window_start {sign} '1970-01-01 00:03:00+00'", 2) for sign in ("<", ">")]
    + [("", None), ("", 2_000_000), ("", 2)],
)
@pytest.mark.parametrize("direction", ["ASC", "DESC"])
def test_kept_columns_are_read_even_if_all_rows_are_needed(
    tmp_path: Path, where: str, limit: int | None, direction: str
) -> None:
    """They are needed if rows are dropped after the read, because queries count in milliseconds."""
    rows = {"w": [("a", at * MINUTE_US, (at + 1) * MINUTE_US, at) for at in range(20)]}
    sql = f"SELECT v FROM w{where} ORDER BY window_start {direction} LIMIT $1"
    with closing(build([SCHEMAS[1]], rows, tmp_path, columns=ColumnBudget(1 << 20))) as sides:
        maintain(sides)
        assert sides.ours(sql, (limit,)) == sides.theirs(sql, (limit,))
        plan = sides.engine.prepare(sql, Session()).plan
        assert isinstance(plan, QueryPlan)
        assert not isinstance(plan.node, Lookup)
        (access,) = accesses_of(plan.node)
        assert access.by_time is not None
        ((_, query),) = scatterer(access, lambda key: 0)((limit,)).targets
        answer = sides.stores[0].query_partition(0, query)
        assert isinstance(answer, Success)
        assert answer.value.rows_in_memory is not None
