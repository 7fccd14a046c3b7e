"""Calls that only the catalog answers, taken out of statements over stores.

Such a call, or cast to regclass and its kin, is about the session, the server or the catalog, and
not about rows: its value is found when the statement runs, for plans are kept by text and shared by
all sessions. Here each becomes a parameter behind those of the client, and all of them one
statement that the catalog answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import sqlglot
from sqlglot import exp

from planner.binding.schema_qualifiers import unqualify
from planner.errors import NotSupportedError
from planner.pg_catalog.recognise import ASKED, OBJECT_TYPES, SESSION_NODES, is_object_cast
from planner.pg_catalog.relations import SCHEMA_IN_DUCKDB
from planner.pg_catalog.user_keywords import USER_KEYWORDS, resolve_user_keywords
from planner.postgres.refused import unknown_function
from planner.postgres.types.functions import call_name
from planner.postgres.types.output_columns import name_columns
from planner.trees.column_names import type_name
from planner.trees.nodes import cast, position_of
from stores.spec.store import Store

_SCHEMAS = frozenset(SCHEMA_IN_DUCKDB)
_WORD = re.compile(r"\w+")
_WORDS = ASKED | USER_KEYWORDS | OBJECT_TYPES
_CONSTANT = (
    *(exp.Literal, exp.Boolean, exp.Null, exp.Neg, exp.Paren, exp.Cast, exp.DataType),
    *(exp.DataTypeParam, exp.ObjectIdentifier, exp.Identifier, *SESSION_NODES),
)
"""What the arguments of a call are made of that the catalog can answer without the row."""
_SETTING_NAMES, _SETTING_VALUES = (
    f"(SELECT array_agg({shown} ORDER BY name) FROM pg_settings)"
    for shown in ("lower(name)", "setting")
)
_SETTING_ARGUMENTS_MAX = 2
_GUARDS = (exp.Case, exp.If, exp.Coalesce)
"""What may leave a part of it uncomputed, and with it the error of a setting that is not there."""


def may_ask(sql: str) -> bool:
    """Whether a text has a word by which a statement asks the catalog; few have."""
    return not _WORDS.isdisjoint(_WORD.findall(sql.lower()))


def extract_calls(tree: exp.Query, stores: Mapping[str, Store], before: int) -> exp.Select | None:
    """Put parameters in the place of a statement's calls; the tree is changed.

    Calls whose arguments are known with the row only are left, but for those of settings.

    Args:
        tree: the statement, as it was parsed.
        stores: the relations that it may name.
        before: the highest number of a parameter that it has.

    Returns:
        What to ask of the catalog, a column for each parameter; None if it asks nothing.

    Raises:
        UnknownNameError: a schema that has no functions (3F000), or `current_setting` with more or
            fewer arguments than it takes (42883).
    """
    for dot in reversed([*tree.find_all(exp.Dot)]):
        unqualify(dot, _SCHEMAS)
    for select in tree.find_all(exp.Select):
        name_columns(select)  # what stands in their place has no name
    resolve_user_keywords(tree, stores)
    extraction = _Extraction(before)
    for node in reversed([*_calls(tree)]):  # inner ones first
        extraction.extract(node)
    return extraction.query()


class _Extraction:
    """Numbers the calls of one statement: equal ones have one parameter."""

    def __init__(self, before: int) -> None:
        self._before = before
        self._asked: dict[str, tuple[int, exp.Expr]] = {}

    def query(self) -> exp.Select | None:
        """What is asked for, in the order of its numbers."""
        columns = [
            exp.Alias(this=node, alias=exp.to_identifier(f"v{number}"))
            for number, node in self._asked.values()
        ]
        return exp.Select(expressions=columns) if columns else None

    def extract(self, node: exp.Expr) -> None:
        """Take one call out."""
        depends = not _is_constant(node)
        is_setting = isinstance(node, exp.Anonymous) and node.name.lower() == "current_setting"
        if is_setting and (depends or node.find_ancestor(*_GUARDS)):
            self._extract_setting(node)
        elif isinstance(node, exp.CurrentSchemas) and depends:
            shown = (self._asked_for(f"current_schemas({flag})") for flag in ("true", "false"))
            with_system, without = shown
            given = cast(node.this.copy(), "BOOLEAN")
            branches = [
                exp.If(this=given, true=with_system),
                exp.If(this=exp.Not(this=given.copy()), true=without),
            ]
            _replace(node, exp.Case(ifs=branches))
        elif not depends:
            _replace(node, self._parameter(_as_used(node)))
        elif isinstance(node, exp.Cast):
            raise NotSupportedError(
                f"a cast of a row's value to {type_name(node.to)} is not supported over stores",
                hint="Cast a constant, or ask pg_class or pg_type for the name.",
                position=position_of(node),
            )

    def _extract_setting(self, node: exp.Expr) -> None:
        """Give a call all settings, for only the row says which it wants, or whether it wants one.

        `calls` knows it by the arguments that nobody can write.
        """
        if not 1 <= len(node.expressions) <= _SETTING_ARGUMENTS_MAX:
            raise unknown_function(node, "current_setting")
        name, *missing = (each.copy() for each in node.expressions)
        settings = (self._asked_for(each) for each in (_SETTING_NAMES, _SETTING_VALUES))
        call = exp.Anonymous(
            this="current_setting", expressions=[name, *(missing or [exp.false()]), *settings]
        )
        _replace(node, call)

    def _asked_for(self, sql: str) -> exp.Parameter:
        return self._parameter(sqlglot.parse_one(sql, dialect="postgres"))

    def _parameter(self, node: exp.Expr) -> exp.Parameter:
        number = self._before + len(self._asked) + 1
        number, _ = self._asked.setdefault(node.sql(dialect="postgres"), (number, node.copy()))
        return exp.Parameter(this=exp.Literal.number(number))


def _replace(node: exp.Expr, fresh: exp.Expr) -> None:
    """Put a node in the place of a call; errors point there still."""
    if "start" in node.meta:
        fresh.meta["start"] = node.meta["start"]
    node.replace(fresh)


def _calls(tree: exp.Query) -> Iterator[exp.Expr]:
    """The calls to be taken out: the outermost, as their arguments go with them.

    Inside of one that stays where it is, they are calls of their own.
    """
    for node in tree.walk(prune=lambda each: _asks(each) and _is_constant(each)):
        if _asks(node):
            yield node


def _asks(node: exp.Expr) -> bool:
    if isinstance(node.parent, exp.Table):
        return False  # functions in FROM are an allow-list of their own
    if isinstance(node, exp.Cast):
        return _names_object(node)
    is_call = isinstance(node, exp.Anonymous) and node.name.lower() in ASKED
    return is_call or isinstance(node, SESSION_NODES)


def _names_object(node: exp.Expr) -> bool:
    """Whether it is a cast to regclass or its kin, or one of that: `'x'::regclass::oid`."""
    while isinstance(node, exp.Cast | exp.Paren):
        if is_object_cast(node):
            return True
        node = node.this
    return False


def _as_used(node: exp.Expr) -> exp.Expr:
    """A cast to regclass and its kin as its place wants it: compared by its oid, else as a name."""
    above = node.parent
    while isinstance(above, exp.Paren):
        above = above.parent
    if not is_object_cast(node) or not isinstance(above, exp.Predicate):
        return node
    beside = [each for each in above.iter_expressions() if isinstance(each, exp.Func)]
    if any(call_name(each) == "pg_typeof" for each in beside):
        return exp.Cast(this=node.copy(), to=exp.DataType.build("text", dialect="postgres"))
    oid = exp.DataType(this=exp.DType.USERDEFINED, kind=exp.to_identifier("oid", quoted=True))
    return exp.Cast(this=node.copy(), to=oid)


def _is_constant(node: exp.Expr) -> bool:
    parts = (each for value in node.args.values() for each in _parts(value))
    return all(
        isinstance(inner, _CONSTANT) or _is_call_of_constants(inner)
        for part in parts
        for inner in part.walk(prune=_is_call_of_constants)
    )


def _is_call_of_constants(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and node.name.lower() in ASKED and _is_constant(node)


def _parts(value: object) -> Sequence[exp.Expr]:
    listed = value if isinstance(value, list) else [value]
    return [each for each in listed if isinstance(each, exp.Expr)]
