"""Rules for calls with a regular expression, except `substring`, which is in `text_calls`."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

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


def _flagged(pattern: exp.Expr, given: list[exp.Expr], at: int) -> exp.Expr:
    """Return a pattern with the flags of another argument, which RE2 takes inside the pattern."""
    flags = text_of(given[at]) if len(given) > at else ""
    kept = "".join(flag for flag in flags or "" if flag in "is")
    text = text_of(pattern)
    return exp.Literal.string(f"(?{kept}){text}") if kept and text is not None else pattern


def _regexp_replace(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    new = given[2]
    text = text_of(new)
    shown = exp.Literal.string(replacement(text)) if text is not None else new.copy()
    found = [given[0].copy(), _pattern(given[1]), shown]
    flags = text_of(given[3]) if len(given) > 3 else None
    if len(given) > 4 or (len(given) > 3 and flags is None):
        raise unsupported(node, "regexp_replace() takes text, pattern, replacement and flags")
    kept = "".join(flag for flag in flags or "" if flag in "gis")
    return call("regexp_replace", *found, *([exp.Literal.string(kept)] if kept else []))


def _regexp_match(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    pattern = _flagged(_pattern(given[1]), given, 2)
    text = text_of(pattern)
    if text is None:
        raise unsupported(node, "regexp_match() takes a pattern that is written out")
    groups = range(1, groups_in(text) + 1) or (0,)
    found = [
        call("pg_sg_regexp_group", given[0].copy(), pattern.copy(), exp.Literal.number(group))
        for group in groups
    ]
    matches = call("regexp_matches", given[0].copy(), pattern.copy())
    return exp.Case(ifs=[exp.If(this=matches, true=exp.Array(expressions=found))])


def _regexp_call(name: str) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        return call(name, given[0].copy(), _flagged(_pattern(given[1]), given, 2))

    return rule


def _regexp_split_to_table(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    pattern = _flagged(_pattern(given[1]), given, 2)
    return as_rows(node, call("regexp_split_to_array", given[0].copy(), pattern))


def _regexp_count(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    _check_start(node, given)
    return call("pg_sg_regexp_count", given[0].copy(), _flagged(_pattern(given[1]), given, 3))


def _regexp_substr(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Return the n-th match, or what a group of it has matched."""
    _check_start(node, given)
    pattern = _flagged(_pattern(given[1]), given, 4)
    number, group = (_whole(given, at) for at in (3, 5))
    if number is None or group is None:
        raise unsupported(node, "regexp_substr() takes numbers that are written out")
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
    pattern = _flagged(_pattern(given[1]), given, 2)
    text, flags = text_of(pattern), text_of(given[2]) if len(given) > 2 else ""
    if text is None or flags is None:
        raise unsupported(node, "regexp_matches() takes a pattern and flags that are written out")
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
    if "g" not in flags:
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
