"""The law of shapes: a text answers as it does when it is planned by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.errors import QueryError
from stategate.planner.planning.lifting import liftable, lifted_text
from stategate.planner.planning.shapes import parameterize
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.syntax.parse import parse
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Statement
from stategate.stores.spec.schema import Value
from tests.planner.sides import comparable, looked_up, ordered, rows_of, run
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store, window

DAY_US = 86_400_000_000
JULY = 15_889 * DAY_US
"""The day 2013-07-03."""
COLUMNS = {
    "i": "integer",
    "b": "bigint",
    "d": "double",
    "t": "text",
    "f": "boolean",
    "w": "timestamptz",
    "n": "decimal(6,2)",
    "o": "date",
    "y": "bytea",
    "u": "uuid",
}
THINGS = keyvalue("things", {"k": "integer", "j": "text"}, COLUMNS)
HOURS = window("hours", {"p": "text"}, {"c": "bigint"})
UUID = "00000000-0000-0000-0000-00000000000"


@pytest.fixture(scope="module")
def catalog() -> FixedCatalog:
    things, hours = open_store(THINGS), open_store(HOURS)
    columns: list[list[Value]] = [
        [None, -5, 0, 3, 70_000],
        [None, -5, 3, 1 << 60, 7],
        [None, -1.5, 0.0, 12.5, 3.0],
        [None, "", "a", "it's", "5"],
        [None, True, False],
        [None, JULY, JULY + DAY_US, JULY + 1],
        [None, Decimal("1.50"), Decimal("3.00"), Decimal("-5.25")],
        [None, 15_889, 15_890, 0],
        [None, b"", b"a"],
        [None, UUID + "1", UUID + "2"],
    ]
    rows = [
        (
            k % 8 - 1,
            "abc"[k // 8],
            *(each[(k * (at + 3)) % len(each)] for at, each in enumerate(columns)),
        )
        for k in range(24)
    ]
    fill(things, rows)
    # A window: its key, start and end, and value.
    hour = 3_600_000_000
    fill(hours, [(p, JULY + n * hour, JULY + (n + 1) * hour, n) for p in "ab" for n in range(48)])
    return FixedCatalog(things, hours)


@pytest.fixture(scope="module")
def engine(catalog: FixedCatalog) -> Iterator[SqlEngine]:
    made = SqlEngine(catalog)
    yield made
    made.close()


@pytest.fixture(scope="module")
def forgetful(catalog: FixedCatalog) -> Iterator[SqlEngine]:
    """Return an engine that keeps no plan."""
    made = SqlEngine(catalog, limits=EngineLimits(statements_max=0))
    yield made
    made.close()


NUMBERS = st.sampled_from(
    ["3", "0", "7", "-5", "70000", "12.5", "1.50", "3.0", "1e0", "99999999999999999999", "'3'",
     "' 7 '", "'-5'", "'12.5'", "'x'", "NULL", "5 - 2", "CAST('3' AS bigint)", "'3'::int", "(3)"]
)  # fmt: skip
WORDS = st.sampled_from(["'a'", "'b'", "''", "'it''s'", "'5'", "'zz'", "'a'::text", "'a' || 'b'"])
DAYS = [
    *("'2013-07-04'", "'2013-07-03 10:00:00+02'", "timestamptz '2013-07-04'", "date '2013-07-04'"),
    *("'2013-07-04'::timestamptz", "timestamp '2013-07-03 12:30'", "'epoch'", "'x'", "NULL"),
    *("timestamp with time zone '2013-07-03 01:00'", "DATE  '2013-07-03'", "'2013-07-04'::date"),
    *("timestamptz(0) '2013-07-04'", "CAST('2013-07-04' AS timestamptz)"),
    "(timestamptz '2013-07-03')",
    *(
        f"timestamptz '2013-07-0{day}' {sign} {count} * interval '1 {unit}'"
        for day in "34"
        for sign in "+-"
        for count in (1, 2, "0.5")
        for unit in ("day", "hour")
    ),
    "timestamptz '2013-07-04' - interval '1 day'",
    "timestamptz '2013-07-04' + 999999999 * interval '1 year'",
    "interval '1 day' * 2 + timestamptz '2013-07-01'",
]
TIMES = st.sampled_from(DAYS)
LITERALS = {
    **dict.fromkeys(("k", "i", "b", "d", "n"), NUMBERS),
    **dict.fromkeys(("j", "t"), WORDS),
    **dict.fromkeys(("w", "o"), TIMES),
    "f": st.sampled_from(["'yes'", "'f'", "'x'", "TRUE"]),
    "y": st.sampled_from(["'a'", "''", "'\\x61'", "'zz'"]),
    "u": st.sampled_from([f"'{UUID}1'", f"'{UUID}2'", "'x'"]),
}
SIDES = {
    "w": ["w", "w::date", "date_trunc('day', w)", "w + interval '1 hour'"],
    "k": ["k", "k::bigint"],
}


@st.composite
def conditions(draw: st.DrawFn, name: str) -> Callable[[], str]:
    """Draw the form of a condition on a column: a function that gives it new literals."""
    literals, side = LITERALS[name], draw(st.sampled_from(SIDES.get(name, [name])))
    form = draw(
        st.sampled_from(["=", "<", ">=", "<>", "mirrored", "in", "between", "any", "array"])
    )
    count = draw(st.integers(1, 3))

    def condition() -> str:
        found = [draw(literals) for _ in range(count + 1)]
        if form == "mirrored":
            return f"{found[0]} > {side}"
        if form == "in":
            return f"{side} IN ({', '.join(found)})"
        if form == "between":
            return f"{side} BETWEEN {found[0]} AND {found[1]}"
        if form == "any":
            return f"{side} = ANY (ARRAY[{', '.join(found)}])"
        if form == "array":
            texts = [each.strip("'") for each in found if each[0] == "'" and each[-1] == "'"]
            return f"{side} = ANY ('{{{','.join(each or 'a' for each in texts)}}}')"
        return f"{side} {form} {found[0]}"

    return condition


@st.composite
def alike(draw: st.DrawFn) -> list[str]:
    """Draw texts that differ in their literals, and hardly in anything else."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), max_size=2, unique=True))
    parts = [draw(conditions(name)) for name in names]
    key = draw(st.sampled_from(["one", "prefix", "rows", "none"]))
    if key in {"one", "prefix"}:
        parts.append(draw(conditions("k")))
    if key == "one":
        parts.append(draw(conditions("j")))
    items = draw(
        st.sampled_from(
            [
                *("*", "k, j", "i, 7, 'x'", "count(*)", "sum(b), max(t)"),
                *("upper(t), k + 1, j", "k, round(d), j || '7'", "count(DISTINCT t), avg(n + 1)"),
            ]
        )
    )
    tail = "" if "(" in items else " ORDER BY k, 2"
    word = draw(st.sampled_from([" AND ", " OR "]))

    def text() -> str:
        found = [part() for part in parts]
        if key == "rows":
            found.append(f"(k, j) IN (({draw(NUMBERS)}, 'a'), (2, {draw(WORDS)}))")
        where = f" WHERE {word.join(found)}" if found else ""
        limit = draw(st.sampled_from([" LIMIT 2", " LIMIT 5 OFFSET 1"])) if tail else ""
        return f"SELECT {items} FROM things{where}{tail}{limit}"

    return [text() for _ in range(draw(st.integers(3, 5)))]


