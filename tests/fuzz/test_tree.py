"""Trees of text: shrinking, and constants as parameters."""

from __future__ import annotations

from tests.fuzz.tree import Literal, Node, parametrized, shrunk, spelled

ONE = Literal(text="1", sql="1", type="integer")
SUM = Node("integer", ("(", Node("integer", (ONE,)), " + ", Node("integer", ("i",)), ")"), "NULL")
WHERE = Node("clause", (" WHERE ", SUM, " > ", Node("integer", (ONE,))), "")
SELECT = Node("rows", ("SELECT ", SUM, " FROM t", WHERE))


def test_a_constant_is_one_parameter_wherever_it_stands() -> None:
    sql, values = parametrized(SELECT)
    assert sql == "SELECT ($1::integer + i) FROM t WHERE ($1::integer + i) > $1::integer"
    assert values == ("1",)
    assert spelled(SELECT) == "SELECT (1 + i) FROM t WHERE (1 + i) > 1"


def test_parts_that_are_not_needed_to_fail_are_removed() -> None:
    assert spelled(shrunk(SELECT, lambda root: "i" in spelled(root))) == "SELECT i FROM t"


def test_fixed_parts_stay_whole() -> None:
    fixed = Node("rows", ("SELECT ", Node("fixed", ("f(", SUM, ")"))))
    assert shrunk(fixed, lambda _: True) == fixed
