"""The refusal of what the Spark engine does not run."""

from __future__ import annotations

import re

from sqlglot import exp

from stategate.planner.errors import NotSupportedError
from stategate.planner.trees.nodes import position_of

HINT = "SET stategate.engine = 'local' runs it in the gateway."


def refused(what: str, node: exp.Expr | None = None) -> NotSupportedError:
    """Return the error for a part of a statement that the Spark engine does not run.

    Args:
        what: the part, as the end of a sentence.
        node: the part, for its position in the text.
    """
    return NotSupportedError(
        f"the Spark engine does not run {what}",
        hint=HINT,
        position=None if node is None else position_of(node),
    )


def only_filters(node: exp.Expr) -> bool:
    """Whether a predicate, or its opposite, only drops rows: NULL is as good as false there."""
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if isinstance(above, exp.Not):
        above = above.parent
    while isinstance(above, exp.Paren | exp.And | exp.Or):
        above = above.parent
    return isinstance(above, exp.Where | exp.Having)


def words(node: exp.Expr) -> str:
    """Return the type of a node in words: `WITHIN GROUP`."""
    return " ".join(re.findall("[A-Z]+[a-z]*", type(node).__name__)).upper()