def answer(engine: SqlEngine, sql: str) -> object:
    """Return the answer to a text: its columns and rows, or its error."""
    session = Session()
    try:
        statement = engine.recall(sql, session) or engine.prepare(sql, session)
        rows = looked_up(statement, (), session)
        if rows is None:
            rows = rows_of(run(engine, sql))
    except QueryError as error:
        return error.sqlstate, error.message, error.hint, error.position
    found = [comparable(row) for row in rows]
    return statement.columns, found if "ORDER BY" in sql else ordered(found)


@given(texts=alike())
def test_a_text_found_by_its_shape_answers_as_one_planned_by_itself(
    engine: SqlEngine, forgetful: SqlEngine, texts: list[str]
) -> None:
    for sql in texts:
        assert answer(engine, sql) == answer(forgetful, sql), sql


@given(data=st.data(), first=st.sampled_from(["p = 'a' AND ", "p IN ('a', 'b') AND ", ""]))
def test_windows_found_by_their_shape(
    engine: SqlEngine, forgetful: SqlEngine, data: st.DataObject, first: str
) -> None:
    for _ in range(4):
        low, high = data.draw(TIMES), data.draw(TIMES)
        sql = (
            f"SELECT window_start, p, c FROM hours WHERE {first}window_start >= {low}"
            f" AND window_start < {high} ORDER BY 1, p"
        )
        assert answer(engine, sql) == answer(forgetful, sql), sql


