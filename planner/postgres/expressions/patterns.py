"""Rules for LIKE, `~`, SIMILAR TO and calls with a pattern.

DuckDB runs RE2, which agrees with PostgreSQL only on whether a text has a match. So a literal
pattern of `~` becomes one of RE2, if it can be; `stategate.planner.patterns` computes all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from sqlglot import exp

from stategate.planner.errors import InvalidValueError
from stategate.planner.patterns.like import like_pattern
from stategate.planner.patterns.re2 import for_re2
from stategate.planner.patterns.scanning import Options
from stategate.planner.patterns.similar import similar_expression
from stategate.planner.postgres.expressions.arrays import as_rows
from stategate.planner.postgres.expressions.rules import CallRule, Rule, copies, text_of
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.result_types import INTEGERS
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import call, cast, put, strip, wrapped
from stategate.stores.spec.schema import BOOLEAN

_BACKSLASH = exp.Literal.string("\\")
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
        fresh: exp.Expr = put(node, exp.Paren(this=joined))
        for part in parts:
            types.note(part, BOOLEAN)
            RULES[type(node)](part, types)
        return fresh
    pattern = exp.to_identifier("pattern", quoted=True)
    one = _matches_one(node, exp.column(pattern.copy()))
    if isinstance(one, exp.Like | exp.ILike):
        one = exp.Escape(this=one, expression=_BACKSLASH.copy())
    else:
        one = _computed(one)
    each = exp.Lambda(this=one, expressions=[pattern])
    found = call("list_transform", array.copy(), each)
    return put(node, call("pg_sg_any" if is_any else "pg_sg_all", found))


def _matches_one(node: exp.Expr, pattern: exp.Expr) -> exp.Expr:
    fresh = node.copy()
    fresh.set("expression", pattern)
    return fresh


def _like(node: exp.Expr, types: Types) -> exp.Expr:
    r"""Add ESCAPE '\' to LIKE: it is PostgreSQL's default, and DuckDB has none."""
    if isinstance(node.expression, exp.Any | exp.All):
        return _matches_many(node, types)
    if isinstance(node.parent, exp.Escape):
        return _escaped(node, node.parent)
    pattern = strip(node.expression)
    if isinstance(pattern, exp.Literal) and "\\" not in pattern.name:
        return node
    return wrapped(node, lambda inner: exp.Escape(this=inner, expression=_BACKSLASH.copy()))


def _escaped(node: exp.Expr, parent: exp.Escape) -> exp.Expr:
    r"""Write a pattern with the escape `\`, unless DuckDB reads its own as PostgreSQL does.

    DuckDB's escapes are single bytes, and in ILIKE they have both cases.
    """
    pattern, escape = text_of(strip(node.expression)), text_of(strip(parent.expression))
    if escape is not None and len(escape) > 1:
        escape = None  # an error, if a row is compared
    folds = isinstance(node, exp.ILike)
    if escape is not None and escape.isascii() and not (folds and escape.isalpha()):
        return node
    fresh: exp.Expr
    if pattern is not None and escape is not None:
        fresh = exp.Literal.string(like_pattern(pattern, escape))
    else:
        fresh = call("pg_sg_like_pattern", *copies((node.expression, parent.expression)))
    node.set("expression", fresh)
    parent.set("expression", _BACKSLASH.copy())
    return node


def _regexp(node: exp.Expr, types: Types) -> exp.Expr:
    """Match by `~` or `~*`."""
    if isinstance(node.expression, exp.Any | exp.All):
        return _matches_many(node, types)
    ignores_case = isinstance(node, exp.RegexpILike)
    pattern = text_of(strip(node.expression))
    written = None if pattern is None else _for_re2(pattern, ignores_case=ignores_case)
    if written is not None:
        return put(node, _by_re2(node.this, written))
    return put(node, _computed(node))


def _computed(node: exp.Expr) -> exp.Expr:
    """Return `~` or `~*` as a call that compiles the pattern when it runs."""
    ignores_case = isinstance(node, exp.RegexpILike)
    name = "pg_sg_matches_in_any_case" if ignores_case else "pg_sg_matches"
    return call(name, node.this.copy(), node.expression.copy())


def _by_re2(text: exp.Expr, written: str) -> exp.Expr:
    return exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(written))


def _similar(node: exp.Expr, types: Types) -> exp.Expr:
    """Match by SIMILAR TO, with ESCAPE or without."""
    del types
    escaped = node.parent if isinstance(node.parent, exp.Escape) else None
    escape = _BACKSLASH if escaped is None else escaped.expression
    known, sign = text_of(strip(node.expression)), text_of(strip(escape))
    written = None if known is None or sign is None else _similar_for_re2(known, sign)
    fresh = (
        call("pg_sg_similar", node.this.copy(), node.expression.copy(), escape.copy())
        if written is None
        else _by_re2(node.this, written)
    )
    put(node if escaped is None else escaped, fresh)
    return fresh


def _similar_for_re2(pattern: str, escape: str) -> str | None:
    try:
        expression = similar_expression(pattern, escape)
    except InvalidValueError:
        return None
    return _for_re2(expression)


def _for_re2(expression: str, *, ignores_case: bool = False) -> str | None:
    return for_re2(expression, Options(ignore_case=ignores_case), checkpoint)


RULES: Mapping[type[exp.Expr], Rule] = {
    exp.Like: _like,
    exp.ILike: _like,
    exp.RegexpLike: _regexp,
    exp.RegexpILike: _regexp,
    exp.SimilarTo: _similar,
}
"""The rules, by type of node."""

_MadeCall: TypeAlias = Callable[[exp.Expr, list[exp.Expr], Types], exp.Expr]
"""A rule that always returns a call."""
_ONE, _NONE, _NO_FLAGS = exp.Literal.number(1), exp.Literal.number(0), exp.Literal.string("")


def _filled(name: str, *defaults: exp.Expr) -> _MadeCall:
    """Return a rule that adds the last arguments, if they are omitted."""

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        missing = len(defaults) + 2 - len(given)
        added = copies(defaults[len(defaults) - missing :] if missing else ())
        return call(f"pg_sg_{name}", *copies(given), *added)

    return rule


def _regexp_replace(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Replace matches; a number in the fourth place is the start of the search."""
    if len(given) > 4 or (len(given) > 3 and types.kind_of(given[3]) in INTEGERS):
        # A series of integers is of bigint here.
        start, *rest = (cast(each, "INTEGER") for each in copies(given[3:5]))
        numbers = [start, *(rest or [_ONE.copy()])]
        flags = given[5].copy() if len(given) > 5 else _NO_FLAGS.copy()
        return call("pg_sg_regexp_replace_nth", *copies(given[:3]), *numbers, flags)
    flags = given[3].copy() if len(given) > 3 else _NO_FLAGS.copy()
    return call("pg_sg_regexp_replace", *copies(given[:3]), flags)


def _rows(name: str) -> CallRule:
    """Return a rule for a function that returns rows."""
    of_array = _filled(name, _NO_FLAGS)

    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        return as_rows(node, of_array(node, given, types))

    return rule


def _regexp_matches(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
    """Return a row with the groups of the first match, or with flag g, a row for each match."""
    found = _filled("regexp_matches", _NO_FLAGS)(node, given, types)
    return call("unnest", found)


CALLS: Mapping[str, CallRule] = {
    "regexp_replace": _regexp_replace,
    "regexp_match": _filled("regexp_match", _NO_FLAGS),
    "regexp_matches": _regexp_matches,
    "regexp_count": _filled("regexp_count", _ONE, _NO_FLAGS),
    "regexp_like": _filled("regexp_like", _NO_FLAGS),
    "regexp_substr": _filled("regexp_substr", _ONE, _ONE, _NO_FLAGS, _NONE),
    "regexp_instr": _filled("regexp_instr", _ONE, _ONE, _NONE, _NO_FLAGS, _NONE),
    "regexp_split_to_array": _filled("regexp_split_to_array", _NO_FLAGS),
    "regexp_split_to_table": _rows("regexp_split_to_table"),
}
"""The rules, by name of function."""
