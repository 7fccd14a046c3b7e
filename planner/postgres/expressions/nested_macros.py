"""Nested macros, whose expansion would double with each level.

DuckDB writes a macro's argument wherever the macro reads it: `upper(upper(upper(x)))` has x 27
times if `upper` reads its argument three times. So an argument that would be written more than
COPIES_MAX times becomes the only element of a list, and a lambda reads it.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import cache

from sqlglot import exp

from stategate.planner.composing.functions.macros import MACROS
from stategate.planner.postgres.expressions.volatile import held
from stategate.planner.records.functions import OF_MANY_ROWS
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, kinds

COPIES_MAX = 64
"""How often a value may be written in what DuckDB makes of an expression."""
_REPEATING = kinds(exp.Anonymous, exp.Nullif, exp.SplitPart, exp.ArrayToString, exp.Case)
_OF_NODES: Mapping[type[exp.Expr], int] = {exp.Nullif: 2, exp.SplitPart: 2, exp.ArrayToString: 2}
"""How often macros of DuckDB's own write their first argument."""
_OF_DUCKDB = {"nullif": (2, 1), "split_part": (2, 2, 2), "array_to_string": (2, 1)}
_HEADS = re.compile(r"\s*(\w+)\((.*?)\)\s+AS\s", re.DOTALL)
_TOKENS = re.compile(r"'(?:[^']|'')*'|(?P<called>\w+)\(|(?P<word>\w+)|(?P<sign>[(),\[\]])")


def hold_nested(tree: exp.Expr, nodes: Nodes, taken: Container[str]) -> bool:
    """Hold arguments of macros that DuckDB would write very often, in place; tell if there are any.

    Args:
        tree: a tree that DuckDB can run.
        nodes: its nodes.
        taken: the names in the statement.
    """
    most_held = len([*nodes.among(_REPEATING)])
    if most_held < 2:
        return False
    prefix = "held"
    while any(f"{prefix}{number}" in taken for number in range(most_held)):
        prefix += "_"
    copies: dict[int, int] = {}
    numbers: dict[int, int] = {}
    """How many values are held in a node. Equal expressions get equal names: they may be groups."""
    is_changed = False
    for node in reversed(list(tree.walk())):
        checkpoint()
        most, number, whole = 1, 0, node
        for child in [*node.iter_expressions()]:
            inner, times = copies.get(id(child), 1), reads(node, child)
            number += numbers.get(id(child), 0)
            most = max(most, inner * times)
        if most > COPIES_MAX and isinstance(node, tuple(_REPEATING)):
            most = 1
            for child in [*node.iter_expressions()]:
                inner, times = copies.get(id(child), 1), reads(node, child)
                if inner > 1 and times > 1 and _can_hold(node, child):
                    whole = held(node, child, f"{prefix}{number}", whole)
                    number, times, is_changed = number + 1, 1, True
                most = max(most, inner * times)
        copies[id(whole)], numbers[id(whole)] = most, number
    return is_changed


def _can_hold(node: exp.Expr, child: exp.Expr) -> bool:
    """Whether no subquery and no aggregate is beside a value: DuckDB takes none in a lambda."""
    others = [each for each in node.iter_expressions() if each is not child]
    return not any(_is_of_rows(inner) for each in others for inner in each.walk())


def _is_of_rows(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        return node.name.lower() in OF_MANY_ROWS
    return isinstance(node, exp.Query | exp.AggFunc | exp.Window)


def reads(node: exp.Expr, child: exp.Expr) -> int:
    """Return how often DuckDB writes an operand of a node."""
    if isinstance(node, exp.Anonymous):
        counts = _counts(node.name.lower())
        return counts[child.index or 0] if (child.index or 0) < len(counts) else 1
    if child.arg_key != "this":
        return 1
    return len(node.args["ifs"]) if isinstance(node, exp.Case) else _OF_NODES.get(type(node), 1)


@cache
def _counts(name: str) -> tuple[int, ...]:
    """Return how often a macro writes each of its arguments, with the macros that it uses."""
    found = _macros().get(name)
    if found is None:
        return _OF_DUCKDB.get(name, ())
    parameters, body = found
    counts = dict.fromkeys(parameters, 0)
    around: list[tuple[str, int, int]] = []  # calls: their name, argument, and copies of the call
    for token in _TOKENS.finditer(body):
        word, sign = token["word"], token["sign"]
        times = 1
        if around:
            called, place, outside = around[-1]
            own = _counts(called)
            times = outside * (own[place] if place < len(own) else 1)
        if token["called"] is not None:
            around.append((token["called"].lower(), 0, times))
        elif sign in {"(", "["}:
            around.append(("", 0, times))
        elif sign in {")", "]"}:
            around.pop()
        elif sign == "," and around:
            called, place, outside = around[-1]
            around[-1] = called, place + 1, outside
        elif word in counts:
            counts[word] += times
    return tuple(counts.values())


@cache
def _macros() -> Mapping[str, tuple[tuple[str, ...], str]]:
    """Return the parameters and the body of each macro, by its name."""
    found: dict[str, tuple[tuple[str, ...], str]] = {}
    for macro in MACROS:
        head = _HEADS.match(macro)
        assert head is not None, macro
        parameters = tuple(each.strip() for each in head[2].split(",") if each.strip())
        found[head[1].lower()] = parameters, macro[head.end() :]
    return found
