"""Statements that deliver the rows of another statement: COPY, cursors, PREPARE and EXECUTE."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from planner.commands.copy_statement import read_copy
from planner.commands.cursors import (
    read_close,
    read_deallocate,
    read_declare,
    read_execute,
    read_fetch,
    read_prepare,
)
from planner.commands.token_reader import Words
from planner.errors import InvalidSyntaxError, NotSupportedError, QueryError, UnknownNameError
from planner.syntax.parse import Parsed
from planner.values.row_commands import (
    CloseCursor,
    CopyOut,
    DeallocateStatement,
    FetchCursor,
    Handover,
    PrepareStatement,
)
from planner.values.statement import Result, Statement, StatementKind
from stores.spec.schema import DataType

Plan = Callable[[str, "Sequence[DataType | None]"], Statement]
"""Plans the query with this text and these types of parameters."""

_ALONE: dict[StatementKind, Callable[[Words], Handover]] = {
    StatementKind.FETCH: read_fetch,
    StatementKind.MOVE: read_fetch,
    StatementKind.CLOSE: read_close,
    StatementKind.EXECUTE: read_execute,
    StatementKind.DEALLOCATE: read_deallocate,
}
HANDOVERS = frozenset({*_ALONE, StatementKind.COPY, StatementKind.DECLARE, StatementKind.PREPARE})
"""Kinds of statements that the server of the client runs, not the engine."""


def plan_handover(
    parsed: Parsed, plan: Plan, parameter_types: Sequence[DataType | None]
) -> Statement:
    """Return the statement, with the plan of the query in it.

    Args:
        parsed: one of `HANDOVERS`.
        plan: plans a query.
        parameter_types: types that the client gives.

    Raises:
        QueryError: it is malformed, or its query cannot be planned.
    """
    words = Words(parsed.sql, parsed.tokens)
    alone = _ALONE.get(parsed.kind)
    if alone is not None:
        return Statement(sql=parsed.sql, kind=parsed.kind, handover=alone(words))
    order, text, offset = _read_with_query(parsed, words)
    prepares = isinstance(order, PrepareStatement)
    types = order.types if isinstance(order, PrepareStatement) else parameter_types
    with _counted_from(offset):
        query = plan(text, types)
        if query.kind is not StatementKind.SELECT:
            word = text.split(maxsplit=1)[0] if text.strip() else ""
            raise InvalidSyntaxError(f'syntax error at or near "{word}"' if word else "no query")
    if isinstance(order, CopyOut):
        _check_force_quote(order, query)
    return Statement(
        sql=parsed.sql,
        kind=parsed.kind,
        parameters=() if prepares else query.parameters,
        handover=order,
        query=query,
    )


def _read_with_query(parsed: Parsed, words: Words) -> tuple[Handover, str, int | None]:
    if parsed.kind is StatementKind.COPY:
        return read_copy(words)
    order, offset = (
        read_declare(words) if parsed.kind is StatementKind.DECLARE else read_prepare(words)
    )
    end = parsed.tokens[-1].end + 1
    return order, parsed.sql[offset:end], offset


@contextmanager
def _counted_from(offset: int | None) -> Iterator[None]:
    """Move positions of errors to the whole statement; drop them for a generated text."""
    try:
        yield
    except QueryError as error:
        if error.position is not None:
            error.position = None if offset is None else error.position + offset
        raise


def _check_force_quote(order: CopyOut, query: Statement) -> None:
    names = {column.name for column in query.columns}
    for name in sorted(order.force_quote or ()):
        if name not in names:
            raise UnknownNameError(f'column "{name}" does not exist', sqlstate="42703")


def run_unserved(statement: Statement) -> Result:
    """Run such a statement for a client without cursors, prepared statements and COPY, as by HTTP.

    To close all cursors or deallocate all statements does nothing then.

    Raises:
        QueryError: such a client cannot run the statement.
    """
    order = statement.handover
    if isinstance(order, FetchCursor | CloseCursor) and order.name is not None:
        raise UnknownNameError(f'cursor "{order.name}" does not exist', sqlstate="34000")
    if isinstance(order, DeallocateStatement) and order.name is not None:
        raise UnknownNameError(
            f'prepared statement "{order.name}" does not exist', sqlstate="26000"
        )
    if isinstance(order, CloseCursor | DeallocateStatement):
        return Result(kind=statement.kind)
    raise NotSupportedError(
        f"{statement.kind.value} needs the Postgres wire protocol",
        hint="Run its query alone; large results stream.",
    )
