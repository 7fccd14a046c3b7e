"""Statements that deliver the rows of another statement: COPY, cursors, PREPARE and EXECUTE."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from stategate.planner.commands.copy_statement import read_copy
from stategate.planner.commands.prepared_statements import (
    read_deallocate,
    read_execute,
    read_prepare,
)
from stategate.planner.commands.subscribe import CHANGE_COLUMNS, read_subscribe
from stategate.planner.errors import (
    InvalidSyntaxError,
    NotSupportedError,
    QueryError,
    UnknownNameError,
)
from stategate.planner.syntax.parse import Parsed, parse
from stategate.planner.syntax.token_reader import Words, counted_from
from stategate.planner.syntax.with_clause import WAIT_MS_MAX, interval_ms
from stategate.planner.values.statement import (
    CloseCursor,
    CopyOut,
    DeallocateStatement,
    DeclareCursor,
    Direction,
    FetchCursor,
    PrepareStatement,
    Result,
    RowCommand,
    Statement,
    StatementKind,
    Subscribe,
)
from stategate.planner.values.text_values import parse_value
from stategate.stores.spec.schema import INTERVAL, DataType

Plan = Callable[[str, "Sequence[DataType | None]"], Statement]
"""Plans the query with this text and these types of parameters."""

_ONE_ROW = {
    "NEXT": (Direction.FORWARD, 1),
    "PRIOR": (Direction.BACKWARD, 1),
    "FIRST": (Direction.ABSOLUTE, 1),
    "LAST": (Direction.ABSOLUTE, -1),
}
_COUNTED = {"FORWARD": Direction.FORWARD, "BACKWARD": Direction.BACKWARD}
_NUMBERED = {"ABSOLUTE": Direction.ABSOLUTE, "RELATIVE": Direction.RELATIVE}


def read_declare(words: Words) -> tuple[Callable[[], DeclareCursor], int]:
    """Read a DECLARE; return what makes it, and where its query begins in the text.

    Making it fails if its options contradict each other (42P11).

    Raises:
        InvalidSyntaxError: it is malformed.
    """
    words.expect("DECLARE")
    name = words.name()
    asked: set[str] = set()
    while words.peek() != "CURSOR":
        asked.add(_declare_option(words))
    words.expect("CURSOR")
    hold = words.take("WITH", "HOLD")
    if not hold:
        words.take("WITHOUT", "HOLD")
    words.expect("FOR")
    return lambda: _declared(name, asked, hold=hold), words.start


def _declared(name: str, asked: Set[str], *, hold: bool) -> DeclareCursor:
    for pair in (("SCROLL", "NO SCROLL"), ("INSENSITIVE", "ASENSITIVE")):
        if asked >= {*pair}:
            raise InvalidSyntaxError(f"cannot specify both {' and '.join(pair)}", sqlstate="42P11")
    scroll = {"SCROLL": True, "NO SCROLL": False}
    return DeclareCursor(
        name=name,
        binary="BINARY" in asked,
        scroll=next((scroll[each] for each in scroll if each in asked), None),
        hold=hold,
    )


def _declare_option(words: Words) -> str:
    if words.take("NO", "SCROLL"):
        return "NO SCROLL"
    for option in ("BINARY", "INSENSITIVE", "ASENSITIVE", "SCROLL"):
        if words.take(option):
            return option
    raise words.problem()


def read_fetch(words: Words) -> FetchCursor:
    """Read a FETCH or MOVE.

    Raises:
        InvalidSyntaxError: it is malformed.
    """
    move = words.peek() == "MOVE"
    words.skip()
    direction: Direction = Direction.FORWARD
    count: int | None = 1
    # A cursor may be named like a direction: the last word is the name.
    if words.left > 1:
        direction, count = _read_direction(words)
    if not words.take("FROM"):
        words.take("IN")
    name = words.name()
    timeout_ms = _read_timeout(words)
    words.finish()
    return FetchCursor(
        name=name, direction=direction, count=count, move=move, timeout_ms=timeout_ms
    )


def _read_timeout(words: Words) -> int | None:
    """Read `WITH (TIMEOUT = interval)`, as Materialize has it; None without one."""
    if not words.take("WITH"):
        return None
    words.expect("(", "TIMEOUT")
    words.take("=")
    text = words.string()
    words.expect(")")
    return interval_ms(parse_value(text, INTERVAL), WAIT_MS_MAX)


def _read_direction(words: Words) -> tuple[Direction, int | None]:
    word = words.peek()
    if word in _ONE_ROW:
        words.skip()
        return _ONE_ROW[word]
    if word in _NUMBERED:
        words.skip()
        number = words.integer()
        if number is None:
            raise words.problem()
        return _NUMBERED[word], number
    direction = _COUNTED.get(word, Direction.FORWARD)
    if word in _COUNTED:
        words.skip()
    if words.take("ALL"):
        return direction, None
    number = words.integer()
    return direction, 1 if number is None else number


def read_close(words: Words) -> CloseCursor:
    """Read a CLOSE.

    Raises:
        InvalidSyntaxError: it is malformed.
    """
    words.expect("CLOSE")
    name = None if words.take("ALL") else words.name()
    words.finish()
    return CloseCursor(name=name)


def _explained_execute(parsed: Parsed) -> Statement:
    """Return the statement of an EXPLAIN EXECUTE, without its columns."""
    tokens = parsed.tokens[parsed.command_at :]
    command = read_execute(Words(parsed.sql, tokens))
    return Statement(
        sql=parsed.sql,
        kind=parsed.kind,
        row_command=replace(command, explain=parsed.sql[: tokens[0].start]),
    )


_ALONE: dict[StatementKind, Callable[[Words], RowCommand]] = {
    StatementKind.FETCH: read_fetch,
    StatementKind.MOVE: read_fetch,
    StatementKind.CLOSE: read_close,
    StatementKind.EXECUTE: read_execute,
    StatementKind.DEALLOCATE: read_deallocate,
}
ROW_COMMANDS = frozenset(
    {
        *_ALONE,
        *(StatementKind.COPY, StatementKind.DECLARE, StatementKind.PREPARE),
        StatementKind.SUBSCRIBE,
    }
)
"""Kinds of statements that the server of the client runs, not the engine."""


def plan_row_command(
    parsed: Parsed, plan: Plan, parameter_types: Sequence[DataType | None]
) -> Statement:
    """Return the statement, with the plan of the query in it.

    Args:
        parsed: one of `ROW_COMMANDS`, or the EXPLAIN of an EXECUTE.
        plan: plans a query.
        parameter_types: types that the client gives.

    Raises:
        QueryError: it is malformed, or its query cannot be planned.
    """
    if parsed.command_at:
        return _explained_execute(parsed)
    words = Words(parsed.sql, parsed.tokens)
    alone = _ALONE.get(parsed.kind)
    if alone is not None:
        return Statement(sql=parsed.sql, kind=parsed.kind, row_command=alone(words))
    make, text, offset = _read_with_query(parsed, words)
    taken = _TAKEN.get(parsed.kind, frozenset({StatementKind.SELECT}))
    try:
        command = make()
        prepares = isinstance(command, PrepareStatement)
        types = command.types if isinstance(command, PrepareStatement) else parameter_types
        with counted_from(offset):
            query = plan(text, types)
        _check_kind(query.kind, taken, text)
    except QueryError:
        # PostgreSQL has parsed the query before it finds anything else that is wrong.
        with counted_from(offset):
            _check_kind(parse(text).kind, taken, text)
        raise
    if isinstance(command, CopyOut):
        _check_force_quote(command, query)
    if isinstance(command, DeclareCursor) and query.kind is StatementKind.SUBSCRIBE:
        _check_live_cursor(command)
    subscribes = isinstance(command, Subscribe)
    return Statement(
        sql=parsed.sql,
        kind=parsed.kind,
        columns=(*CHANGE_COLUMNS, *query.columns) if subscribes else (),
        returns_rows=subscribes,
        parameters=() if prepares else query.parameters,
        row_command=command,
        query=query,
    )


_LIVE = frozenset({StatementKind.SELECT, StatementKind.SUBSCRIBE})
_TAKEN = {StatementKind.COPY: _LIVE, StatementKind.DECLARE: _LIVE}
"""The kinds of statements whose rows a command delivers, if they are not SELECT alone."""


def _check_kind(kind: StatementKind, taken: Set[StatementKind], text: str) -> None:
    if kind not in taken:
        word = text.split(maxsplit=1)[0] if text.strip() else ""
        raise InvalidSyntaxError(f'syntax error at or near "{word}"' if word else "no query")


def _check_live_cursor(command: DeclareCursor) -> None:
    """Refuse a cursor over a SUBSCRIBE that goes backwards or outlives its transaction."""
    if command.scroll or command.hold:
        option = "SCROLL" if command.scroll else "WITH HOLD"
        raise NotSupportedError(
            f"DECLARE CURSOR {option} of SUBSCRIBE is not supported",
            hint="Read it forwards, within its transaction.",
        )


def _read_with_query(
    parsed: Parsed, words: Words
) -> tuple[Callable[[], RowCommand], str, int | None]:
    """Return what makes the command, its query, and where that begins in the text."""
    if parsed.kind is StatementKind.COPY:
        return read_copy(words)
    if parsed.kind is StatementKind.SUBSCRIBE:
        subscribe, text, at = read_subscribe(words)
        return lambda: subscribe, text, at
    make: Callable[[], RowCommand]
    make, offset = (
        read_declare(words) if parsed.kind is StatementKind.DECLARE else read_prepare(words)
    )
    end = parsed.tokens[-1].end + 1
    return make, parsed.sql[offset:end], offset


def _check_force_quote(command: CopyOut, query: Statement) -> None:
    names = {column.name for column in query.columns}
    given = command.force_quote or ()
    for at, name in enumerate(given):
        if name not in names:
            raise UnknownNameError(f'column "{name}" does not exist', sqlstate="42703")
        if name in given[:at]:
            message = f'column "{name}" specified more than once'
            raise UnknownNameError(message, sqlstate="42701")


def run_unserved(statement: Statement) -> Result:
    """Run such a statement for a client without cursors, prepared statements and COPY, as by HTTP.

    Closing all cursors or deallocating all statements then does nothing.

    Raises:
        QueryError: such a client cannot run the statement.
    """
    command = statement.row_command
    if isinstance(command, FetchCursor | CloseCursor) and command.name is not None:
        raise UnknownNameError(f'cursor "{command.name}" does not exist', sqlstate="34000")
    if isinstance(command, DeallocateStatement) and command.name is not None:
        raise UnknownNameError(
            f'prepared statement "{command.name}" does not exist', sqlstate="26000"
        )
    if isinstance(command, CloseCursor | DeallocateStatement):
        return Result(kind=statement.kind)
    if isinstance(command, Subscribe):
        raise NotSupportedError(
            "SUBSCRIBE needs the Postgres wire protocol", hint="Use GET /v1/subscribe?sql=…"
        )
    raise NotSupportedError(
        f"{statement.kind.value} needs the Postgres wire protocol",
        hint="Run its query alone; large results stream.",
    )
