"""Every operator, plain and negated, gives DuckDB's rows; the SQL for DuckDB is written here.

If that SQL were generated from our parser's tree, a misreading would affect both sides. So each
condition is drawn as two texts: in PostgreSQL's SQL for the engine, and in DuckDB's plainest SQL
for the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.planner.sides import Sides, ordered
from tests.planner.world import world

EXAMPLES = settings().max_examples


@dataclass(frozen=True)
class Spelled:
    """A condition, as written for the engine and for DuckDB."""

    ours: str
    theirs: str


Spelleds = st.SearchStrategy[Spelled]

TEXTS = st.sampled_from(
    ["'ann'", "'a'", "''", "'bob'", "'Oslo'", "'zz'", "NULL", "'ann'::varchar", "'bob'::text"]
)
PATTERNS = st.sampled_from(["a%", "%n", "ann", "_ob", "%", "", "b%b", "A%", "a\\%", "%o%", "Os%"])
REGEXES = st.sampled_from(["^a", "^an+", "b$", "^ann$", ".", "^Os", "o", "^[ab]"])
_CAST_NUMBERS = ["7::smallint::bigint", "(-1)::smallint", "30::numeric(9,2)", "40000::bigint"]
NUMBERS = st.sampled_from(["-1", "0", "1", "2", "7", "30", "2.5", "NULL", *_CAST_NUMBERS])
TIMES = st.sampled_from(
    [f"timestamptz '1970-01-01 0{hour}:00:00+00'" for hour in range(6)] + ["NULL"]
)
_CAST_DAYS = ["timestamp '1970-01-02 00:00:01'::date", "date '1970-01-02'::timestamp"]
DAYS = st.sampled_from(
    ["date '1970-01-01'", "date '1970-01-02'", "date '1969-12-31'", "NULL", *_CAST_DAYS]
)
COLUMNS = {
    "people": {"name": TEXTS, "age": NUMBERS, "score": NUMBERS, "city": TEXTS},
    "orders": {"name": TEXTS, "number": NUMBERS, "amount": NUMBERS, "due": TIMES},
    "clicks": {"name": TEXTS, "window_start": TIMES, "window_end": TIMES, "clicks": NUMBERS},
    "stock": {"item": NUMBERS, "day": DAYS, "amount": NUMBERS},
    "visits": {'"at"': TIMES, "name": TEXTS},
}


def same(text: str) -> Spelled:
    return Spelled(text, text)


def negated(operator: str, ours: str, theirs: str, *, is_negated: bool) -> Spelled:
    """Return `x operator y`, or `x NOT operator y`, which DuckDB gets as NOT (x operator y)."""
    spelled = ours.replace("@", f"NOT {operator}" if is_negated else operator)
    return Spelled(spelled, f"(NOT ({theirs}))" if is_negated else f"({theirs})")


@st.composite
def text_matches(draw: st.DrawFn, column: str) -> Spelled:
    """Draw LIKE and similar operators."""
    is_negated = draw(st.booleans())
    kind = draw(st.sampled_from(["like", "ilike", "escape", "regex", "iregex", "starts"]))
    if kind in {"like", "ilike"}:
        pattern = draw(PATTERNS)
        word, plain = ("LIKE", "~~") if kind == "like" else ("ILIKE", "~~*")
        theirs = f"{column} {word} '{pattern}' ESCAPE '\\'"
        if draw(st.booleans()):
            return negated(word, f"{column} @ '{pattern}'", theirs, is_negated=is_negated)
        sign = f"!{plain}" if is_negated else plain
        wanted = f"(NOT ({theirs}))" if is_negated else f"({theirs})"
        return Spelled(f"{column} {sign} '{pattern}'", wanted)
    if kind == "escape":
        pattern = draw(st.sampled_from(["a!%", "a%", "!_%", "%!%"]))
        theirs = f"{column} LIKE '{pattern}' ESCAPE '!'"
        return negated("LIKE", f"{column} @ '{pattern}' ESCAPE '!'", theirs, is_negated=is_negated)
    if kind == "starts":
        start = draw(st.sampled_from(["a", "ann", "", "O"]))
        theirs = f"starts_with({column}, '{start}')"
        ours = draw(st.sampled_from([f"{column} ^@ '{start}'", theirs]))
        return Spelled(f"NOT {ours}", f"(NOT {theirs})") if is_negated else Spelled(ours, theirs)
    pattern = draw(REGEXES)
    sign, flags = ("~", "") if kind == "regex" else ("~*", ", 'i'")
    theirs = f"regexp_matches({column}, '{pattern}'{flags})"
    sign = f"!{sign}" if is_negated else sign
    return Spelled(f"{column} {sign} '{pattern}'", f"(NOT {theirs})" if is_negated else theirs)


@st.composite
def similar(draw: st.DrawFn, column: str) -> Spelled:
    pattern, regex = draw(st.sampled_from([("a%", "a.*"), ("(ann|bob)", "(ann|bob)"), ("_", ".")]))
    theirs = f"regexp_full_match({column}, '{regex}')"
    return negated("SIMILAR TO", f"{column} @ '{pattern}'", theirs, is_negated=draw(st.booleans()))


@st.composite
def comparisons(draw: st.DrawFn, column: str, literals: st.SearchStrategy[str]) -> Spelled:
    kind = draw(st.sampled_from(["plain", "mirrored", "distinct", "between", "in", "any", "null"]))
    one, other = draw(literals), draw(literals)
    is_negated = draw(st.booleans())
    if kind in {"plain", "mirrored"}:
        operator = draw(st.sampled_from(["=", "<>", "!=", "<", "<=", ">", ">="]))
        if kind == "plain":
            return same(f"{column} {operator} {one}")
        return same(f"{one} {operator} {column}")
    if kind == "distinct":
        return same(f"{column} IS {'NOT ' if is_negated else ''}DISTINCT FROM {one}")
    if kind == "between":
        theirs = f"{column} >= {one} AND {column} <= {other}"
        word = "BETWEEN"
        if draw(st.booleans()):
            word = "BETWEEN SYMMETRIC"
            theirs = f"({theirs}) OR ({column} >= {other} AND {column} <= {one})"
        return negated(word, f"{column} @ {one} AND {other}", theirs, is_negated=is_negated)
    if kind == "null":
        denied = [f"{column} IS NOT NULL", f"{column} NOTNULL", f"NOT {column} IS NULL"]
        said = [f"{column} IS NULL", f"{column} ISNULL", f"NOT ({column} IS NOT NULL)"]
        theirs = f"{column} IS NOT NULL" if is_negated else f"{column} IS NULL"
        return Spelled(draw(st.sampled_from(denied if is_negated else said)), f"({theirs})")
    listed = draw(st.lists(literals, min_size=1, max_size=4))
    if kind == "in":
        theirs = " OR ".join(f"{column} = {each}" for each in listed)
        return negated("IN", f"{column} @ ({', '.join(listed)})", theirs, is_negated=is_negated)
    operator, word = draw(
        st.sampled_from([(o, w) for o in ("=", "<>", "<", ">=") for w in ("ANY", "ALL")])
    )
    joined = " OR " if word == "ANY" else " AND "
    theirs = joined.join(f"{column} {operator} {each}" for each in listed if each != "NULL")
    listed = [each for each in listed if each != "NULL"]
    if not listed:
        return same(f"{column} = {column}")
    prefix = "NOT " if is_negated else ""
    ours = f"{prefix}{column} {operator} {word} (ARRAY[{', '.join(listed)}])"
    return Spelled(ours, f"({prefix}({theirs}))")


@st.composite
def rows(draw: st.DrawFn, columns: dict[str, st.SearchStrategy[str]]) -> Spelled:
    """Draw rows of two columns that are compared, or in a list."""
    names = draw(st.permutations(sorted(columns)))[:2]
    members = draw(st.lists(st.tuples(*(columns[name] for name in names)), min_size=1, max_size=3))
    each = [" AND ".join(f"{n} = {v}" for n, v in zip(names, m, strict=True)) for m in members]
    operator = draw(st.sampled_from(["IN", "=", "<>"]))
    left = f"({', '.join(names)})"
    if operator == "IN":
        listed = ", ".join(f"({', '.join(member)})" for member in members)
        theirs = " OR ".join(f"({part})" for part in each)
        return negated("IN", f"{left} @ ({listed})", theirs, is_negated=draw(st.booleans()))
    theirs = f"({each[0]})" if operator == "=" else f"(NOT ({each[0]}))"
    return Spelled(f"{left} {operator} ({', '.join(members[0])})", theirs)


def leaves(relation: str) -> Spelleds:
    columns = COLUMNS[relation]
    found: list[Spelleds] = [rows(columns)]
    for name, literals in columns.items():
        found.append(comparisons(name, literals))
        if literals is TEXTS:
            found += [text_matches(name), similar(name)]
    if relation == "orders":
        found.append(st.just(same("paid")))
    return st.one_of(found)


@st.composite
def asked_of(draw: st.DrawFn, inner: Spelleds) -> Spelled:
    """Draw a condition with a test of its truth, such as IS NOT TRUE."""
    one = draw(inner)
    word, theirs = draw(
        st.sampled_from(
            [
                ("IS TRUE", "coalesce(({0}), false)"),
                ("IS NOT TRUE", "NOT coalesce(({0}), false)"),
                ("IS FALSE", "NOT coalesce(({0}), true)"),
                ("IS NOT FALSE", "coalesce(({0}), true)"),
                ("IS UNKNOWN", "({0}) IS NULL"),
                ("IS NOT UNKNOWN", "({0}) IS NOT NULL"),
                ("= false", "NOT ({0})"),
                ("<> false", "({0})"),
            ]
        )
    )
    return Spelled(f"(({one.ours}) {word})", f"({theirs.format(one.theirs)})")


def joined(word: str) -> Callable[[Spelled, Spelled], Spelled]:
    def build(one: Spelled, other: Spelled) -> Spelled:
        return Spelled(
            f"({one.ours} {word} {other.ours})", f"(({one.theirs}) {word} ({other.theirs}))"
        )

    return build


def conditions(relation: str) -> Spelleds:
    return st.recursive(
        leaves(relation),
        lambda inner: st.one_of(
            st.builds(joined("AND"), inner, inner),
            st.builds(joined("OR"), inner, inner),
            inner.map(lambda one: Spelled(f"(NOT {one.ours})", f"(NOT ({one.theirs}))")),
            asked_of(inner),
        ),
        max_leaves=4,
    )


@st.composite
def statements(draw: st.DrawFn) -> tuple[str, str]:
    relation = draw(st.sampled_from(sorted(COLUMNS)))
    where = draw(conditions(relation))
    listed = draw(st.sampled_from(["*", "count(*)", ", ".join(COLUMNS[relation])]))
    head = f"SELECT {listed} FROM {relation} WHERE"
    return f"{head} {where.ours}", f"{head} {where.theirs}"


@pytest.fixture(scope="module")
def sides() -> Sides:
    return world()


@given(statement=statements())
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
def test_every_operator_gives_duckdbs_rows(sides: Sides, statement: tuple[str, str]) -> None:
    ours, theirs = statement
    assert ordered(sides.ours(ours)) == ordered(sides.theirs(theirs)), (ours, theirs)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("name NOT LIKE 'a%'", "NOT (name LIKE 'a%')"),
        ("name !~~ 'ann'", "NOT (name LIKE 'ann')"),
        ("NOT (name NOT LIKE 'a%')", "name LIKE 'a%'"),
        ("city NOT LIKE 'O%'", "NOT (city LIKE 'O%')"),
        ("age IS NOT NULL IS NOT TRUE", "age IS NULL"),
    ],
)
def test_negated_conditions_are_read(sides: Sides, ours: str, theirs: str) -> None:
    head = "SELECT * FROM people WHERE "
    assert ordered(sides.ours(head + ours)) == ordered(sides.theirs(head + theirs))
