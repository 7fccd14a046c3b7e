"""Rules for calls with a regular expression, except `substring`, which is in `text_calls`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from planner.errors import InvalidValueError
from planner.postgres.expressions.array_calls import as_rows
from planner.postgres.expressions.rules import CallRule, text_of, unsupported
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.postgres.types.pattern_texts import groups_in, regular_expression, replacement
from planner.trees.nodes import call, position_of


def _pattern(node: exp.Expr) -> exp.Expr:
    """Return a pattern for RE2; one that is not written out is used as it is."""
    text = text_of(node)
    if text is None:
        return node.copy()
    return exp.Literal.string(regular_expression(text, position_of(node)))


def _flags_of(node: exp.Expr, given: list[exp.Expr], at: int) -> str:
    """Return the flags of a call that change the match: g and i, or neither.

    Raises:
        NotSupportedError: they are not a literal, or RE2 has not all of them.
    """
    flags = text_of(given[at]) if len(given) > at else ""
    if flags is None:
        raise unsupported(node, f"{call_name(node)}() requires its flags as a literal")
    rare = sorted(set(flags) - _FLAGS)
    if rare:
        raise unsupported(
            node, f'flag "{rare[0]}" of {call_name(node)}() is not supported', "Use g and i."
        )
    is_folded = flags.rfind("i") > flags.rfind("c")
    return ("g" if "g" in flags else "") + ("i" if is_folded else "")


_FLAGS = frozenset("gicst")
"""Flags of PostgreSQL's that are read; c, s and t are its defaults."""


def _flagged(node: exp.Expr, given: list[exp.Expr], at: int) -> exp.Expr:
    """Return the pattern of a call for RE2, which takes flags inside the pattern.

    Raises:
        InvalidValueError: flag g of a function that does not take it (22023).
    """
    pattern, flags = _pattern(given[1]), _flags_of(node, given, at)
    if "g" in flags and call_name(node) != "regexp_matches":
        raise InvalidValueError(
            f'{call_name(node)}() does not support the "global" option', position=position_of(node)
        )
    if "i" not in flags:
        return pattern
    text = text_of(pattern)
    if text is None:
        return call("concat", exp.Literal.string("(?i)"), pattern)
    return exp.Literal.string(f"(?i){text}")


def _regexp_replace(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    if len(given) > 4:
        raise unsupported(node, "regexp_replace() takes text, pattern, replacement and flags")
    new = given[2]
    text = text_of(new)
    shown = exp.Literal.string(replacement(text)) if text is not None else new.copy()
    flags = _flags_of(node, given, 3)
    options = [exp.Literal.string(flags)] if flags else []
    return call("regexp_replace", given[0].copy(), _pattern(given[1]), shown, *options)


def _regexp_match(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    pattern = _flagged(node, given, 2)
    text = text_of(pattern)
    if text is None:
        raise unsupported(node, "regexp_match() requires its pattern as a literal")
    groups = range(1, groups_in(text) + 1) or (0,)
    found = [
        call("pg_sg_regexp_group", given[0].copy(), pattern.copy(), exp.Literal.number(group))
        for group in groups
    ]
    matches = call("regexp_matches", given[0].copy(), pattern.copy())
    return exp.Case(ifs=[exp.If(this=matches, true=exp.Array(expressions=found))])


def _regexp_call(name: str) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        return call(name, given[0].copy(), _flagged(node, given, 2))

    return rule


def _regexp_split_to_table(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    pattern = _flagged(node, given, 2)
    return as_rows(node, call("regexp_split_to_array", given[0].copy(), pattern))


def _regexp_count(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    _check_start(node, given)
    return call("pg_sg_regexp_count", given[0].copy(), _flagged(node, given, 3))


def _regexp_substr(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Return the n-th match, or what a group of it has matched."""
    _check_start(node, given)
    pattern = _flagged(node, given, 4)
    number, group = (_whole(given, at) for at in (3, 5))
    if number is None or group is None:
        raise unsupported(node, "regexp_substr() requires its numbers as literals")
    found = exp.Literal.number(group if len(given) > 5 else 0)
    if number == 1:
        return call("pg_sg_regexp_group", given[0].copy(), pattern, found)
    every = call("regexp_extract_all", given[0].copy(), pattern, found)
    return call("list_extract", every, exp.Literal.number(number))


def _check_start(node: exp.Expr, given: list[exp.Expr]) -> None:
    """Refuse a start after the first character."""
    if _whole(given, 2) != 1:
        raise unsupported(
            node, f"{call_name(node)}() from another place is not supported", "Take a substring."
        )


def _whole(given: list[exp.Expr], at: int) -> int | None:
    """Return a number that is written out, or 1 if it is left out; None if it is computed."""
    if len(given) <= at:
        return 1
    node = given[at]
    return int(node.name) if isinstance(node, exp.Literal) and node.name.isdigit() else None


def _regexp_matches(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Return a row with the groups of the first match, or with flag g, a row for each match."""
    pattern = _flagged(node, given, 2)
    text = text_of(pattern)
    if text is None:
        raise unsupported(node, "regexp_matches() requires its pattern as a literal")
    groups = range(1, groups_in(text) + 1) or (0,)
    lists = [
        call("regexp_extract_all", given[0].copy(), pattern.copy(), exp.Literal.number(group))
        for group in groups
    ]
    match = exp.to_identifier("match", quoted=True)
    parts = [
        call("struct_extract_at", exp.column(match.copy()), exp.Literal.number(at + 1))
        for at in range(len(lists))
    ]
    each = exp.Lambda(this=exp.Array(expressions=parts), expressions=[match])
    rows = call("list_transform", call("list_zip", *lists), each)
    if "g" not in _flags_of(node, given, 2):
        rows = call("list_slice", rows, exp.Literal.number(1), exp.Literal.number(1))
    return call("unnest", rows)


CALLS: Mapping[str, CallRule] = {
    "regexp_replace": _regexp_replace,
    "regexp_match": _regexp_match,
    "regexp_matches": _regexp_matches,
    "regexp_count": _regexp_count,
    "regexp_like": _regexp_call("regexp_matches"),
    "regexp_substr": _regexp_substr,
    "regexp_split_to_array": _regexp_call("regexp_split_to_array"),
    "regexp_split_to_table": _regexp_split_to_table,
}
"""The rules, by name of function."""
