"""Catalog functions with side effects: `set_config`, advisory locks, and ends of others' work.

DuckDB computes their arguments for each row; then the functions are called and their results put
into the rows. So they must be whole items of the outermost SELECT list.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import pyarrow as pa
from sqlglot import exp

from stategate.planner.commands.session_commands import SessionCommands
from stategate.planner.errors import InvalidValueError, NotSupportedError
from stategate.planner.pg_catalog.advisory_calls import (
    RESULTS_OF_LOCKS,
    UNLOCK_ALL,
    Steps,
    lock_steps,
)
from stategate.planner.pg_catalog.signals import Signals
from stategate.planner.postgres.refused import unknown_function
from stategate.planner.postgres.types.operands import is_open
from stategate.planner.postgres.types.signatures import takes_exactly
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import position_of
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.sqltypes import format_type
from stategate.planner.values.statement import Notice
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import BIGINT, BOOLEAN, INTEGER, TEXT, Column, DataType


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEffect:
    """A call in the SELECT list."""

    place: int
    """The index of its column, from 0."""
    name: str


@dataclass(frozen=True, slots=True)
class _Function:
    signatures: tuple[tuple[DataType, ...], ...]
    """The types of the arguments, in each of its forms."""
    result: DataType


_LOCKED = ((BIGINT,), (INTEGER, INTEGER))
_FUNCTIONS: Mapping[str, _Function] = {
    "set_config": _Function(((TEXT, TEXT, BOOLEAN),), TEXT),
    "pg_cancel_backend": _Function(((INTEGER,),), BOOLEAN),
    "pg_terminate_backend": _Function(((INTEGER,), (INTEGER, BIGINT)), BOOLEAN),
    **{
        name: _Function(((),) if name == UNLOCK_ALL else _LOCKED, result)
        for name, result in RESULTS_OF_LOCKS.items()
    },
}
SIDE_EFFECT_FUNCTIONS = frozenset(_FUNCTIONS)
"""Functions with side effects."""


Given: TypeAlias = "list[tuple[exp.Anonymous, Sequence[exp.Expr]]]"
"""Calls, with the arguments that stand in their place now."""


def extract_side_effects(tree: exp.Query) -> tuple[tuple[SideEffect, ...], Given]:
    """Replace each call with an array of its arguments as text, in place.

    Raises:
        NotSupportedError: a call is not an item of the SELECT list, or the items are not computed
            once for each row of the result.
        UnknownNameError: a call has too few or too many arguments (42883).
    """
    found: list[SideEffect] = []
    given: Given = []
    items = tree.expressions if isinstance(tree, exp.Select) else []
    has_star = False
    for place, item in enumerate(items):
        has_star = has_star or item.is_star
        call = item.unalias()
        function = _FUNCTIONS.get(call.name.lower()) if isinstance(call, exp.Anonymous) else None
        if function is None or has_star:
            continue
        name = call.name.lower()
        forms = [each for each in function.signatures if len(each) == len(call.expressions)]
        if not forms:
            raise unknown_function(call, name)
        _require_rowwise(tree, call, {str(place + 1), item.alias_or_name, name})
        arguments = [each.copy() for each in call.expressions]
        found.append(SideEffect(place=place, name=name))
        given.append((call, arguments))
        texts = _texts(arguments, forms[0])
        item.replace(exp.alias_(texts, column_name(item), quoted=True))
    for call in tree.find_all(exp.Anonymous):
        if call.name.lower() in _FUNCTIONS:
            raise refused_call(call)
    return tuple(found), given


def refused_call(call: exp.Anonymous) -> NotSupportedError:
    """Return the error for a call that is not an item of the SELECT list of the catalog."""
    return NotSupportedError(
        f"{call.name.lower()}() is called from the SELECT list only",
        hint="Make the call an item of the outermost SELECT, before any star, that reads no store.",
        position=position_of(call),
    )


def _require_rowwise(tree: exp.Expr, call: exp.Anonymous, names: Container[str]) -> None:
    """Refuse a call whose result decides which rows there are, or in which order.

    Raises:
        NotSupportedError: it stands in a SELECT DISTINCT, or in its GROUP BY or ORDER BY.
    """
    order, group = tree.args.get("order"), tree.args.get("group")
    terms = [*(order.expressions if order else ()), *(group.expressions if group else ())]
    keys = [each.this if isinstance(each, exp.Ordered) else each for each in terms]
    if tree.args.get("distinct") or any(key.name in names for key in keys):
        raise NotSupportedError(
            f"{call.name.lower()}() is not supported with DISTINCT, or in GROUP BY or ORDER BY",
            hint="Make the call in a SELECT of its own.",
            position=position_of(call),
        )


def check_given(given: Given, type_of: Callable[[exp.Expr], DataType | None]) -> None:
    """Check the types of the arguments.

    Raises:
        UnknownNameError: a function takes none of these types (42883).
    """
    for call, arguments in given:
        types = [None if is_open(each) else type_of(each) for each in arguments]
        name = call.name.lower()
        if not any(takes_exactly(form, types) for form in _FUNCTIONS[name].signatures):
            shown = ["unknown" if each is None else format_type(each) for each in types]
            raise unknown_function(call, name, ", ".join(shown))


def _texts(arguments: Sequence[exp.Expr], form: Sequence[DataType]) -> exp.Expr:
    texts: list[exp.Expr] = []
    for each, wanted in zip(arguments, form, strict=True):
        to = exp.DataType.build(str(wanted), dialect="postgres")
        typed = exp.Cast(this=each, to=to)
        texts.append(exp.Cast(this=typed, to=exp.DataType.build("text", dialect="postgres")))
    found = exp.Array(expressions=texts)
    return exp.Cast(this=found, to=exp.DataType.build("text[]", dialect="postgres"))


def result_columns(columns: Sequence[Column], effects: Sequence[SideEffect]) -> tuple[Column, ...]:
    """Return the columns with the result types of the calls."""
    types = {effect.place: _FUNCTIONS[effect.name].result for effect in effects}
    return tuple(
        Column(name=column.name, type=types[place]) if place in types else column
        for place, column in enumerate(columns)
    )


class Calls:
    """The calls of a statement for each row; the `Waits` of its result.

    Args:
        effects: the calls.
        table: the rows, with the arguments in the place of each call.
        session: the session that calls.
        commands: sets its settings.
        signals: cancels statements, and ends sessions.
        cancellation: ends the waits.

    Raises:
        QueryError: a setting is invalid, a session belongs to another user, or a wait has failed.
    """

    def __init__(
        self,
        effects: Sequence[SideEffect],
        table: pa.Table,
        session: Session,
        commands: SessionCommands,
        signals: Signals,
        *,
        cancellation: Cancellation,
    ) -> None:
        self.notices: list[Notice] = []
        """The warnings so far."""
        self.now: Future[bool] | None = None
        """What the calls wait for; None once they have all been made."""
        self._effects, self._table = effects, table
        self._calls: Mapping[str, Callable[[Sequence[str | None]], Steps]] = {
            "set_config": lambda given: _at_once(_set_config, given, session, commands),
            "pg_cancel_backend": lambda given: _at_once(signals.cancel, given, session),
            "pg_terminate_backend": lambda given: _at_once(signals.terminate, given, session),
            **{
                name: partial(
                    lock_steps,
                    name,
                    session=session,
                    cancellation=cancellation,
                    notices=self.notices,
                )
                for name in RESULTS_OF_LOCKS
            },
        }
        self._steps = self._made()
        self.go_on()

    def go_on(self) -> None:
        """Make further calls, until one must wait."""
        self.now = next(self._steps, None)

    def close(self) -> None:
        """Make no more calls, and wait no longer."""
        self._steps.close()

    def rows(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows with the results of the calls.

        Raises:
            NotSupportedError: a call still waits, where only a thread could wait.
        """
        if self.now is not None:
            raise NotSupportedError("a statement that waits for a lock is not supported here")
        yield from self._table.to_batches()

    def _made(self) -> Generator[Future[bool], None, None]:
        table = self._table
        columns = {effect.place: table.column(effect.place).to_pylist() for effect in self._effects}
        made: dict[int, list[object]] = {effect.place: [] for effect in self._effects}
        for row in range(table.num_rows):
            for effect in self._effects:
                given = columns[effect.place][row]
                made[effect.place].append((yield from self._calls[effect.name](given)))
        for effect in self._effects:
            values = pa.array(made[effect.place], _FUNCTIONS[effect.name].result.arrow)
            table = table.set_column(effect.place, table.schema.field(effect.place).name, values)
        self._table = table


def _at_once(call: Callable[..., object], *given: object, **options: object) -> Steps:
    """Call a function that never waits."""
    yield from ()
    return call(*given, **options)


def _set_config(given: Sequence[str | None], session: Session, commands: SessionCommands) -> str:
    name, value, local = given
    if name is None:
        raise InvalidValueError("SET requires parameter name", sqlstate="22004")
    is_local = local is not None and bool(parse_value(local, BOOLEAN))
    return commands.set_config(name, value, session, is_local)
