"""The law of plain lookups: a plan made of the text is the one made of the tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.binding.column_origins import ResultColumn
from stategate.planner.binding.predicates import Equals
from stategate.planner.binding.running_statements import RunningQueries
from stategate.planner.planning.plain_lookups import PlainLookups
from stategate.planner.planning.plan import Lookup, QueryPlan
from stategate.planner.running.fast_lookup import key_of
from stategate.planner.statements.engine_parts import EngineLimits, open_parts
from stategate.planner.statements.prepare import QueryPreparer
from stategate.planner.syntax.parse import parse
from stategate.planner.trees.dialect import DIALECT
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.rights import Rights
from stategate.planner.values.statement import Statement
from stategate.stores.spec.schema import BIGINT, INTEGER, TEXT, Column, DataType, Row, StoreSchema
from tests.support.stores import FixedCatalog, keyvalue, open_store, window

VALUES = {"visits": "bigint", "score": "double", "name": "text", "date": "date", "Upper": "text"}
TYPES = {
    **{
        "of_text": "text",
        "of_integer": "integer",
        "of_smallint": "smallint",
        "of_bigint": "bigint",
    },
    **{"of_time": "timestamptz", "of_date": "date", "of_macaddr": "macaddr", "of_double": "double"},
    "of_decimal": "decimal(9,2)",
}
KEYS = {
    **{name: {"id": each} for name, each in TYPES.items()},
    "pairs": {"id": "text", "part": "integer"},
    "triples": {"part": "bigint", "id": "text", "third": "date"},
    "users": {"user": "text"},
    "dates": {"date": "text"},
    "cased": {"Id": "text"},
}
STORES = (
    *(
        keyvalue(name, key, {n: t for n, t in VALUES.items() if n not in key})
        for name, key in KEYS.items()
    ),
    keyvalue("Upper", {"id": "text"}, VALUES),
    keyvalue("table", {"id": "text"}, VALUES),
    window("windows", {"id": "text"}, {"visits": "bigint"}),
)
WORDS = sorted(
    {
        *(word for each in DIALECT.tokenizer_class.KEYWORDS for word in each.lower().split()),
        *(word.lower() for word in DIALECT.parser_class.NO_PAREN_FUNCTION_PARSERS),
        *(word.lower() for word in DIALECT.parser_class.FUNCTION_PARSERS),
        *(word.lower() for word in DIALECT.parser_class.FUNCTIONS),
        *("user", "current_role", "ctid", "oid", "regclass", "if", "unknown", "asymmetric", "both"),
        *("analyse", "collation", "deferrable", "initially", "leading", "placing", "symmetric"),
    }
)
"""Words that could mean more than a name."""


@contextmanager
def planner_over(*schemas: StoreSchema) -> Iterator[QueryPreparer]:
    catalog = FixedCatalog(*map(open_store, schemas))
    parts = open_parts(
        catalog,
        EngineLimits(),
        node="n",
        clock=lambda: 0,
        queries=RunningQueries(lambda: 0),
        rights=Rights(),
    )
    yield QueryPreparer(parts)
    parts.close()


@pytest.fixture(scope="module")
def planner() -> Iterator[QueryPreparer]:
    with planner_over(*STORES) as found:
        yield found


def of_tree(planner: QueryPreparer, sql: str, types: Sequence[DataType | None] = ()) -> Statement:
    parsed = parse(sql, types)
    assert parsed.tree is not None
    return planner.prepare(parsed, parsed.tree, types, Cancellation())


def shown(statement: Statement, parameters: Row) -> object:
    """Return everything that a plan of a lookup says and does."""
    plan = statement.plan
    assert isinstance(plan, QueryPlan)
    assert isinstance(plan.node, Lookup)
    assert statement.look_up is not None
    node, access = plan.node, plan.node.access
    stored = (*access.schema.key, *access.schema.value)
    return (
        (statement.sql, statement.kind, statement.parameters, statement.returns_rows),
        [(c.name, c.type, origin_of(c)) for c in statement.columns],
        (plan.columns == statement.columns, plan.origins, plan.parameters, plan.clause),
        (plan.rows, plan.join, plan.residual, plan.catalog_version, plan.costs),
        plan.catalog_values,
        (node.describe(), access.schema, access.columns, access.predicate.exact),
        [(c.column, c.null, c.known) for c in access.predicate.conditions if isinstance(c, Equals)],
        [(o.text, o.constant, o.parameter, o.compute, o.is_list) for o in node.operands],
        key_of(node.operands, parameters),
        node.project(tuple(column.name for column in stored)),
    )


def origin_of(column: Column) -> tuple[int, int]:
    assert isinstance(column, ResultColumn)
    return column.table_oid, column.number


def check(planner: QueryPreparer, sql: str, types: Sequence[DataType | None] = ()) -> bool:
    """Check the law; return whether the plan can be made of the text."""
    found = planner.prepare_lookup(sql, types)
    if found is None:
        return False
    values = tuple(["x" if each == TEXT else 7 for each in found.parameters])
    assert shown(found, values) == shown(of_tree(planner, sql, types), values), sql
    return True


LITERALS = {"text": "'x'", "integer": "7", "smallint": "7", "bigint": "7"}
ODD_VALUES = [
    *("''", "'it''s'", "'7'", "7", "0070", "-7", "99999999999", "1.5", "$1", "$2", "NULL", "E'x'"),
    *("'2020-01-01'", "user", "'user'", "'a AND b = 1'"),
]


@st.composite
def lookups(draw: st.DrawFn) -> tuple[str, tuple[DataType | None, ...]]:
    """Draw lookups, and texts that are almost lookups."""
    store = draw(st.sampled_from(STORES))
    odd = draw(st.sampled_from(["", "items", "values", "pairs", "types", "tail"]))
    known = [column.name for column in (*store.key, *store.value)]
    known += ["_partition", '"Upper"', f"{store.name}.visits", "1"] if odd == "items" else []
    item = st.tuples(st.sampled_from(known), st.sampled_from(["", "", " AS a", " as Name"]))
    items = draw(st.just("*") | st.lists(item.map("".join), min_size=1, max_size=4).map(", ".join))
    pairs, count = [], 1
    for column in draw(st.permutations(store.key)):
        value = draw(st.sampled_from([LITERALS.get(str(column.type), ""), ""])) or f"${count}"
        value = draw(st.sampled_from(ODD_VALUES)) if odd == "values" else value
        pairs.append(f"{column.name}{draw(SPACES)}={draw(SPACES)}{value}")
        count += value[0] == "$"
    pairs += draw(st.sampled_from([["visits = 1"], ["id = 'x'"]])) if odd == "pairs" else []
    tails = [" ", " LIMIT 1", " -- end", ";", " ORDER BY 1", " OR true"]
    tail = draw(st.sampled_from(tails)) if odd == "tail" else ""
    sql = f"SELECT {items} FROM {store.name} WHERE {' AND '.join(pairs)}{tail}"
    types = draw(st.lists(st.sampled_from([None, TEXT, INTEGER, BIGINT]), max_size=2))
    return draw(st.sampled_from([sql, sql.lower()])), tuple(types) if odd == "types" else ()


SPACES = st.sampled_from(["", " ", "\n\t"])


@given(lookups())
def test_a_plan_made_of_the_text_is_the_one_made_of_the_tree(
    planner: QueryPreparer, found: tuple[str, tuple[DataType | None, ...]]
) -> None:
    check(planner, *found)


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT visits, score FROM of_text WHERE id = $1", ()),
        ("SELECT visits, score FROM of_text WHERE id = $1", (TEXT,)),
        ("SELECT visits, score FROM of_text WHERE id = $1", (None,)),
        ("select visits as V, id, id from OF_TEXT where ID='it is'", ()),
        ("\n SELECT *\nFROM of_integer\nWHERE id = 0012 ", ()),
        ("SELECT name AS user, date FROM of_text WHERE id = ''", ()),
        ("SELECT * FROM of_time WHERE id = $1", ()),
        ("SELECT score FROM pairs WHERE part = $1 AND id = $2", (None, TEXT)),
        ("SELECT score FROM pairs WHERE id = 'a AND b = 1' and part = 5", ()),
        ("SELECT score FROM triples WHERE id = $1 AND third = $2 AND part = $3", ()),
        ("SELECT score FROM dates WHERE date = 'x'", ()),
    ],
)
def test_lookups_need_no_tree(
    planner: QueryPreparer, sql: str, types: tuple[DataType | None, ...]
) -> None:
    assert check(planner, sql, types)


@pytest.mark.parametrize(
    ("sql", "types"),
    [
        ("SELECT visits FROM of_text WHERE id = 7", ()),
        ("SELECT visits FROM of_integer WHERE id = 'seven'", ()),
        ("SELECT visits FROM of_integer WHERE id = 99999999999", ()),
        ("SELECT visits FROM of_text WHERE id = 'x' LIMIT 1", ()),
        ("SELECT visits FROM of_text WHERE id = 'x' AND id = 'y'", ()),
        ("SELECT visits FROM of_text WHERE id = 'x' AND visits = 1", ()),
        ("SELECT visits FROM of_text WHERE id = $2", ()),
        ("SELECT visits FROM of_text WHERE id = $1", (INTEGER,)),
        ("SELECT visits FROM of_text WHERE id = $1", (TEXT, TEXT)),
        ("SELECT visits FROM pairs WHERE id = 'x'", ()),
        ("SELECT user FROM users WHERE user = 'x'", ()),
        ("SELECT _partition FROM of_text WHERE id = 'x'", ()),
        ("SELECT visits FROM windows WHERE id = 'x'", ()),
        ("SELECT visits FROM public.of_text WHERE id = 'x'", ()),
        ("SELECT visits FROM of_text WHERE id = 'x' -- y", ()),
        ("SELECT visits FROM missing WHERE id = 'x'", ()),
        ("SELECT visits FROM upper WHERE id = 'x'", ()),
        (f"SELECT visits FROM of_text WHERE id = '{'x' * 2_000}'", ()),
    ],
)
def test_other_texts_are_left_to_the_parser(
    planner: QueryPreparer, sql: str, types: tuple[DataType | None, ...]
) -> None:
    assert planner.prepare_lookup(sql, types) is None


def test_a_word_of_sql_is_a_name_only_where_it_is_one_in_the_tree() -> None:
    words = [word for word in WORDS if word.isidentifier()]
    stores = [
        keyvalue(name, {word: "text"}, {"visits": "bigint"})
        for word in words
        for name in {word, f"their_{word}"} - {store.name for store in STORES}
    ]
    read = [0, 0, 0]
    with planner_over(*STORES, *stores) as planner:
        for word in words:
            read[0] += check(
                planner, f"SELECT {word}, {word} AS {word} FROM their_{word} WHERE {word} = $1"
            )
            read[1] += check(planner, f"SELECT visits FROM {word} WHERE {word} = 'x'")
            read[2] += check(planner, f"SELECT id AS {word} FROM pairs WHERE id = 'x' AND part = 1")
    assert min(read) > 100


def test_a_changed_store_is_planned_anew() -> None:
    catalog = FixedCatalog(open_store(STORES[0]))
    lookups = PlainLookups(catalog, lambda _: 1)
    before = lookups.plan("SELECT * FROM of_text WHERE id = 'x'", ())
    catalog.replace(open_store(keyvalue("of_text", {"id": "text"}, {"other": "text"})))
    after = lookups.plan("SELECT * FROM of_text WHERE id = 'x'", ())
    assert before is not None
    assert after is not None
    assert [column.name for column in after.columns] == ["id", "other"]
    assert after.catalog_version > before.catalog_version
