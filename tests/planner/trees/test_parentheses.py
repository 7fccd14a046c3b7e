"""The text of any tree of operators means that tree, whoever made it."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from stategate.planner.composing.compose import to_duckdb
from stategate.planner.trees.parentheses import enclosed

NUMBERS = st.sampled_from([exp.Literal.number(each) for each in (1, 2, 3, 7)])
ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.BitwiseAnd, exp.BitwiseOr)
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ)


def made(kind: type[exp.Expr], *sides: exp.Expr) -> exp.Expr:
    return kind(**dict(zip(("this", "expression"), (each.copy() for each in sides), strict=False)))


def numbers(inner: st.SearchStrategy[exp.Expr]) -> st.SearchStrategy[exp.Expr]:
    return st.one_of(
        st.builds(made, st.sampled_from(ARITHMETIC), inner, inner),
        st.builds(made, st.sampled_from([exp.Neg, exp.BitwiseNot]), inner),
    )


SUMS: st.SearchStrategy[exp.Expr] = st.recursive(NUMBERS, numbers, max_leaves=5)


def checked(value: exp.Expr, other: exp.Expr, third: exp.Expr, kind: str) -> exp.Expr:
    value, other, third = value.copy(), other.copy(), third.copy()
    match kind:
        case "between":
            return exp.Between(this=value, low=other, high=third)
        case "in":
            return exp.In(this=value, expressions=[other, third])
        case _:
            return exp.Is(this=value, expression=exp.Null())


def conditions(inner: st.SearchStrategy[exp.Expr]) -> st.SearchStrategy[exp.Expr]:
    return st.one_of(
        st.builds(made, st.sampled_from([exp.And, exp.Or, *COMPARISONS]), inner, inner),
        st.builds(made, st.just(exp.Not), inner),
        st.builds(checked, inner, inner, inner, st.sampled_from(["between", "in", "is"])),
    )


SIMPLE = st.one_of(
    st.sampled_from(
        [exp.true(), exp.false(), exp.Cast(this=exp.Null(), to=exp.DataType.build("boolean"))]
    ),
    st.builds(made, st.sampled_from(COMPARISONS), SUMS, SUMS),
    st.builds(checked, SUMS, SUMS, SUMS, st.sampled_from(["between", "in", "is"])),
)
CONDITIONS: st.SearchStrategy[exp.Expr] = st.recursive(SIMPLE, conditions, max_leaves=6)


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect()


@given(tree=SUMS | CONDITIONS)
def test_the_text_of_a_tree_means_that_tree(
    tree: exp.Expr, database: duckdb.DuckDBPyConnection
) -> None:
    explicit = tree.copy().transform(enclosed)
    found = []
    for each in (tree.copy(), explicit):
        try:
            found.append(database.execute(f"SELECT {to_duckdb(each)}").fetchone())
        except duckdb.Error as error:
            found.append((type(error).__name__,))
    assert found[0] == found[1], to_duckdb(tree.copy())


@pytest.mark.parametrize(
    ("sql", "written"),
    [
        ("a AND b AND c OR d", "a AND b AND c OR d"),
        ("a || b || c = d", "(a || b || c) = d"),
        ("a + b - c * d", "(a + b) - c * d"),
        ("NOT a IS NULL", "NOT a IS NULL"),
        ("NOT a IS NOT NULL", "NOT (NOT a IS NULL)"),
        ("x LIKE y ESCAPE 'z' AND b", "x LIKE y ESCAPE 'z' AND b"),
        ("f(a OR b, c = d)", "F(a OR b, c = d)"),
    ],
)
def test_a_tree_that_was_read_gets_few(sql: str, written: str) -> None:
    tree: exp.Expr = exp.maybe_parse(sql, dialect="duckdb")
    assert to_duckdb(tree).replace('"', "") == written
