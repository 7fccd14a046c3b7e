"""Predicates on how a text begins, as ranges: `LIKE 'abc%'`, `starts_with(name, $1)`."""

from __future__ import annotations

from collections.abc import Callable

from stategate.planner.binding.comparisons import Side, after_text
from stategate.planner.binding.operands import Given
from stategate.planner.binding.predicates import (
    UNKNOWN,
    Compares,
    Condition,
    NotNull,
    Operand,
    Predicate,
)
from stategate.planner.values.comparison_bounds import Fit, Fitted, Outside
from stategate.planner.values.quoting import quote_text
from stategate.stores.spec.schema import TEXT


def prefix_of(pattern: str, escape: str = "\\") -> tuple[str, str]:
    """Return the plain text that a LIKE pattern begins with, and the rest of the pattern.

    Args:
        pattern: the pattern; if it ends with the escape, which is an error, all of it is the rest.
        escape: makes the next character a plain one; empty for none.
    """
    found: list[str] = []
    at = 0
    while at < len(pattern):
        if escape and pattern[at] == escape:
            at += 1
            if at == len(pattern):
                return "", pattern
        elif pattern[at] in "%_":
            break
        found.append(pattern[at])
        at += 1
    return "".join(found), pattern[at:]


def begins(side: Side, start: str, *, exact: bool) -> Predicate:
    """Return the predicate that a text begins with another.

    Args:
        side: the text.
        start: the text that it begins with.
        exact: whether a text that begins so meets the condition.
    """
    if side.type != TEXT or side.column_type != TEXT:
        return UNKNOWN
    if not start:
        return Predicate(disjuncts=((NotNull(column=side.column),),), exact=exact)
    first = Operand(text=quote_text(start), fit=Fitted, constant=start)
    found: list[Condition] = [Compares(column=side.column, operator=">=", operand=first)]
    after = after_text(start)
    if after is not None:
        last = Operand(text=quote_text(after), fit=Fitted, constant=after)
        found.append(Compares(column=side.column, operator="<", operand=last))
    return Predicate(disjuncts=(tuple(found),), exact=exact)


def begins_as(
    side: Side, given: Given, start_of: Callable[[str], str], *, exact: bool
) -> Predicate:
    """Return the predicate that a text begins as a parameter does.

    Args:
        side: the text.
        given: the parameter.
        start_of: returns the part of the parameter's value that a text must begin with.
        exact: whether a text that begins so meets the condition.
    """
    if side.type != TEXT or side.column_type != TEXT:
        return UNKNOWN

    def at_least(text: str) -> Fit:
        return Fitted(start_of(text))

    def below(text: str) -> Fit:
        after = after_text(start_of(text))
        return Outside.ABOVE if after is None else Fitted(after)

    place, text = given.number - 1, given.text
    first = Operand(text=f"the start of {text}", fit=at_least, parameter=place)
    last = Operand(text=f"the end of {text}", fit=below, parameter=place)
    ends = (
        Compares(column=side.column, operator=">=", operand=first),
        Compares(column=side.column, operator="<", operand=last),
    )
    return Predicate(disjuncts=(ends,), exact=exact)
