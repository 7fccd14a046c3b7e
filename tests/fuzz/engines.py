"""Generated statements by all ways that the planner has, over the same stores.

The judge is an engine with all partitions, which runs each statement in DuckDB. It must agree with
an engine on one of three nodes, with few rows and many, by lookups and in pages, and with each
clause and setting. A live query's first rows and changes must make the rows of each epoch, also for
a client that comes back after a restart. Queries by name are judged by plain Python.
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
from tests.fuzz.grammar.keyed import Keyed
from tests.fuzz.grammar.own import Own, spelled_out
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
from tests.fuzz.ways.past import left_and_back, log_world
from tests.fuzz.ways.texts import other_texts, void_arguments

PART = "engine"
_INTERNAL = "XX000"
_ROWS_MAX = 20_000
_BY_NAME, _VOID, _BY_LOG = 0.15, 0.03, 0.05
"""How many cases are queries by name, calls with void arguments, and returns after a restart."""


def run(directory: Path, report: Report, budget: Budget, without: frozenset[str]) -> None:
    """Run what is drawn by all ways until the budget is spent."""
    with world() as found, log_world(directory) as past:
        for number in budget.cases():
            if budget.spent():
                return
            chance = report.random(PART, number)
            drawn = chance.random()
            if drawn < _BY_NAME:
                _note(report, number, named.wrong(found, chance))
            elif drawn < _BY_NAME + _VOID:
                _note(report, number, void_arguments(found.here, chance))
            elif drawn < _BY_NAME + _VOID + _BY_LOG:
                asked = _draw(chance, without)
                _check(report, number, asked, chance, lambda a, c: left_and_back(past, a, c), 20)
            else:
                asked = _draw(chance, without)
                _check(report, number, asked, chance, lambda a, c: _wrong(found, a, c), 200)


def _note(report: Report, number: int, outcome: Difference | str) -> None:
    """Note what came of a case that is not made smaller."""
    if isinstance(outcome, str):
        report.passed(outcome)
    else:
        way, how, what = outcome
        report.failed(Failure(part=PART, case=number, kind=f"{way}: {how}", what=what))


def _draw(chance: random.Random, without: frozenset[str]) -> Asked:
    drawn, is_plain = chance.random(), True
    if drawn < 0.2:
        case = Keyed(chance).case()
    elif drawn < 0.27:
        case = Own(chance).case()
    elif drawn < 0.55:
        case = Plain(chance).case()
    elif drawn < 0.7:
        case, is_plain = Case(root=Node("rows", (Portable(chance).statement(),))), False
    else:
        case, is_plain = Statements(chance, without, depth=chance.choice([1, 2, 3])).case(), False
    clauses = Clauses(chance)
    return Asked(
        root=case.root,
        has_parameters=chance.random() < (0.7 if drawn < 0.2 else 0.3),
        bare=is_plain and chance.random() < 0.7,
        clause=clauses.clause() if chance.random() < 0.2 else None,
        settings=clauses.settings() if chance.random() < 0.2 else {},
        begins=clauses.begin() if chance.random() < 0.1 else "",
    )


def _check(
    report: Report,
    number: int,
    asked: Asked,
    chance: random.Random,
    judge: Callable[[Asked, random.Random], Difference | str],
    tries_max: int,
) -> None:
    """Judge a statement; one that is wrong is made smaller first."""
    seed = chance.random()

    def wrong(root: Node) -> Difference | str:
        asked.root = root
        return judge(asked, random.Random(seed))

    first = wrong(asked.root)
    if isinstance(first, str):
        report.passed(first)
        return
    kind = f"{first[0]}: {first[1]}"
    if not report.is_known(kind):
        small = shrunk(asked.root, lambda root: wrong(root)[:2] == first[:2], tries_max=tries_max)
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
    meant = replace(asked, root=spelled_out(asked.root))
    if meant.root is not asked.root:
        by_meaning = answer(found.judge, meant)
        if (how := differs(wanted, by_meaning)) is not None:
            return "versions", how, f"{shown(wanted, by_meaning)}\n{shown(by_meaning, wanted)}"
    lost = [chance.choice(LOST)] if chance.random() < 0.15 else []
    with found.without(*lost):
        ways: Mapping[str, Callable[[], Answer | None]] = {
            "nodes": lambda: answer(found.here, asked),
            "few rows": lambda: answer(found.alone, asked),
            "again": lambda: answer(found.here, asked),
            "lookup": lambda: by_lookup(found.here, asked),
            "elsewhere": lambda: elsewhere(found.here, asked),
            "pages": lambda: in_pages(found.here, asked, chance.randint(1, 9)),
        }
        # A lookup keeps its answer, so each way must be the first one now and then.
        for way in chance.sample([*ways], len(ways)):
            given = ways[way]()
            if given is not None and (how := differs(given, wanted)) is not None:
                return way, how, f"ours: {shown(given, wanted)}\njudge: {shown(wanted, given)}"
        failed = (
            _shapes(found, asked, chance)
            or other_texts(found.here, asked, wanted, chance)
            or explained(found.here, asked, wanted, chance)
            or written(found.spark, asked, wanted)
        )
        if failed is not None:
            return failed
    if isinstance(wanted, str):
        return "error"
    return watched(found, asked, chance) if chance.random() < 0.4 else "rows"


def _shapes(found: World, asked: Asked, chance: random.Random) -> Difference | None:
    """Return how the statement differs with other constants, which may get its plan."""
    others = [replace(asked, root=_varied(asked.root, Expressions(chance))) for _ in range(2)]
    for other in others:
        given, wanted = answer(found.here, other), answer(found.judge, other)
        if (how := differs(given, wanted)) is not None:
            both = f"ours: {shown(given, wanted)}\njudge: {shown(wanted, given)}"
            return "shape", how, f"{other.sent()}\n{both}"
    return of_each(found.here, found.judge, asked, others)


def _varied(part: Node, expressions: Expressions) -> Node:
    """Return a statement with other constants: those of a shape share a plan."""

    def other(each: Part) -> Part:
        if isinstance(each, Node):
            return _varied(each, expressions)
        if isinstance(each, Literal) and each.type in CONSTANTS:
            return next(literals(expressions.constant(each.type)), each)
        return each

    return Node(part.sort, tuple(map(other, part.parts)), part.simplest)
