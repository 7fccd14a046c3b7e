"""Joins by USING and ON of stores with the same columns have the rows that DuckDB finds.

The key of each store is a column of the others, too, so a relation could be looked up by a column
that it is not joined by.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.sql import SqlEngine
from stategate.stores.spec.schema import Row
from tests.planner.sides import comparable, ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

STORES: dict[str, Sequence[Row]] = {
    "a": [(n, (n * 3) % 7 if n % 4 else None, n % 3) for n in range(60)],
    "b": [(n * 2, n % 5 if n % 3 else None, n % 4) for n in range(50)],
    "few": [(1, 0, 1), (2, 5, 0), (7, None, 2)],
}
"""Rows of id, i and j; few rows are looked up in the others."""
NAMES, COLUMNS = "xyzw", ("id", "i", "j")


@pytest.fixture(scope="module")
def engine(shared_process: None) -> Iterator[SqlEngine]:
    stores = [
        open_store(keyvalue(name, {"id": "integer"}, {"i": "integer", "j": "integer"}))
        for name in STORES
    ]
    for store, rows in zip(stores, STORES.values(), strict=True):
        fill(store, rows)
    made = SqlEngine(FixedCatalog(*stores))
    yield made
    made.close()


@pytest.fixture(scope="module")
def whole() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with all rows."""
    with duckdb.connect() as database:
        for name, rows in STORES.items():
            database.execute(f"CREATE TABLE {name} (id INTEGER, i INTEGER, j INTEGER)")
            database.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", [*map(list, rows)])
        yield database


@st.composite
def joins(draw: st.DrawFn) -> tuple[str, bool]:
    """Draw a statement with two to four relations, and whether a name is ambiguous."""
    names = NAMES[: draw(st.integers(2, 4))]
    stores = st.sampled_from(sorted(STORES))
    sql, is_ambiguous = f"{draw(stores)} AS {names[0]}", False
    whole, part = Counter(COLUMNS), Counter(COLUMNS)  # of FROM, and since its last comma
    begin = 0
    for at, name in enumerate(names[1:], start=1):
        if draw(st.integers(0, 7)) == 0:
            sql += f", few AS {name}"
            whole.update(COLUMNS)
            part, begin = Counter(COLUMNS), at
            continue
        side = draw(st.sampled_from(["", "", "LEFT ", "RIGHT ", "FULL "]))
        column = st.sampled_from(["id", "i"])
        left = f"{draw(st.sampled_from(names[begin:at]))}.{draw(column)}"
        on, merged = f"ON {left} = {name}.{draw(column)}", [("id",), ("i",), ("id", "j")]
        using = {f"USING ({', '.join(each)})": each for each in merged}
        how = draw(st.sampled_from([*using, on]))
        is_ambiguous |= any(part[each] > 1 for each in using.get(how, ()))
        for counted in (whole, part):
            counted.update({*COLUMNS} - {*using.get(how, ())})
        sql += f" {side}JOIN {draw(stores)} AS {name} {how}"
    conditions = ("x.j = 1", f"{names[-1]}.j < 2", "id = 14", "id > 7", "i IS NULL", "i = 2")
    where = draw(st.sampled_from(["", *(f" WHERE {each}" for each in conditions)]))
    columns = ", ".join(f"{name}.{column}" for name in names for column in COLUMNS)
    is_ambiguous |= any(f"WHERE {name} " in where and whole[name] > 1 for name in ("id", "i"))
    return f"SELECT {columns} FROM {sql}{where}", is_ambiguous


@settings(max_examples=max(100, settings().max_examples))
@given(drawn=joins())
def test_joins_have_all_their_rows(
    engine: SqlEngine, whole: duckdb.DuckDBPyConnection, drawn: tuple[str, bool]
) -> None:
    sql, is_ambiguous = drawn
    if is_ambiguous:  # for PostgreSQL; DuckDB takes merged columns before others
        with pytest.raises(QueryError) as error:
            run(engine, sql)
        assert error.value.sqlstate == "42702", sql
        return
    wanted = whole.execute(sql).fetchall()
    found = rows_of(run(engine, sql))
    assert ordered([*map(comparable, found)]) == ordered([*map(comparable, wanted)]), sql
