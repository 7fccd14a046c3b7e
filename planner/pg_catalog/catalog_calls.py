"""Calls in statements over stores that only the catalog can answer, replaced by parameters.

Such a call, or a cast to regclass and similar types, depends on the session, the server or the
catalog, not on rows. Its value is found when the statement runs, because all sessions share plans.
Each call becomes a parameter after those of the client; one catalog statement gives all values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import sqlglot
from sqlglot import exp

from stategate.planner.binding.qualifiers import unqualify
from stategate.planner.errors import NotSupportedError
from stategate.planner.pg_catalog.recognise import (
    CALLABLE_OVER_STORES,
    OBJECT_TYPES,
    SESSION_NODES,
    has_constant_arguments,
    is_object_cast,
)
from stategate.planner.pg_catalog.relations import SCHEMA_IN_DUCKDB
from stategate.planner.pg_catalog.side_effects import SIDE_EFFECT_FUNCTIONS, refused_call
from stategate.planner.pg_catalog.vocabulary import USER_KEYWORDS, resolve_user_keywords
from stategate.planner.postgres.refused import unknown_function
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.output_columns import name_columns
from stategate.planner.trees.column_names import type_name
from stategate.planner.trees.nodes import cast, position_of
from stategate.stores.spec.store import Store

_SCHEMAS = frozenset(SCHEMA_IN_DUCKDB)
_WORD = re.compile(r"\w+")
_WORDS = CALLABLE_OVER_STORES | USER_KEYWORDS | OBJECT_TYPES | SIDE_EFFECT_FUNCTIONS
_SETTING_NAMES, _SETTING_VALUES = (
    f"(SELECT array_agg({shown} ORDER BY name) FROM pg_settings)"
    for shown in ("lower(name)", "current_setting(name)")
)
_SETTING_ARGUMENTS_MAX = 2
_GUARDS = (exp.Case, exp.If, exp.Coalesce)
"""Nodes that may skip a branch, and with it the error of an unknown setting."""


def may_call_catalog(sql: str) -> bool:
    """Whether a text has a word of a catalog call; few texts have one."""
    return not _WORDS.isdisjoint(_WORD.findall(sql.lower()))


def extract_calls(tree: exp.Query, stores: Mapping[str, Store], before: int) -> exp.Select | None:
    """Replace the catalog calls of a statement with parameters, in place.

    A call with arguments that depend on a row stays, except `current_setting`.

    Args:
        tree: the parsed statement.
        stores: the relations that it may name.
        before: the highest number of its parameters.

    Returns:
        The catalog statement with a column for each new parameter; None without new ones.

    Raises:
        UnknownNameError: the schema of a call has no functions (3F000), or `current_setting` has
            too many or too few arguments (42883).
        NotSupportedError: a call has side effects.
    """
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() in SIDE_EFFECT_FUNCTIONS:
            raise refused_call(call)
    for dot in reversed([*tree.find_all(exp.Dot)]):
        unqualify(dot, _SCHEMAS)
    for select in tree.find_all(exp.Select):
        name_columns(select)  # a parameter would lose the name of its call
    resolve_user_keywords(tree, stores)
    extraction = _Extraction(before)
    for node in reversed([*_calls(tree)]):  # inner ones first
        extraction.extract(node)
    return extraction.query()


class _Extraction:
    """Numbers the calls of one statement; equal calls share a parameter."""

    def __init__(self, before: int) -> None:
        self._before = before
        self._asked: dict[str, tuple[int, exp.Expr]] = {}

    def query(self) -> exp.Select | None:
        """Return the catalog statement with the calls in the order of their numbers."""
        columns = [
            exp.Alias(this=node, alias=exp.to_identifier(f"v{number}"))
            for number, node in self._asked.values()
        ]
        return exp.Select(expressions=columns) if columns else None

    def extract(self, node: exp.Expr) -> None:
        """Replace one call, if the catalog can answer it."""
        depends = not has_constant_arguments(node)
        is_setting = isinstance(node, exp.Anonymous) and node.name.lower() == "current_setting"
        if is_setting and not 1 <= len(node.expressions) <= _SETTING_ARGUMENTS_MAX:
            raise unknown_function(node, "current_setting")
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
        """Pass all settings to a call, because the row decides which setting it reads, if any.

        `stategate.planner.postgres.expressions.calls` recognises it by its number of arguments.
        """
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
    """Replace a call, and keep its position for errors."""
    if "start" in node.meta:
        fresh.meta["start"] = node.meta["start"]
    node.replace(fresh)


def _calls(tree: exp.Query) -> Iterator[exp.Expr]:
    """Yield the outermost catalog calls; their arguments go with them.

    The calls inside a call that must stay are yielded, too.
    """
    for node in tree.walk(prune=_is_answered):
        if _is_catalog_call(node):
            yield node


def _is_answered(node: exp.Expr) -> bool:
    return _is_catalog_call(node) and has_constant_arguments(node)


def _is_catalog_call(node: exp.Expr) -> bool:
    if isinstance(node.parent, exp.Table):
        return False  # functions in FROM have their own allow-list
    if isinstance(node, exp.Cast):
        return _names_object(node)
    is_call = isinstance(node, exp.Anonymous) and node.name.lower() in CALLABLE_OVER_STORES
    return is_call or isinstance(node, SESSION_NODES)


def _names_object(node: exp.Expr) -> bool:
    """Whether a node is a cast to regclass or a similar type, or of one: `'x'::regclass::oid`.

    `to_regclass('x')::oid` is one, too.
    """
    while isinstance(node, exp.Cast | exp.Paren):
        if is_object_cast(node):
            return True
        node = node.this
    return isinstance(node, exp.Anonymous) and node.name.lower().startswith("to_reg")


def _as_used(node: exp.Expr) -> exp.Expr:
    """Return a cast to an object type as an oid if it is compared, otherwise as a name."""
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
