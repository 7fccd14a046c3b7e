"""The tables of calls: each name is in one table, and each table is used."""

from __future__ import annotations

import pkgutil
from collections import Counter
from collections.abc import Mapping
from importlib import import_module

from stategate.planner.postgres import expressions
from stategate.planner.postgres.expressions import calls
from stategate.planner.postgres.expressions.rules import CallRule
from stategate.planner.postgres.types.functions import FUNCTIONS


def tables() -> dict[str, Mapping[str, CallRule]]:
    """Return the tables of all modules but `calls`, which joins them, by name of module."""
    found = pkgutil.walk_packages(expressions.__path__, f"{expressions.__name__}.")
    modules = [import_module(each.name) for each in found]
    return {
        module.__name__.rpartition(".")[2]: module.CALLS
        for module in modules
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
