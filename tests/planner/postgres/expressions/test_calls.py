"""The tables of calls: each name is in one table, and each table is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from planner.postgres import expressions
from planner.postgres.expressions import calls
from planner.postgres.expressions.rules import CallRule
from planner.postgres.types.functions import FUNCTIONS


def tables() -> dict[str, Mapping[str, CallRule]]:
    """Return the tables of all modules but `calls`, which joins them, by name of module."""
    names = {path.stem for path in Path(expressions.__path__[0]).glob("*.py")}
    modules = {name: import_module(f"{expressions.__name__}.{name}") for name in sorted(names)}
    return {
        name: module.CALLS
        for name, module in modules.items()
        if hasattr(module, "CALLS") and module is not calls
    }


def test_every_table_of_calls_is_used() -> None:
    found = tables()
    assert {"arithmetic", "json_rules", "patterns", "text_calls", "time_calls"} <= set(found)
    for module, table in found.items():
        assert {name: calls.CALLS.get(name) for name in table} == dict(table), module


def test_each_function_has_one_rule() -> None:
    """If two tables had the same name, the later one would win silently."""
    counts = Counter(name for table in tables().values() for name in table)
    assert [name for name, count in counts.items() if count > 1] == []


def test_functions_with_rules_can_be_called() -> None:
    assert set(calls.CALLS) - FUNCTIONS == set()
