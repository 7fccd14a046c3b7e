"""The law of the row path and the column path: they give the rows that DuckDB gives, or decline."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from stategate.planner.planning import groupings
from stategate.planner.planning.access import Access
from stategate.planner.planning.column_path import COLUMN_ROWS_MAX, GROUPS_MAX
from stategate.planner.planning.groupings import reduce_streams
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.planning.row_path import RowPath
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.session import Session
from stategate.stores.nodes.codec import decode, encode
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.reductions import NotReducedError
from stategate.stores.spec.schema import Row, Value
from tests.planner.sides import comparable, looked_up, ordered, rows_of, run
from tests.support.stores import FixedCatalog, batch, fill, keyvalue, open_store

COLUMNS = {
    "i": "integer",
    "b": "bigint",
    "d": "double",
    "t": "text",
    "f": "boolean",
    "w": "timestamptz",
    "n": "decimal(6,2)",
    "r": "real",
    "y": "bytea",
    "o": "date",
}
STORE = keyvalue("things", {"k": "integer"}, COLUMNS, partitions=1)
EMPTY = keyvalue("nothing", {"k": "integer"}, COLUMNS, partitions=1)
AGGREGATES = [
    "count(*)",
    *(f"count({name})" for name in COLUMNS),
    *(f"{name}({column})" for name in ("min", "max") for column in "ibdtwno"),
    *(f"sum({column})" for column in "ibdn"),
    "avg(d)",
    "avg(i)",
    "avg(b)",
    "avg(n)",
]


def values(*found: Value) -> st.SearchStrategy[Value]:
    return st.one_of(st.none(), st.sampled_from(found))


MANY = st.lists(
    st.tuples(
        values(-2, 0, 1, 7),
        values(-(1 << 63), -1, 0, 3, (1 << 63) - 1),
        values(-1.5, -0.0, 0.0, 2.25, math.nan, math.inf),
        values("", "a", "B", "é", "zz"),
        values(True, False),
        values(-1, 0, 1_000_000),
        values(Decimal("-1.50"), Decimal("0.00"), Decimal("2.25")),
        values(0.5, -1.5),
        values(b"", b"a", b"\xff"),
        values(-1, 0, 20_000),
    ),
    max_size=12,
)
DIRECTIONS = st.sampled_from(["", " DESC", " NULLS FIRST", " DESC NULLS LAST", " NULLS LAST"])
CUTS = st.sampled_from(["", " LIMIT 0", " LIMIT 1", " LIMIT 3", " LIMIT 3 OFFSET 2", " OFFSET 1"])


@st.composite
def statements(draw: st.DrawFn) -> str:
    columns = draw(st.lists(st.sampled_from(sorted(COLUMNS)), unique=True, min_size=1, max_size=3))
    form = draw(st.sampled_from(["rows", "distinct", "groups", "all"]))
    items, tail = list(columns), ""
    if form in {"groups", "all"}:
        items = [] if form == "all" else items
        items += draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3))
        tail = "" if form == "all" else f" GROUP BY {', '.join(columns)}"
    word = "DISTINCT " if form == "distinct" else ""
    # Rows are ordered by every output, so that rows among which LIMIT chooses are equal.
    terms = [f"{at}{draw(DIRECTIONS)}" for at in draw(st.permutations(range(1, len(items) + 1)))]
    cut = draw(CUTS)
    order = f" ORDER BY {', '.join(terms)}" if cut or draw(st.booleans()) else ""
    return f"SELECT {word}{', '.join(items)} FROM things{tail}{order}{cut}"


@pytest.fixture(scope="module")
def planning() -> Iterator[SqlEngine]:
    made = SqlEngine(FixedCatalog(open_store(STORE)))
    yield made
    made.close()


def access_of(engine: SqlEngine, sql: str) -> tuple[RowPath | None, Access]:
    plan = engine.prepare(sql, Session()).plan
    assert isinstance(plan, QueryPlan)
    node = plan.node
    inputs = getattr(node, "inputs", None)
    access = node.access if inputs is None else inputs[0][1]  # type: ignore[union-attr]
    assert isinstance(access, Access)
    return plan.rows, access


def path_of(engine: SqlEngine, sql: str) -> tuple[RowPath | None, Sequence[str]]:
    path, access = access_of(engine, sql)
    return path, access.columns


def in_parts(
    path: RowPath, access: Access, table: pa.Table, ends: Sequence[int]
) -> list[Row] | None:
    """Return the result made of the states of parts of the rows, as other nodes send them."""
    groups = path.groups
    how = None if groups is None else groups.how(access, None)
    if groups is None or how is None:
        return None
    assert decode(encode(how)) == how
    tables = []
    try:
        for start, end in pairwise([0, *sorted(ends), len(table)]):
            streams = [table.slice(start, end - start).to_batches()]
            *_, last = reduce_streams(how, streams)
            assert last is not None
            assert last.rows == (end - start,)
            tables.append(how.table_of(last.batches))
        rows = groups.rows(tables)
    except NotReducedError:
        return None
    return None if rows is None else path.finish_groups(rows, ())


def as_table(rows: Sequence[Row], columns: Sequence[str]) -> tuple[pa.Table, list[Row]]:
    """Return the columns that a plan reads, as a table and as rows."""
    whole = batch(STORE, rows)
    table = pa.Table.from_batches([whole]).append_column(
        "_partition", pa.array([0] * len(rows), pa.int32())
    )
    table = table.select(list(columns))
    types = [STORE.column_by_name[name].type for name in columns]
    listed = [
        physical_list(column.combine_chunks(), kind)
        for column, kind in zip(table.columns, types, strict=True)
    ]
    return table, list(zip(*listed, strict=True))


@given(found=MANY, sql=statements(), data=st.data())
def test_rows_and_columns_give_the_rows_of_duckdb(
    planning: SqlEngine, found: list[Row], sql: str, data: st.DataObject
) -> None:
    path, access = access_of(planning, sql)
    columns = access.columns
    rows = [(number, *row) for number, row in enumerate(found)]
    store = open_store(STORE)
    fill(store, rows)
    bulk = SqlEngine(FixedCatalog(store), limits=EngineLimits(few_rows=False))
    try:
        wanted = [comparable(row) for row in rows_of(run(bulk, sql))]
    except Exception:  # DuckDB refuses it, so every path must decline
        wanted = None
    finally:
        bulk.close()
    if path is None:
        return
    table, read = as_table(rows, columns)
    more = pa.concat_tables([table, table.slice(0, 2), table])
    mask = pa.array([True] * len(table) + [False] * (len(more) - len(table)), pa.bool_())
    ends = data.draw(st.lists(st.integers(0, len(rows)), max_size=3))
    parts = in_parts(path, access, table, ends)
    event("in parts" if parts is not None else "not in parts")
    answers = [path.finish(read, ()), path.finish_columns(table, ()), parts]
    for answer in (*answers, path.finish_columns(more, (), mask)):
        if answer is None:
            continue
        assert wanted is not None
        given_ = [comparable(row) for row in answer]
        assert [list(map(type, row)) for row in ordered(given_)] == [
            list(map(type, row)) for row in ordered(wanted)
        ]
        assert given_ == wanted if "ORDER BY" in sql else ordered(given_) == ordered(wanted)


@pytest.mark.parametrize("rows", [GROUPS_MAX, GROUPS_MAX + 1, COLUMN_ROWS_MAX])
@pytest.mark.parametrize("repeated", [1, 2])
def test_many_groups_are_declined(planning: SqlEngine, rows: int, repeated: int) -> None:
    """Each group would become a Python row on the event loop."""
    path, columns = path_of(planning, "SELECT t, count(*) FROM things GROUP BY t LIMIT 3")
    assert path is not None
    texts = [f"number {number // repeated}" for number in range(rows)]
    table = pa.table({name: pa.array(texts) for name in columns})
    found = path.finish_columns(table, ())
    is_few = rows // repeated <= GROUPS_MAX
    assert found == ([(f"number {at}", repeated) for at in range(3)] if is_few else None)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT i, t FROM things WHERE k < 5 ORDER BY t DESC, i LIMIT 3",
        "SELECT t, count(*), sum(b), max(w) FROM things GROUP BY t ORDER BY 2 DESC, 1 LIMIT $1",
        "SELECT DISTINCT t FROM things ORDER BY t",
        "SELECT count(*) FROM things WHERE t = 'a'",
        "SELECT *, k FROM things ORDER BY i NULLS FIRST",
        "SELECT t AS u FROM things GROUP BY u ORDER BY max(i)",
    ],
)
def test_statements_with_a_row_path(planning: SqlEngine, sql: str) -> None:
    assert path_of(planning, sql)[0] is not None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT i + 1 FROM things",
        "SELECT i FROM things WHERE i + 1 = 2",
        "SELECT upper(t) FROM things ORDER BY 1",
        "SELECT i FROM things ORDER BY i + 1",
        "SELECT DISTINCT ON (i) i, t FROM things",
        "SELECT count(DISTINCT i) FROM things",
        "SELECT count(*) FILTER (WHERE i > 1) FROM things",
        "SELECT sum(i) OVER () FROM things",
        "SELECT t FROM things GROUP BY t HAVING count(*) > 1",
        "SELECT t FROM things GROUP BY ROLLUP (t)",
        "SELECT d FROM things GROUP BY d",
        "SELECT stddev(n) FROM things",
        "SELECT string_agg(t, ',') FROM things",
        "SELECT a.i FROM things a, things b",
        "SELECT i FROM things UNION SELECT 1",
        "SELECT i FROM things LIMIT 1 + random()::int",
        "SELECT i FROM things ORDER BY i FETCH FIRST 1 ROW WITH TIES",
        "SELECT i FROM (SELECT i FROM things LIMIT 3) s",
    ],
)
def test_statements_that_need_duckdb(planning: SqlEngine, sql: str) -> None:
    assert path_of(planning, sql)[0] is None


def test_a_sum_of_too_many_digits_is_declined(tmp_path: Path) -> None:
    schema = keyvalue("sums", {"k": "integer"}, {"n": "decimal(38,2)"}, partitions=1)
    store = open_store(schema, directory=tmp_path)
    fill(store, [(1, Decimal("9" * 36 + ".99")), (2, Decimal("1.00"))])
    engine, session = SqlEngine(FixedCatalog(store)), Session()

    def found(function: str, keys: str) -> Sequence[Row] | None:
        statement = engine.prepare(f"SELECT {function}(n) FROM sums WHERE k IN {keys}", session)
        return looked_up(statement, (), session)

    try:
        for function in ("sum", "avg"):
            assert found(function, "(1, 2)") is None
            assert found(function, "(2, 3)") == ((Decimal(1),),)
    finally:
        engine.close()
        store.close()


@pytest.mark.parametrize("rows", [9, 10])
def test_too_many_groups_of_parts_are_declined(
    planning: SqlEngine, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """In one part or in all together; however many rows are grouped at a time."""
    path, access = access_of(planning, "SELECT t, sum(b) FROM things GROUP BY t ORDER BY t")
    assert path is not None
    monkeypatch.setattr(groupings, "GROUPS_MAX", 9)
    monkeypatch.setattr(groupings, "CHUNK_ROWS", 2)
    monkeypatch.setattr(groupings, "_FIRST_ROWS", 3)
    texts, numbers = [f"t{n}" for n in range(rows)] * 2, list(range(2 * rows))
    given_ = {"t": pa.array(texts), "b": pa.array(numbers)}
    table = pa.table({name: given_[name] for name in access.columns})
    expected = [(f"t{n}", Decimal(rows + 2 * n)) for n in range(rows)] if rows <= 9 else None
    for ends in ([], [3], [rows], [1, rows, rows + 1]):
        assert in_parts(path, access, table, ends) == expected


def test_sums_beyond_bigint_are_merged(planning: SqlEngine) -> None:
    """One part's sum is a decimal, and that of another a bigint."""
    path, access = access_of(planning, "SELECT sum(b), avg(b), count(*) FROM things")
    assert path is not None
    most = (1 << 63) - 1
    numbers = [most, most, most, -1, None, 5]
    table = pa.table({name: pa.array(numbers, pa.int64()) for name in access.columns})
    wanted = 3 * most + 4
    for ends in ([], [1], [3], [4], [5], [1, 2, 3, 4, 5]):
        found = in_parts(path, access, table, ends)
        assert found is not None
        ((total, mean, count),) = found
        assert (total, count) == (Decimal(wanted), 6)
        assert abs(mean * 5 - wanted) < Decimal("0.00001")
