"""The filters of Spark's reads: no row that a statement needs is left out, and others are.

No Spark runs here: the filters go through the option of the data source, and Arrow tests the rows,
as it does in Spark's tasks.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings

from stategate.planner.binding.bind import bind
from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.spark.row_filters import VALUES_MAX, row_filters
from stategate.planner.syntax.parse import parse
from stategate.stores.spark.filters import conditions, decode_filters, encode_filters
from stategate.stores.spec.query_engine import EngineFilter
from stategate.stores.spec.schema import DataType, Row
from stategate.stores.upkeep.contents import relation_schema
from tests.planner.sides import Sides, ordered
from tests.planner.test_predicate_law import statements
from tests.planner.world import DAY_US, ROWS, STORES, world
from tests.support.stores import FixedCatalog, batch, open_store

BY_NAME = {schema.name: schema for schema in STORES}
CATALOG = FixedCatalog(*(open_store(schema) for schema in STORES))
BIGINT = DataType.parse("bigint")


@pytest.fixture(scope="module")
def sides() -> Iterator[Sides]:
    found = world()
    yield found
    found.close()


def filters_of(sql: str, parameters: Row = (), *types: DataType) -> tuple[EngineFilter, ...]:
    """Return the filters of a statement's only read."""
    parsed = parse(sql, types)
    assert parsed.tree is not None
    (source,) = bind(parsed.tree, parsed.clause, vocabulary_of_stores(CATALOG), types).sources
    assert source.relation.store is not None
    return row_filters(source.relation.store, source.predicate, parameters)


def kept(relation: str, filters: tuple[EngineFilter, ...]) -> pa.Table:
    """Return the rows of a relation that Spark's tasks pass on."""
    schema = BY_NAME[relation]
    types = relation_schema(schema)
    rows = pa.Table.from_batches([batch(schema, ROWS[relation])]).select(types.names).cast(types)
    for _, condition in conditions(decode_filters(encode_filters(filters), types), types):
        rows = rows.filter(condition)
    return rows


@given(statement=statements())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_filters_leave_out_no_row_that_is_needed(sides: Sides, statement: tuple[str, str]) -> None:
    ours, theirs = statement
    relation = theirs.partition(" FROM ")[2].split()[0]
    rows = kept(relation, filters_of(ours))
    sides.plain.register("kept_rows", rows)
    filtered = theirs.replace(f" FROM {relation} ", " FROM kept_rows ", 1)
    assert ordered(sides.theirs(filtered)) == ordered(sides.theirs(theirs)), ours


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("age > 20", "[['age', '>', 20]]"),
        ("age > 20.5 AND age <= 30", "[['age', '>', 20], ['age', '<=', 30]]"),
        ("age = 20 AND city = 'Oslo'", "[['age', '=', 20], ['city', '=', 'Oslo']]"),
        ("city IN ('Oslo', 'Rome')", "[['city', 'in', ['Oslo', 'Rome']]]"),
        ("city LIKE 'O%'", "[['city', '>=', 'O'], ['city', '<', 'P']]"),
        ("age = 20 OR age > 40 AND city = 'Oslo'", "[['age', '>=', 20]]"),
        ("age < 5 OR city = 'Oslo'", "[]"),
        ("age IS NULL", "[['age', '=', None]]"),
        ("age IS NOT NULL", "[['age', '!=', None]]"),
        ("age = 5 OR age IS NULL", "[]"),
        ("score > 'NaN'", "[['score', '!=', None]]"),
        ("score = 1.5", "[['score', '=', 1.5]]"),
        ("age = 1 AND age = 2", "[]"),
        ("upper(city) = 'OSLO'", "[]"),
    ],
)
def test_filters_in_the_option(where: str, shown: str) -> None:
    found = encode_filters(filters_of(f"SELECT * FROM people WHERE {where}")) or "[]"
    assert found == shown.replace("'", '"').replace("None", "null").replace(", ", ",")


def test_parameters_and_times() -> None:
    (found,) = filters_of("SELECT * FROM stock WHERE amount = $1::int", (5,), BIGINT)
    assert (found.column, found.operator, found.values) == ("amount", "=", (5,))
    since = filters_of("SELECT * FROM orders WHERE due >= timestamptz '1970-01-02 00:00:00+00'")
    assert encode_filters(since) == '[["due",">=","1970-01-02 00:00:00.000000Z"]]'
    assert kept("orders", since).column("due").to_pylist()[0].day == 2
    amounts = filters_of("SELECT * FROM orders WHERE amount < 3")
    assert encode_filters(amounts) == '[["amount","<","3.00"]]'
    days = filters_of("SELECT * FROM stock WHERE day = date '1970-01-02'")
    assert encode_filters(days) == '[["day","=","1970-01-02"]]'
    assert kept("stock", days).num_rows == 3


def test_what_the_option_cannot_say_is_left_out() -> None:
    timestamp = DataType.parse("timestamp")
    far = EngineFilter(column="t", operator="<", values=(400_000 * 365 * DAY_US,), type=timestamp)
    text = EngineFilter(column="t", operator="=", values=("\ud800",), type=DataType.parse("text"))
    plain = EngineFilter(column="n", operator="=", values=(1,), type=BIGINT)
    assert encode_filters([far, text]) == ""
    assert encode_filters([far, plain]) == '[["n","=",1]]'


def test_long_lists_become_ranges() -> None:
    listed = ", ".join(map(str, range(VALUES_MAX + 1)))
    found = filters_of(f"SELECT * FROM people WHERE age IN ({listed})")
    assert [(each.operator, each.values) for each in found] == [
        (">=", (0,)),
        ("<=", (VALUES_MAX,)),
    ]
