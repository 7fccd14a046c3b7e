"""Each rule of planning changes the plans below, and leaves the rows the same.

A pair is a paragraph of `rules/<name of the rule>.sql`:

    -- what it shows
    $ [2]                                    parameters as JSON, if there are any
    SELECT count(*) FROM people              one line
    < compose SELECT …                       each line of the plan without the rule
    > count                                  each line of the plan with it
    = stream                                 or each line of a plan that the rule leaves alone

After a change of plans, `python -m tests.planner.planning.test_rules` writes what it finds into the
files; read the difference before you keep it. The docstring of a rule is a pair, too.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from stategate.planner.planning import plan_query
from stategate.planner.planning.draft import Rule
from stategate.stores.spec.schema import Row
from tests.planner.sides import Sides, ordered
from tests.planner.world import world

DIRECTORY = Path(__file__).parent / "rules"
RULES = {rule.__name__: rule for rule in plan_query.RULES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One paragraph."""

    about: str
    sql: str
    parameters: Row = ()
    without: tuple[str, ...] = ()
    plan: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Return the paragraph's lines."""
        yield f"-- {self.about}"
        if self.parameters:
            yield f"$ {json.dumps(self.parameters)}"
        yield self.sql
        if self.without == self.plan:
            yield from (f"= {line}" for line in self.plan)
        else:
            yield from (f"< {line}" for line in self.without)
            yield from (f"> {line}" for line in self.plan)


def parse_pair(text: str) -> Pair:
    """Read one paragraph."""
    about, *rest = text.splitlines()
    given = rest.pop(0)[2:] if rest[0].startswith("$ ") else "[]"
    sql, *rest = rest
    return Pair(
        parameters=tuple(json.loads(given)),
        about=about.removeprefix("-- "),
        sql=sql,
        without=tuple(line[2:] for line in rest if line[0] in "<="),
        plan=tuple(line[2:] for line in rest if line[0] in ">="),
    )


def read_pairs(rule: str) -> list[Pair]:
    """Return the pairs of a rule's file."""
    text = (DIRECTORY / f"{rule}.sql").read_text()
    return [parse_pair(paragraph) for paragraph in text.split("\n\n") if paragraph.strip()]


def read_example(rule: Rule) -> Pair:
    """Return the pair in a rule's docstring: indented lines, with an arrow between the plans."""
    text = inspect.getdoc(rule) or ""
    sql, *rest = [
        line.removeprefix("    ")
        for line in text.splitlines()
        if line.startswith("    ") or line == "→"
    ]
    arrow = rest.index("→")
    return Pair(about="", sql=sql, without=tuple(rest[:arrow]), plan=tuple(rest[arrow + 1 :]))


@cache
def sides() -> Sides:
    return world()


@contextmanager
def left_out(rule: str) -> Iterator[None]:
    """Plan with all rules but one."""
    with pytest.MonkeyPatch.context() as patch:
        kept = tuple(each for each in plan_query.RULES if each.__name__ != rule)
        patch.setattr(plan_query, "RULES", kept)
        yield


def planned(sql: str, parameters: Row) -> tuple[tuple[str, ...], list[Row]]:
    """Return a plan, without its line on few rows, and its rows."""
    lines = [str(line) for (line,) in sides().ours(f"EXPLAIN (COSTS off) {sql}")]
    plan = tuple(line for line in lines if not line.startswith("row by row"))
    return plan, sides().ours(sql, parameters)


def run_pair(rule: str, pair: Pair) -> tuple[Pair, list[Row], list[Row]]:
    """Return a pair with the planner's plans, and the rows without the rule and with it."""
    with left_out(rule):
        # The engine keeps plans by text, so each set of rules gets a text of its own.
        spaces = " " * (2 + [*RULES].index(rule))
        without, rows_without = planned(pair.sql.replace(" ", spaces, 1), pair.parameters)
    plan, rows = planned(pair.sql, pair.parameters)
    return replace(pair, without=without, plan=plan), rows_without, rows


@pytest.mark.parametrize(
    ("rule", "pair"),
    [pytest.param(r, pair, id=f"{r}: {pair.about}") for r in RULES for pair in read_pairs(r)],
)
def test_rule_changes_the_plan_and_keeps_the_rows(rule: str, pair: Pair) -> None:
    found, rows_without, rows = run_pair(rule, pair)
    assert "\n".join(found.lines()) == "\n".join(pair.lines())
    if "ORDER BY" not in pair.sql:
        rows_without, rows = ordered(rows_without), ordered(rows)
    assert rows == rows_without


@pytest.mark.parametrize("name", RULES)
def test_example_in_the_docstring_is_true(name: str) -> None:
    """Where a line of SQL is too long for the docstring, an ellipsis ends it."""
    example = read_example(RULES[name])
    found, _, _ = run_pair(name, example)
    for shown, whole in ((example.without, found.without), (example.plan, found.plan)):
        assert len(shown) == len(whole)
        for line, expected in zip(shown, whole, strict=True):
            assert expected.startswith(line.removesuffix("…")) if "…" in line else expected == line


def test_every_rule_has_a_module_and_a_file_of_pairs() -> None:
    modules = {rule.__module__.rpartition(".")[2] for rule in plan_query.RULES}
    assert modules == set(RULES) == {path.stem for path in DIRECTORY.glob("*.sql")}


def rewrite() -> None:
    """Write the planner's plans for each pair into the files."""
    for rule in RULES:
        texts = ["\n".join(run_pair(rule, pair)[0].lines()) for pair in read_pairs(rule)]
        (DIRECTORY / f"{rule}.sql").write_text("\n\n".join(texts) + "\n")


if __name__ == "__main__":
    rewrite()
