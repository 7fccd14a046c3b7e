"""Rules for LIKE, `~`, SIMILAR TO and calls with a pattern, which becomes a pattern of RE2.

DuckDB runs RE2. `substring` with a pattern is in `text_calls`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from planner.errors import InvalidValueError, NotSupportedError
from planner.postgres.expressions.arrays import as_rows
from planner.postgres.expressions.rules import CallRule, Rule, text_of, unsupported
from planner.postgres.types.functions import call_name
from planner.postgres.types.inference import Types
from planner.trees.nodes import call, position_of, strip, wrapped
from stores.spec.schema import BOOLEAN

_PIECE = re.compile(r"\\(.)|\[\^?\]?(?:\[:\w+:\]|\\.|[^\]])*\]|.", re.DOTALL)
_CLASSES = {
    **{"alpha": r"\pL", "digit": r"\d", "alnum": r"\pL\pN", "space": r"\s"},
    **{"upper": r"\p{Lu}", "lower": r"\p{Ll}"},
}
"""Classes that go beyond ASCII in PostgreSQL, as RE2 writes them."""
_CLASS = re.compile(r"\[:(" + "|".join(_CLASSES) + r"):\]")
_ESCAPES = {"m": r"\b", "M": r"\b", "y": r"\b", "Y": r"\B", "Z": r"\z"}


def regular_expression(pattern: str, position: int | None) -> str:
    r"""Return PostgreSQL's regular expression for RE2.

    The beginning and end of a word (`\m`, `\M`, `\y`) become `\b`. A dot matches a newline, too.

    Raises:
        NotSupportedError: it has a back reference, or looks ahead or behind.
    """
    if re.search(r"\(\?(?:[=!]|<[=!])", pattern):
        raise NotSupportedError(
            "a regular expression that looks ahead or behind is not supported", position=position
        )
    pieces: list[str] = []
    has_dot = False
    for found in _PIECE.finditer(pattern):
        piece, escaped = found[0], found[1]
        if escaped is not None and escaped.isdigit() and escaped != "0":
            raise NotSupportedError(
                "a back reference in a regular expression is not supported",
                hint="Write the repetition out.",
                position=position,
            )
        has_dot = has_dot or piece == "."
        if piece[0] == "[":
            pieces.append(_CLASS.sub(lambda found: _CLASSES[found[1]], piece))
        else:
            pieces.append(_ESCAPES.get(escaped, piece) if escaped is not None else piece)
    return ("(?s)" if has_dot else "") + "".join(pieces)


def similar_to(pattern: str, escape: str = "\\") -> str:
    """Return a pattern of SIMILAR TO as a regular expression that matches the whole text."""
    pieces: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == escape and at + 1 < len(pattern):
            at += 1
            pieces.append(re.escape(pattern[at]))
        elif char == "[":
            close = pattern.find("]", at + 2)
            close = len(pattern) if close < 0 else close
            pieces.append(pattern[at : close + 1])
            at = close
        else:
            pieces.append({"%": ".*", "_": ".", ".": r"\.", "^": r"\^", "$": r"\$"}.get(char, char))
        at += 1
    return f"(?s)^(?:{''.join(pieces)})$"


def replacement(text: str) -> str:
    r"""Return the replacement of a match; PostgreSQL's `\&`, the whole match, is RE2's `\0`."""
    return text.replace("\\&", "\\0")


def group_of(pattern: str) -> int:
    """Return the group of `substring(text FROM pattern)`: 1, or 0 for the whole match."""
    return 1 if groups_in(pattern) else 0


def groups_in(pattern: str) -> int:
    """Count the groups that capture."""
    pieces = [found[0] for found in _PIECE.finditer(pattern)]
    return sum(piece == "(" and pieces[i + 1 : i + 2] != ["?"] for i, piece in enumerate(pieces))


ALTERNATIVES_MAX = 100
"""Maximum number of patterns that are compared one by one; more become a list."""


def _matches_many(node: exp.Expr, types: Types) -> exp.Expr:
    """Write `LIKE ANY (array)` and the like as one comparison for each pattern; NULL is unknown."""
    many = node.expression
    is_any, array = isinstance(many, exp.Any), strip(many.this)
    if isinstance(array, exp.Cast) and isinstance(strip(array.this), exp.Array):
        array = strip(array.this)
    if isinstance(array, exp.Query):
        array = exp.Array(expressions=[array.copy()])
    is_list = isinstance(array, exp.Array) and not array.find(exp.Query)
    if is_list and 0 < len(array.expressions) <= ALTERNATIVES_MAX:
        parts = [_matches_one(node, pattern.copy()) for pattern in array.expressions]
        joined = (exp.or_ if is_any else exp.and_)(*parts, copy=False)
        fresh: exp.Expr = node.replace(exp.Paren(this=joined))
        for part in parts:
            types.note(part, BOOLEAN)
            RULES[type(node)](part, types)
        return fresh
    pattern = exp.to_identifier("pattern", quoted=True)
    one = _matches_one(node, exp.column(pattern.copy()))
    if isinstance(one, exp.Like | exp.ILike):
        one = exp.Escape(this=one, expression=exp.Literal.string("\\"))
    each = exp.Lambda(this=one, expressions=[pattern])
    found = call("list_transform", array.copy(), each)
    return node.replace(call("pg_sg_any" if is_any else "pg_sg_all", found))


def _matches_one(node: exp.Expr, pattern: exp.Expr) -> exp.Expr:
    fresh = node.copy()
    fresh.set("expression", pattern)
    return fresh


def _like(node: exp.Expr, types: Types) -> exp.Expr:
    r"""Add ESCAPE '\' to LIKE: it is PostgreSQL's default, and DuckDB has none."""
    if isinstance(node.expression, exp.Any | exp.All):
        return _matches_many(node, types)
    pattern = strip(node.expression)
    is_plain = isinstance(pattern, exp.Literal) and "\\" not in pattern.name
    if isinstance(node.parent, exp.Escape) or is_plain:
        return node
    return wrapped(node, lambda inner: exp.Escape(this=inner, expression=exp.Literal.string("\\")))


def _regexp(node: exp.Expr, types: Types) -> exp.Expr:
    """Write the pattern of `~` and `~*` for RE2."""
    if isinstance(node.expression, exp.Any | exp.All):
        return _matches_many(node, types)
    pattern = strip(node.expression)
    if isinstance(pattern, exp.Literal):
        found = regular_expression(pattern.name, position_of(pattern))
        pattern.replace(exp.Literal.string(found))
    return node


def _similar(node: exp.Expr, types: Types) -> exp.Expr:
    del types
    pattern = strip(node.expression)
    if not isinstance(pattern, exp.Literal):
        raise NotSupportedError(
            "SIMILAR TO requires its pattern as a literal",
            hint="Use ~ with a regular expression.",
            position=position_of(node),
        )
    escape = node.parent.expression.name if isinstance(node.parent, exp.Escape) else "\\"
    fresh = exp.RegexpLike(
        this=node.this.copy(), expression=exp.Literal.string(similar_to(pattern.name, escape))
    )
    (node.parent if isinstance(node.parent, exp.Escape) else node).replace(fresh)
    return fresh


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Like: _like,
    exp.ILike: _like,
    exp.RegexpLike: _regexp,
    exp.RegexpILike: _regexp,
    exp.SimilarTo: _similar,
}
"""The rules, by type of node."""


def _pattern(node: exp.Expr) -> exp.Expr:
    """Return a pattern for RE2; a pattern that is not a literal is used as it is."""
    text = text_of(node)
    if text is None:
        return node.copy()
    return exp.Literal.string(regular_expression(text, position_of(node)))


def _flags_of(node: exp.Expr, given: list[exp.Expr], at: int) -> str:
    """Return the flags of a call that change the match: g, i, both or neither.

    Raises:
        NotSupportedError: they are not a literal, or RE2 lacks one of them.
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
"""PostgreSQL's flags that are accepted; c, s and t are its defaults."""


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
    """Return the n-th match, or the text that one of its groups has matched."""
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
            node, f"{call_name(node)}() with a start is not supported", "Take a substring."
        )


def _whole(given: list[exp.Expr], at: int) -> int | None:
    """Return a literal number, or 1 if it is omitted; None if it is computed."""
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
