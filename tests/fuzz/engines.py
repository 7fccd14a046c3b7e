"""Generated statements by all ways that the planner has, over the same stores.

The judge is an engine with all partitions, which runs each statement in DuckDB. It must agree with
an engine on one of three nodes, with few rows and many, by lookups and in pages, and with each
clause and setting. A live query's first rows and changes must make the rows of each epoch.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from tests.fuzz.grammar.clauses import Clauses
from tests.fuzz.grammar.constants import CONSTANTS
from tests.fuzz.grammar.expressions import Expressions
from tests.fuzz.grammar.plain import Plain
from tests.fuzz.grammar.portable import Portable
from tests.fuzz.grammar.statements import Case, Statements
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.tree import Literal, Node, Part, literals, shrunk
from tests.fuzz.ways import named
from tests.fuzz.ways.asked import (
    Answer,
    Asked,
    Difference,
    answer,
    by_lookup,
    differs,
    elsewhere,
    explained,
    in_pages,
    of_each,
    shown,
    written,
)
from tests.fuzz.ways.live import watched
from tests.fuzz.ways.nodes import LOST, World, world

PART = "engine"
_INTERNAL = "XX000"
_ROWS_MAX = 20_000


def run(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Run generated statements by all ways until the budget is spent."""
    del directory
    with world() as found:
        for number in budget.cases():
            if budget.spent():
                return
            chance = report.random(PART, number)
            if chance.random() < 0.15:
                _note(report, number, named.wrong(found, chance))
            else:
                _check(found, report, number, _draw(chance, without), chance)


def _note(report: Report, number: int, outcome: Difference | str) -> None:
    """Note what came of a case that is not made smaller."""
    if isinstance(outcome, str):
        report.passed(outcome)
    else:
        way, how, what = outcome
        report.failed(Failure(part=PART, case=number, kind=f"{way}: {how}", what=what))


def _draw(chance: random.Random, without: frozenset[str]) -> Asked:
    is_plain = chance.random() < 0.5
    if is_plain:
        case = Plain(chance).case()
    elif chance.random() < 0.4:
        case = Case(root=Node("rows", (Portable(chance).statement(),)))
    else:
        case = Statements(chance, without, depth=chance.choice([1, 2, 3])).case()
    clauses = Clauses(chance)
    return Asked(
        root=case.root,
        has_parameters=chance.random() < 0.3,
        bare=is_plain and chance.random() < 0.7,
        clause=clauses.clause() if chance.random() < 0.25 else "",
        settings=clauses.settings() if chance.random() < 0.25 else {},
        begins=clauses.begin() if chance.random() < 0.1 else "",
    )


def _check(found: World, report: Report, number: int, asked: Asked, chance: random.Random) -> None:
    seed = chance.random()

    def wrong(root: Node) -> Difference | str:
        asked.root = root
        return _wrong(found, asked, random.Random(seed))

    first = wrong(asked.root)
    if isinstance(first, str):
        report.passed(first)
        return
    kind = f"{first[0]}: {first[1]}"
    if not report.is_known(kind):
        small = shrunk(asked.root, lambda root: wrong(root)[:2] == first[:2], tries_max=200)
        again = wrong(small)
        first = again if not isinstance(again, str) else first
    sql, values = asked.sent()
    what = f"{sql}\n{values} {dict(asked.settings)} {asked.begins}\n{first[2]}"
    report.failed(Failure(part=PART, case=number, kind=kind, what=what))


def _wrong(found: World, asked: Asked, chance: random.Random) -> Difference | str:
    """Return the way that differs, how, and both answers; the outcome if none does."""
    wanted = answer(found.judge, asked)
    if wanted == _INTERNAL:
        return "judge", _INTERNAL, ""
    if isinstance(wanted, Counter) and wanted.total() > _ROWS_MAX:
        return "too many rows"
    lost = [chance.choice(LOST)] if chance.random() < 0.15 else []
    with found.without(*lost):
        ways: Mapping[str, Callable[[], Answer | None]] = {
            "nodes": lambda: answer(found.here, asked),
            "few rows": lambda: answer(found.alone, asked),
            "again": lambda: answer(found.here, asked),
            "lookup": lambda: by_lookup(found.here, asked),
            "elsewhere": lambda: elsewhere(found.here, asked),
            "each": lambda: of_each(found.here, asked),
            "pages": lambda: in_pages(found.here, asked, chance.randint(1, 9)),
        }
        for way, ask in ways.items():
            given = ask()
            if given is not None and (how := differs(given, wanted)) is not None:
                return way, how, f"ours: {shown(given, wanted)}\njudge: {shown(wanted, given)}"
        if (shape_differs := _shapes(found, asked, chance)) is not None:
            return shape_differs
        failed = explained(found.here, asked, wanted, chance) or written(found.spark, asked, wanted)
        if failed is not None:
            return "plan", failed, failed
    if isinstance(wanted, str):
        return "error"
    return watched(found, asked, chance) if chance.random() < 0.4 else "rows"


def _shapes(found: World, asked: Asked, chance: random.Random) -> Difference | None:
    """Return how the statement differs with other constants, which may get its plan."""
    for _ in range(2):
        other = replace(asked, root=_varied(asked.root, Expressions(chance)))
        given, wanted = answer(found.here, other), answer(found.judge, other)
        if (how := differs(given, wanted)) is not None:
            both = f"ours: {shown(given, wanted)}\njudge: {shown(wanted, given)}"
            return "shape", how, f"{other.sent()}\n{both}"
    return None


def _varied(part: Node, expressions: Expressions) -> Node:
    """Return a statement with other constants: those of a shape share a plan."""

    def other(each: Part) -> Part:
        if isinstance(each, Node):
            return _varied(each, expressions)
        if isinstance(each, Literal) and each.type in CONSTANTS:
            return next(literals(expressions.constant(each.type)), each)
        return each

    return Node(part.sort, tuple(map(other, part.parts)), part.simplest)