def recalled(engine: SqlEngine, texts: Sequence[str]) -> Statement | None:
    """Return the statement of the last text, found by the shape of the others."""
    session = Session()
    for sql in texts[:-1]:
        engine.prepare(sql, session)
    return engine.recall(texts[-1], session)


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        ("SELECT k FROM things WHERE k IN (@, 2, 3) AND j = 'b'", (1, 2, 3, "b")),
        ("SELECT k FROM things WHERE k > @ AND k < 3 ORDER BY k, 1 LIMIT 3", (1, 3)),
        ("SELECT k, 7 FROM things WHERE k = @ AND j = 'a'", (1, "a")),
        ("SELECT upper(t) FROM things WHERE k IN (@, 7) AND j = 'a'", (1, 7, "a")),
        ("SELECT upper(t) FROM things WHERE k = @ AND length(j) = 1", (1,)),
        ("SELECT upper(t) FROM things WHERE k + 0 = @ AND length(j) = 1", None),
        ("SELECT upper(t) FROM things WHERE k = @ AND round(d) > 3 LIMIT 3", (1,)),
        ("SELECT a.t FROM things a JOIN things b USING (k, j) WHERE a.k = @ AND b.n < 5", (1, 5)),
        ("SELECT count(*) FROM things WHERE n > @.5 AND i <> -5", (Decimal("1.5"),)),
        ("SELECT k FROM things WHERE (k, j) IN ((@, 'a'), (2, 'b'))", (1, "a", 2, "b")),
        ("SELECT j FROM things WHERE k = ANY ('{@,2}')", ([1, 2],)),
        ("SELECT j FROM things WHERE k BETWEEN @ AND 1 + 8", (1,)),
        (
            "SELECT c FROM hours WHERE p = 'a' AND window_start >= date_trunc('day', timestamptz"
            " '2013-07-0@ 10:00+00')",
            ("a", JULY - 2 * DAY_US + 36_000_000_000),
        ),
        ("SELECT j FROM things WHERE k = ANY (ARRAY[@, 2])", (1, 2)),
        (
            "SELECT c FROM hours WHERE p = 'a' AND window_start >= timestamptz '2013-07-0@'"
            " AND window_start < date '2013-07-04' + 2 * interval '1 hour'",
            ("a", JULY - 2 * DAY_US, JULY // DAY_US + 1, 2),
        ),
        (
            "SELECT c FROM hours WHERE p = 'a' AND window_start >= timestamptz '2013-07-0@'"
            " AND window_start < timestamptz '2013-07-04' + 2 * interval '1 hour'",
            ("a", JULY - 2 * DAY_US, JULY + DAY_US, 2),
        ),
    ],
)
def test_literals_that_are_lifted(
    engine: SqlEngine, sql: str, values: tuple[object, ...] | None
) -> None:
    """`@` becomes another digit in each text; None means that a text is planned by itself."""
    found = recalled(engine, [sql.replace("@", digit) for digit in "981"])
    assert (None if found is None else found.literals) == values


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("k = 1 AND k < (2)", "k = $1 AND k < ($2)"),
        ("w > date '2013-01-01' AND w < '2013-01-01'::date", "w > $1::date AND w < $2::date"),
        ("w BETWEEN '2013-01-01'::date AND '2014'", "w BETWEEN $1::date AND $2"),
        ("k IN (1, '2') OR j LIKE 'a%'", "k IN (1, '2') OR j LIKE 'a%'"),
        ("1 = 1 AND k = 2 + 3 AND k = -4", "1 = 1 AND k = 2 + 3 AND k = -4"),
        ("k = (SELECT 1) AND k = 2", "k = (SELECT 1) AND k = 2"),
        ("date_trunc('day', w) = 'x'", "date_trunc('day', w) = $1"),
        ("w > timestamptz(0) '2013-01-01'", "w > timestamptz(0) '2013-01-01'"),
        ("(k = 5) = true AND f = 'yes'", "(k = $1) = true AND f = $2"),
    ],
)
def test_only_operands_of_columns_are_lifted(sql: str, text: str) -> None:
    sql, text = (f"SELECT 1 FROM things WHERE {each} LIMIT 2" for each in (sql, text))
    tree, found = parse(sql).tree, parameterize(sql)
    assert tree is not None
    assert found is not None
    assert lifted_text(sql, found.only(liftable(tree, found))) == text


def test_texts_share_a_plan_if_they_keep_the_same_literals(engine: SqlEngine) -> None:
    text = "SELECT k, j FROM things WHERE k > {} ORDER BY k, j LIMIT {}"
    pages = [text.format(k, 2) for k in (1, 2, 3)]
    assert recalled(engine, pages) is not None
    assert recalled(engine, [text.format(4, 3)]) is None
    assert recalled(engine, [text.format(k, 3) for k in (4, 5, 6)]) is not None
    assert recalled(engine, [text.format(5, 2)]) is not None
