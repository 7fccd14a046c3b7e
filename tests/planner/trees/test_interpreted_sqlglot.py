"""The planner imports and runs with the compiled sqlglot and with the plain one."""

from __future__ import annotations

from importlib.util import find_spec
from types import FunctionType

from sqlglot import exp

from stategate.planner.composing.compose import to_duckdb
from stategate.planner.trees.dialect import DIALECT
from stategate.planner.trees.interpreted_sqlglot import DuckDBGenerator, is_compiled


def test_the_build_that_is_installed_is_known() -> None:
    has_compiled = find_spec("sqlglot.parser__mypyc") is not None
    assert is_compiled("parser") is has_compiled
    assert is_compiled("generators.duckdb") is has_compiled
    assert not is_compiled("dialects.postgres")


def test_parser_and_generator_are_extended() -> None:
    (tree,) = DIALECT.parse("SELECT @ a / 2 FROM t, unnest(b)")
    assert isinstance(tree, exp.Select)
    assert isinstance(tree.selects[0], exp.Abs)
    assert to_duckdb(tree) == 'SELECT ABS(("a" / 2)) FROM "t", UNNEST("b")'


def test_the_generator_has_no_rules_for_compiled_nodes() -> None:
    assert {type(rule) for rule in DuckDBGenerator.TRANSFORMS.values()} == {FunctionType}
    (tree,) = DIALECT.parse("SELECT approx_distinct(a)")
    assert tree is not None
    assert to_duckdb(tree) == 'SELECT APPROX_COUNT_DISTINCT("a")'
