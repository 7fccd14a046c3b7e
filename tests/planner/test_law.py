"""The law: any SQL through the engine gives the rows of the same SQL in DuckDB over all rows.

With `--hypothesis-profile=thorough` it is tried a few thousand times, which takes some minutes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.stores.spec.schema import Row, Value
from tests.planner.sides import Sides, build, ordered
from tests.support.stores import keyvalue, window

EXAMPLES = settings().max_examples
HOUR_US = 3_600_000_000
NAMES = ["", "a", "aa", "ab", "b", "a\x00b", "é", "Ω", "zz", "A"]

PEOPLE = keyvalue("people", {"name": "text"}, {"age": "integer", "score": "double", "city": "text"})
ORDERS = keyvalue(
    "orders",
    {"name": "text", "number": "bigint"},
    {"amount": "decimal(9,2)", "paid": "boolean", "due": "timestamptz"},
)
CLICKS = window("clicks", {"name": "text"}, {"clicks": "bigint"})
STORES = (PEOPLE, ORDERS, CLICKS)

names = st.sampled_from(NAMES)
ages = st.integers(-3, 3)
numbers = st.sampled_from([-(1 << 63), -2, -1, 0, 1, 2, 3, (1 << 63) - 1])
hours = st.integers(-3, 6)


def _maybe(values: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    return st.one_of(st.none(), values)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, list[Row]]:
    scores = st.sampled_from([-1.5, 0.0, 0.25, 2.0, math.nan, math.inf])
    amounts = st.sampled_from([Decimal("-1.50"), Decimal("0.00"), Decimal("2.25")])
    people = draw(
        st.dictionaries(_maybe(names), st.tuples(_maybe(ages), _maybe(scores), _maybe(names)))
    )
    orders = draw(
        st.dictionaries(
            st.tuples(names, _maybe(numbers)),
            st.tuples(
                _maybe(amounts),
                _maybe(st.booleans()),
                _maybe(hours.map(lambda hour: hour * HOUR_US)),
            ),
        )
    )
    clicks = draw(st.dictionaries(st.tuples(names, hours), st.tuples(_maybe(ages))))
    return {
        "people": [(name, *row) for name, row in people.items()],
        "orders": [(*key, *row) for key, row in orders.items()],
        "clicks": [
            (name, hour * HOUR_US, (hour + 1) * HOUR_US, *row)
            for (name, hour), row in clicks.items()
        ],
    }


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def stamp(hour: int) -> str:
    day, rest = divmod(hour, 24)
    return f"timestamptz '{'1970-01-01' if day == 0 else '1969-12-31'} {rest:02d}:00:00+00'"


TEXTS = names.map(quoted)
COMPARE = st.sampled_from(["=", "<", "<=", ">", ">=", "<>"])
AGE_LITERALS = st.sampled_from(["-3", "-1", "0", "1", "2", "0.5", "1.0", "99999999999", "NULL"])
NUMBER_LITERALS = st.sampled_from(
    ["-1", "0", "2", "2.5", "9223372036854775807", "-9223372036854775808", "1e3", "NULL"]
)


def comparison(column: str, literals: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds(lambda op, value: f"{column} {op} {value}", COMPARE, literals),
        st.builds(lambda op, value: f"{value} {op} {column}", COMPARE, literals),
        st.lists(literals, min_size=1, max_size=4).map(lambda v: f"{column} IN ({', '.join(v)})"),
        st.builds(lambda a, b: f"{column} BETWEEN {a} AND {b}", literals, literals),
        st.lists(literals.filter(lambda v: v != "NULL"), min_size=1, max_size=3).map(
            lambda v: f"{column} = ANY(ARRAY[{', '.join(v)}])"
        ),
        st.sampled_from([f"{column} IS NULL", f"{column} IS NOT NULL"]),
        st.builds(lambda a, b: f"{column} NOT BETWEEN {a} AND {b}", literals, literals),
        st.lists(literals, min_size=1, max_size=3).map(
            lambda v: f"{column} NOT IN ({', '.join(v)})"
        ),
    )


def paging(alias: str) -> st.SearchStrategy[str]:
    """Draw conditions on rows of both key columns, as lists and as comparisons."""
    rows = st.tuples(TEXTS, st.sampled_from(["-1", "0", "2"]))

    def behind(operator: str, row: tuple[str, str]) -> str:
        strict = operator[0]
        return (
            f"({alias}.name {strict} {row[0]} OR {alias}.name = {row[0]} "
            f"AND {alias}.number {operator} {row[1]})"
        )

    listed = st.lists(rows, min_size=1, max_size=4)
    return st.one_of(
        st.builds(behind, st.sampled_from(["<", "<=", ">", ">="]), rows),
        listed.map(
            lambda found: (
                f"({alias}.name, {alias}.number) IN ({', '.join(f'({a}, {b})' for a, b in found)})"
            )
        ),
    )


def predicates(alias: str, relation: str) -> st.SearchStrategy[str]:
    per_relation = {
        "people": [
            comparison(f"{alias}.name", TEXTS),
            comparison(f"{alias}.age", AGE_LITERALS),
            comparison(f"{alias}.city", TEXTS),
            comparison(f"{alias}.score", st.sampled_from(["0.25", "'NaN'::float8", "-1.5", "0"])),
            st.sampled_from(["a%", "a", "%", "é%", "a%b"]).map(
                lambda pattern: f"{alias}.name LIKE '{pattern}'"
            ),
        ],
        "orders": [
            comparison(f"{alias}.name", TEXTS),
            comparison(f"{alias}.number", NUMBER_LITERALS),
            comparison(f"{alias}.amount", st.sampled_from(["0", "2.25", "-1.501", "NULL"])),
            comparison(f"{alias}.due", hours.map(stamp)),
            st.just(f"{alias}.paid"),
            paging(alias),
        ],
        "clicks": [
            comparison(f"{alias}.name", TEXTS),
            comparison(f"{alias}.window_start", hours.map(stamp)),
            comparison(f"{alias}.window_end", hours.map(stamp)),
            comparison(f"{alias}.window_start::date", st.just("date '1970-01-01'")),
            comparison(f"date_trunc('hour', {alias}.window_start)", hours.map(stamp)),
            comparison(f"({alias}.window_start + interval '1 hour')", hours.map(stamp)),
            comparison(f"{alias}.clicks", AGE_LITERALS),
        ],
    }
    leaves = st.one_of(per_relation[relation])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.builds(lambda a, b: f"({a} AND {b})", inner, inner),
            st.builds(lambda a, b: f"({a} OR {b})", inner, inner),
            inner.map(lambda a: f"(NOT {a})"),
        ),
        max_leaves=4,
    )


COLUMNS = {
    "people": ["name", "age", "score", "city"],
    "orders": ["name", "number", "amount", "paid", "due"],
    "clicks": ["name", "window_start", "window_end", "clicks"],
}
AGGREGATED = {"people": "age", "orders": "number", "clicks": "clicks"}


@dataclass(frozen=True)
class Query:
    sql: str
    ordered: bool = False
    parameters: Row = ()


@st.composite
def single_store(draw: st.DrawFn) -> Query:
    relation = draw(st.sampled_from(sorted(COLUMNS)))
    where = draw(_maybe(predicates("t", relation)))
    filtered = f" WHERE {where}" if where is not None else ""
    shape = draw(st.sampled_from(["rows", "star", "group", "total", "distinct", "top"]))
    picked = draw(st.lists(st.sampled_from(COLUMNS[relation]), min_size=1, max_size=3))
    listed = ", ".join(f"t.{column}" for column in picked)
    source = f"FROM {relation} t{filtered}"
    if shape == "star":
        return Query(f"SELECT * {source}")
    if shape == "group":
        total = AGGREGATED[relation]
        return Query(
            f"SELECT t.{picked[0]}, count(*), min(t.{total}), max(t.{total}) {source} GROUP BY 1"
        )
    if shape == "total":
        aggregates = [
            f"count(*), count(t.{picked[0]}), max(t.{picked[0]})",
            "count(*)",
            "min(t.name), max(t.name)",
        ]
        return Query(f"SELECT {draw(st.sampled_from(aggregates))} {source}")
    if shape == "distinct":
        return Query(f"SELECT DISTINCT {listed} {source}")
    if shape == "top":
        direction = draw(
            st.sampled_from(["", " DESC", " NULLS FIRST", " DESC NULLS LAST", " DESC NULLS FIRST"])
        )
        # The whole key orders the rows, so that LIMIT cuts both sides at the same row.
        keys = {
            "people": ["name"],
            "orders": ["name", "number"],
            "clicks": ["name", "window_start"],
        }
        order = ", ".join(f"t.{key}{direction}" for key in keys[relation])
        sql = f"SELECT {listed} {source} ORDER BY {order}"
        limit, offset = draw(st.integers(0, 4)), draw(st.integers(0, 2))
        if draw(st.booleans()):
            return Query(f"{sql} LIMIT {limit} OFFSET {offset}", ordered=True)
        given = draw(st.sampled_from([None, limit])), draw(st.sampled_from([None, offset]))
        return Query(f"{sql} LIMIT $1 OFFSET $2", ordered=True, parameters=given)
    return Query(f"SELECT {listed} {source}")


@st.composite
def joined(draw: st.DrawFn) -> Query:
    left, right = draw(st.permutations(sorted(COLUMNS)))[:2]
    kinds = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "WHERE", "IN", "USING", "EXISTS"]
    kind = draw(st.sampled_from(kinds))
    where = draw(predicates("a", left))
    on = draw(st.one_of(st.just("true"), predicates("b", right)))
    listed = ", ".join(
        [f"a.{c}" for c in COLUMNS[left][:2]] + [f"b.{c}" for c in COLUMNS[right][-2:]]
    )
    if kind == "USING":
        side = draw(st.sampled_from(["", "LEFT ", "RIGHT ", "FULL "]))
        named = draw(st.one_of(st.just("true"), TEXTS.map(lambda text: f"name = {text}")))
        return Query(
            f"SELECT name, {listed} FROM {left} a {side}JOIN {right} b USING (name) WHERE {named}"
        )
    if kind == "EXISTS":
        negated = draw(st.sampled_from(["", "NOT "]))
        inner = f"SELECT 1 FROM {right} b WHERE b.name = a.name AND {on}"
        return Query(f"SELECT a.* FROM {left} a WHERE {negated}EXISTS ({inner}) AND {where}")
    if kind == "WHERE":
        return Query(f"SELECT {listed} FROM {left} a, {right} b WHERE a.name = b.name AND {where}")
    if kind == "IN":
        inner = f"SELECT b.name FROM {right} b WHERE {on}"
        negated = draw(st.sampled_from(["", "NOT "]))
        return Query(f"SELECT a.* FROM {left} a WHERE a.name {negated}IN ({inner}) AND {where}")
    return Query(
        f"SELECT {listed} FROM {left} a {kind} {right} b ON a.name = b.name AND {on} WHERE {where}"
    )


@st.composite
def nested(draw: st.DrawFn) -> Query:
    """Draw conditions on a derived table or a common table expression, alone or beside a store."""
    relation, other = draw(st.permutations(sorted(COLUMNS)))[:2]
    columns, total = ", ".join(f"t.{c}" for c in COLUMNS[relation]), AGGREGATED[relation]
    source = (
        f"FROM {relation} t WHERE {draw(st.one_of(st.just('true'), predicates('t', relation)))}"
    )
    inner = draw(
        st.sampled_from(
            [
                f"SELECT * {source}",
                f"SELECT {columns} {source}",
                f"SELECT DISTINCT {columns} {source}",
                f"SELECT {columns}, count(*) {source} GROUP BY {columns}",
                f"SELECT {columns}, row_number() OVER (ORDER BY {columns}) {source}",
                f"SELECT {columns} {source} ORDER BY {columns} LIMIT 3",
                f"SELECT {columns}, max(t.{total}) {source} GROUP BY ROLLUP ({columns})",
                f"SELECT t.* FROM {other} u LEFT JOIN {relation} t ON t.name = u.name",
                f"SELECT t.* FROM {relation} t FULL JOIN {other} u ON t.name = u.name",
                f"SELECT v.* FROM (SELECT * {source}) v",
            ]
        )
    )
    where = draw(predicates("s", relation))
    outer = draw(
        st.sampled_from(
            [
                f"SELECT * FROM ({inner}) s WHERE {where}",
                f"WITH s AS ({inner}) SELECT * FROM s WHERE {where}",
                f"WITH s AS ({inner}), w AS (SELECT * FROM s WHERE {where}) SELECT count(*) FROM w",
                f"WITH s AS ({inner}) SELECT s.name FROM s WHERE {where} UNION SELECT name FROM s",
                f"SELECT s.*, b.* FROM {other} b LEFT JOIN ({inner}) s ON s.name = b.name "
                f"WHERE {where}",
                f"SELECT s.*, b.* FROM {other} b LEFT JOIN ({inner}) s ON s.name = b.name "
                f"AND {where}",
                f"SELECT s.*, b.* FROM ({inner}) s FULL JOIN {other} b ON s.name = b.name "
                f"WHERE {where}",
            ]
        )
    )
    return Query(outer)


@pytest.fixture(scope="module")
def rocks(tmp_path_factory: pytest.TempPathFactory) -> Sides:
    """A RocksDB store with every combination of the values above, once."""
    rows: dict[str, list[Row]] = {
        "people": [(n, (i % 7) - 3, i / 4, NAMES[-i]) for i, n in enumerate([*NAMES, None])],
        "orders": [
            (name, number, Decimal(i - 5) / 4, i % 3 == 0, (i % 9 - 3) * HOUR_US)
            for i, (name, number) in enumerate(
                (name, number) for name in NAMES for number in [-(1 << 63), -1, 0, 2, None]
            )
        ],
        "clicks": [
            (name, hour * HOUR_US, (hour + 1) * HOUR_US, hour)
            for name in NAMES
            for hour in range(-3, 7)
        ],
    }
    return build(STORES, rows, tmp_path_factory.mktemp("law"))


_ROWS_IN = re.compile(r"\((\w)\.name, \1\.number\) IN \(((?:\('[^']*', -?\d+\)(?:, )?)+)\)")
_ROW = re.compile(r"\(('[^']*'), (-?\d+)\)")


def as_comparisons(sql: str) -> str:
    """Return lists of rows as comparisons: NULL equals NULL in rows of DuckDB, but not in SQL."""

    def comparisons(found: re.Match[str]) -> str:
        alias, listed = found.groups()
        each = [f"{alias}.name = {a} AND {alias}.number = {b}" for a, b in _ROW.findall(listed)]
        return f"({' OR '.join(each)})"

    return _ROWS_IN.sub(comparisons, sql)


def test_lists_of_rows_mean_the_same_as_comparisons() -> None:
    rows = "('a\x00b', -1), ('é', 2)"
    expected = "(x.name = 'a\x00b' AND x.number = -1 OR x.name = 'é' AND x.number = 2)"
    assert as_comparisons(f"NOT (x.name, x.number) IN ({rows})") == f"NOT {expected}"


def check(sides: Sides, query: Query) -> None:
    try:
        expected = sides.theirs(as_comparisons(query.sql), query.parameters)
    except duckdb.Error:
        with pytest.raises(QueryError):
            sides.ours(query.sql, query.parameters)
        return
    found = sides.ours(query.sql, query.parameters)
    if not query.ordered:
        found, expected = ordered(found), ordered(expected)
    assert found == expected, query.sql


@given(query=single_store())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
def test_one_store_gives_duckdbs_rows(rocks: Sides, query: Query) -> None:
    check(rocks, query)


@given(query=joined())
@settings(max_examples=EXAMPLES * 2 // 3, suppress_health_check=[HealthCheck.too_slow])
def test_joined_stores_give_duckdbs_rows(rocks: Sides, query: Query) -> None:
    check(rocks, query)


@given(query=nested())
@settings(max_examples=EXAMPLES // 2, suppress_health_check=[HealthCheck.too_slow])
def test_conditions_on_derived_tables_give_duckdbs_rows(rocks: Sides, query: Query) -> None:
    check(rocks, query)


@given(
    rows=tables(),
    queries=st.lists(st.one_of(single_store(), joined(), nested()), min_size=3, max_size=6),
)
@settings(max_examples=EXAMPLES // 8, suppress_health_check=[HealthCheck.too_slow])
def test_any_rows_give_duckdbs_rows(rows: dict[str, list[Row]], queries: list[Query]) -> None:
    sides = build(STORES, rows)
    for query in queries:
        check(sides, query)


@given(name=_maybe(names), number=_maybe(numbers), age=_maybe(ages))
@settings(max_examples=EXAMPLES // 2)
def test_parameters_have_the_meaning_of_literals(
    rocks: Sides, name: str | None, number: int | None, age: int | None
) -> None:
    def literal(value: object) -> str:
        return "NULL" if value is None else quoted(value) if isinstance(value, str) else str(value)

    for sql, values in (
        ("SELECT * FROM people WHERE name = {}", (name,)),
        ("SELECT amount FROM orders WHERE name = {} AND number = {}", (name, number)),
        ("SELECT number FROM orders WHERE name = {} AND number > {}", (name, number)),
        ("SELECT count(*) FROM people WHERE age <= {} OR name = {}", (age, name)),
        ("SELECT clicks FROM clicks WHERE name = {} AND clicks >= {}", (name, age)),
    ):
        numbered = sql.format(*(f"${i}" for i in range(1, len(values) + 1)))
        spelled = sql.format(*(literal(value) for value in values))
        assert ordered(rocks.ours(numbered, values)) == ordered(rocks.theirs(spelled))
