"""Rules for calls of PostgreSQL's functions that DuckDB names or computes differently.

`CALLS` has the rules by name of function. Most are in the module of their subject
(`text_calls`, `time_calls`, …). Here are the rules for any type of argument, and functions that
only need a cast.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.postgres.expressions import (
    arithmetic,
    arrays,
    interval_calls,
    number_calls,
    patterns,
    statistical,
    text_calls,
    time_calls,
)
from stategate.planner.postgres.expressions.documents import json_makers, json_paths, json_rules
from stategate.planner.postgres.expressions.rules import (
    CallRule,
    copies,
    renamed,
    text_of,
    unsupported,
)
from stategate.planner.postgres.types.functions import COMMON, RESULTS, call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import typed_literal
from stategate.planner.postgres.types.operands import arguments
from stategate.planner.postgres.types.result_types import FLOATS, INTEGERS, OF_TIME
from stategate.planner.postgres.types.signatures import OPEN, SIGNATURES, alike, resolve
from stategate.planner.records.functions import RECORDS
from stategate.planner.trees.known_arguments import check_known
from stategate.planner.trees.nodes import call, cast, outermost, put, wrapped
from stategate.planner.values.array_types import depth_of, leaf_of
from stategate.planner.values.catalog_types import CATALOG_TYPES, is_of_catalog, postgres_name
from stategate.planner.values.sqltypes import HELD_AS_TEXT, duckdb_type, format_type
from stategate.stores.spec.schema import Kind

_CAST = {
    name: duckdb_type(RESULTS[name])
    for name in (*("char_length", "character_length", "bit_length", "ascii", "ntile", "grouping"),)
}
"""Functions whose result has a narrower type in PostgreSQL."""
_SETTING_ARGUMENTS_MAX = 2
"""Arguments of current_setting in a statement."""


def rewrite_call(node: exp.Expr, types: Types) -> exp.Expr:
    """Replace a call with DuckDB's equivalent; return the call itself if nothing changes."""
    name = call_name(node)
    if name in SIGNATURES:
        _adopt_literals(name, node, types)
    rule = CALLS.get(name)
    if rule is not None:
        check_known(node)
        fresh = rule(node, arguments(node), types)
        if fresh is not None:
            return put(node, fresh)
        return node
    wanted = _CAST.get(name)
    if wanted is not None:
        return wrapped(outermost(node), lambda inner: cast(inner, wanted))
    return node


_LITERAL_KINDS = {*INTEGERS, *FLOATS, *OF_TIME, Kind.DECIMAL, Kind.BYTEA, *HELD_AS_TEXT}
_OF_BITS = frozenset({"get_bit", "set_bit"})
"""Functions that take a bare text as a bit string."""


def _adopt_literals(name: str, node: exp.Expr, types: Types) -> None:
    """Give text literals and NULLs among the arguments the types that the function takes there."""
    given = arguments(node)
    is_open = [text_of(each) is not None or isinstance(each, exp.Null) for each in given]
    if not any(is_open):
        return
    if name in _OF_BITS and is_open[0]:
        raise unsupported(node, f"{name}() of a bit string is not supported", "Cast it to bytea.")
    known = [OPEN if free else types.of(n) for free, n in zip(is_open, given, strict=True)]
    taken = resolve(name, known) or ()
    for each, free, asked in zip(given, is_open, taken, strict=False):
        if free and asked is not None and asked.kind in _LITERAL_KINDS:
            fresh = (
                typed_literal(each, asked, types.times.literals)
                if isinstance(each, exp.Literal)
                else cast(exp.null(), duckdb_type(asked))
            )
            put(each, fresh)
            types.note(fresh, asked)


def _pg_typeof(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    found = types.of(given[0])
    if found is None:
        return None
    inner, suffix = leaf_of(found), "[]" if depth_of(found) else ""
    own = postgres_name(inner) if is_of_catalog(inner) else ""
    shown = _TYPEOF.get(own or inner.kind.value) or (own if own in CATALOG_TYPES else "")
    name = exp.Literal.string((shown or format_type(inner)) + suffix)
    if given[0].find(exp.AggFunc, exp.Window, exp.Anonymous, exp.UDTF) is None:
        return name
    # An aggregate makes one row of many, and a series many of one: both stay in the statement.
    is_null = exp.Is(this=exp.Paren(this=given[0].copy()), expression=exp.null())
    return exp.Paren(this=exp.Case(ifs=[exp.If(this=is_null, true=name)], default=name.copy()))


_TYPEOF = {"null": "unknown", "tinyint": "tinyint", "char": '"char"'}
"""Names that `pg_typeof` uses and errors do not."""


def _alike(node: exp.Expr, given: list[exp.Expr], types: Types) -> None:
    """Cast the value and the default of lag and lead to one type; DuckDB takes the value's."""
    found = types.of(node)
    nodes = alike(call_name(node), given)
    if found is None or all(types.of(each) == found for each in nodes):
        return
    for each in nodes:
        fresh = (
            typed_literal(each, found, types.times.literals)
            if isinstance(each, exp.Literal) and each.is_string
            else cast(each.copy(), duckdb_type(found))
        )
        put(each, fresh)
        types.note(fresh, found)


def _num_nulls(counts_nulls: bool) -> CallRule:
    def rule(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr:
        parts = [
            exp.Case(
                ifs=[
                    exp.If(
                        this=exp.Is(this=each.copy(), expression=exp.null()),
                        true=exp.Literal.number(int(counts_nulls)),
                    )
                ],
                default=exp.Literal.number(int(not counts_nulls)),
            )
            for each in given
        ]
        total: exp.Expr = parts[0]
        for part in parts[1:]:
            total = exp.Add(this=total, expression=part)
        return cast(exp.Paren(this=total), "INTEGER")

    return rule


def _current_setting(node: exp.Expr, given: list[exp.Expr], types: Types) -> exp.Expr | None:
    """Look up a setting among all settings, which `pg_catalog.catalog_calls` adds as arguments."""
    return call("pg_sg_setting", *copies(given)) if len(given) > _SETTING_ARGUMENTS_MAX else None


_RENAMED = {
    name: renamed(record.duckdb_name)
    for name, record in RECORDS.items()
    if record.duckdb_name is not None
}
CALLS: Mapping[str, CallRule] = {
    **_RENAMED,
    **text_calls.CALLS,
    **patterns.CALLS,
    **time_calls.CALLS,
    **interval_calls.CALLS,
    **number_calls.CALLS,
    **arithmetic.CALLS,
    **statistical.CALLS,
    **arrays.CALLS,
    **json_rules.CALLS,
    **json_makers.CALLS,
    **json_paths.CALLS,
    "current_setting": _current_setting,
    "num_nulls": _num_nulls(counts_nulls=True),
    "num_nonnulls": _num_nulls(counts_nulls=False),
    "pg_typeof": _pg_typeof,
    **dict.fromkeys(COMMON, _alike),
    "gen_random_uuid": lambda node, given, types: cast(call("gen_random_uuid"), "TEXT"),
}
"""The rules, by name of function."""
