"""Catalog functions with side effects: `set_config`, and those that end other sessions' work.

DuckDB computes their arguments for each row; then the functions are called and their results put
into the rows. So they must be whole items of the outermost SELECT list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
from sqlglot import exp

from planner.commands.session_commands import SessionCommands
from planner.errors import InvalidValueError, NotSupportedError, QueryError
from planner.postgres.refused import unknown_function
from planner.trees.column_names import column_name
from planner.trees.nodes import position_of
from planner.values.session import Session
from planner.values.text_values import parse_value
from stores.spec.schema import BOOLEAN, INTEGER, TEXT, Column, DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEffect:
    """A call in the SELECT list."""

    place: int
    """The index of its column, from 0."""
    name: str


@dataclass(frozen=True, slots=True)
class _Function:
    arguments: tuple[str, ...]
    """The types of the arguments."""
    needed: int
    """How many arguments are required."""
    result: DataType


_FUNCTIONS: Mapping[str, _Function] = {
    "set_config": _Function(("text", "text", "boolean"), 3, TEXT),
    "pg_cancel_backend": _Function(("integer",), 1, BOOLEAN),
    "pg_terminate_backend": _Function(("integer", "bigint"), 1, BOOLEAN),
}
SIDE_EFFECT_FUNCTIONS = frozenset(_FUNCTIONS)
"""Functions with side effects."""


def extract_side_effects(tree: exp.Query) -> tuple[SideEffect, ...]:
    """Replace each call with an array of its arguments as text, in place.

    Raises:
        NotSupportedError: a call is not an item of the SELECT list.
        UnknownNameError: a call has too few or too many arguments (42883).
    """
    found: list[SideEffect] = []
    items = tree.expressions if isinstance(tree, exp.Select) else []
    has_star = False
    for place, item in enumerate(items):
        has_star = has_star or item.is_star
        call = item.unalias()
        function = _FUNCTIONS.get(call.name.lower()) if isinstance(call, exp.Anonymous) else None
        if function is None or has_star:
            continue
        if not function.needed <= len(call.expressions) <= len(function.arguments):
            raise unknown_function(call, call.name.lower())
        found.append(SideEffect(place=place, name=call.name.lower()))
        item.replace(exp.alias_(_texts(call, function), column_name(item), quoted=True))
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() in _FUNCTIONS:
            raise NotSupportedError(
                f"{call.name.lower()}() is called from the SELECT list only",
                hint="Make the call an item of the outermost SELECT, before any star.",
                position=position_of(call),
            )
    return tuple(found)


def _texts(call: exp.Anonymous, function: _Function) -> exp.Expr:
    texts: list[exp.Expr] = []
    for each, name in zip(call.expressions, function.arguments, strict=False):
        typed = exp.Cast(this=each.copy(), to=exp.DataType.build(name, dialect="postgres"))
        texts.append(exp.Cast(this=typed, to=exp.DataType.build("text", dialect="postgres")))
    return exp.Array(expressions=texts)


def result_columns(columns: Sequence[Column], effects: Sequence[SideEffect]) -> tuple[Column, ...]:
    """Return the columns with the result types of the calls."""
    types = {effect.place: _FUNCTIONS[effect.name].result for effect in effects}
    return tuple(
        Column(name=column.name, type=types[place]) if place in types else column
        for place, column in enumerate(columns)
    )


def apply_side_effects(
    effects: Sequence[SideEffect], table: pa.Table, session: Session, commands: SessionCommands
) -> pa.Table:
    """Call the functions for each row and replace their arguments with their results.

    Raises:
        QueryError: a setting is invalid, or a session belongs to another user.
    """
    calls: Mapping[str, Callable[[Sequence[str | None]], object]] = {
        "set_config": lambda given: _set_config(given, session, commands),
        "pg_cancel_backend": lambda given: _signal(given, session, ends=False),
        "pg_terminate_backend": lambda given: _signal(given, session, ends=True),
    }
    columns = {effect.place: table.column(effect.place).to_pylist() for effect in effects}
    made: dict[int, list[object]] = {effect.place: [] for effect in effects}
    for row in range(table.num_rows):
        for effect in effects:
            made[effect.place].append(calls[effect.name](columns[effect.place][row]))
    for effect in effects:
        values = pa.array(made[effect.place], _FUNCTIONS[effect.name].result.arrow)
        table = table.set_column(effect.place, table.schema.field(effect.place).name, values)
    return table


def _set_config(given: Sequence[str | None], session: Session, commands: SessionCommands) -> str:
    name, value, local = given
    if name is None:
        raise InvalidValueError("SET requires parameter name", sqlstate="22004")
    is_local = local is not None and bool(parse_value(local, BOOLEAN))
    commands.set_config(name.lower(), value, session, is_local)
    return "" if value is None else value


def _signal(given: Sequence[str | None], session: Session, *, ends: bool) -> bool | None:
    """Cancel the statement of a session, or end it; return whether the session exists.

    Raises:
        QueryError: the session belongs to another user (42501).
    """
    if given[0] is None:
        return None
    pid, backends = int(parse_value(given[0], INTEGER)), session.backends
    found = None
    if backends is not None:
        found = next((each for each in backends.listed() if each.pid == pid), None)
    if found is None or backends is None:
        return False
    if found.user != session.user:
        word = "terminate process" if ends else "cancel query"
        raise QueryError(
            f"permission denied to {word}",
            hint="Users can end only their own sessions.",
            sqlstate="42501",
        )
    return backends.terminate(pid) if ends else backends.cancel_backend(pid)
