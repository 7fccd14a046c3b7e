"""The tables of rules: each type of node is in one table, and each table is used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from sqlglot import exp

from stategate import planner
from stategate.planner.postgres import rewrite
from stategate.planner.postgres.expressions.rules import Rule


def tables() -> dict[str, Mapping[type[exp.Expr], Rule]]:
    """Return the tables of all modules with rules except `rewrite`, by name of module."""
    root = Path(planner.__path__[0])
    modules = [
        import_module(
            ".".join(("stategate.planner", *path.relative_to(root).with_suffix("").parts))
        )
        for path in (root / "postgres").rglob("*.py")
        if path.stem != "rewrite" and "\nRULES: Mapping[type[exp.Expr], Rule]" in path.read_text()
    ]
    return {module.__name__: module.RULES for module in modules}


def test_every_table_of_rules_is_used() -> None:
    found = tables()
    assert {
        "stategate.planner.postgres.expressions.arithmetic",
        "stategate.planner.postgres.expressions.casts",
        "stategate.planner.postgres.expressions.conditions",
    } <= set(found)
    for module, table in found.items():
        assert {kind: rewrite.RULES.get(kind) for kind in table} == dict(table), module


def test_each_node_type_has_one_rule() -> None:
    """If two tables had a type, the later one would win silently."""
    counts = Counter(kind for table in tables().values() for kind in table)
    assert [kind for kind, count in counts.items() if count > 1] == []
