"""The tables of rules: each kind of node in one of them, and each of them asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

from sqlglot import exp

import planner
from planner.postgres import rewrite
from planner.postgres.types.rules import Rule


def tables() -> dict[str, Mapping[type[exp.Expr], Rule]]:
    """The table of every module that has rules for nodes but `rewrite`, by the module's name."""
    root = Path(planner.__path__[0])
    modules = [
        import_module(".".join(("planner", *path.relative_to(root).with_suffix("").parts)))
        for path in (root / "postgres").rglob("*.py")
        if path.stem != "rewrite" and "\nRULES: Mapping[type[exp.Expr], Rule]" in path.read_text()
    ]
    return {module.__name__: module.RULES for module in modules}


def test_no_table_is_forgotten() -> None:
    found = tables()
    assert {
        "planner.postgres.expressions.arithmetic",
        "planner.postgres.expressions.casts",
        "planner.postgres.expressions.conditions",
    } <= set(found)
    for module, table in found.items():
        assert {kind: rewrite.RULES.get(kind) for kind in table} == dict(table), module


def test_a_node_has_one_rule() -> None:
    """Of two tables that hold a kind of node, the later would win in silence."""
    counts = Counter(kind for table in tables().values() for kind in table)
    assert [kind for kind, count in counts.items() if count > 1] == []
