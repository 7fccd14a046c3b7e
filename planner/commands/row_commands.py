"""Statements that deliver the rows of another statement: COPY, cursors, PREPARE and EXECUTE."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import TokenType

from planner.commands.copy_statement import read_copy
from planner.commands.subscribe import CHANGE_COLUMNS, read_subscribe
from planner.commands.token_reader import Words
from planner.commands.transaction import two_phase
from planner.errors import InvalidSyntaxError, NotSupportedError, QueryError, UnknownNameError
from planner.postgres.refused import check_type
from planner.syntax.parse import Parsed
from planner.syntax.with_clause import WAIT_MS_MAX, interval_ms
from planner.trees.dialect import DIALECT, tokenize
from planner.values.sqltypes import parameter_type_of
from planner.values.statement import (
    Argument,
    CloseCursor,
    CopyOut,
    DeallocateStatement,
    DeclareCursor,
    Direction,
    ExecuteStatement,
    FetchCursor,
    PrepareStatement,
    Result,
    RowCommand,
    Statement,
    StatementKind,
    Subscribe,
)
from planner.values.text_values import parse_value
from stores.spec.schema import INTERVAL, DataType

Plan = Callable[[str, "Sequence[DataType | None]"], Statement]
"""Plans the query with this text and these types of parameters."""

_COUNT_MAX = (1 << 63) - 1
_ONE_ROW = {
    "NEXT": (Direction.FORWARD, 1),
    "PRIOR": (Direction.BACKWARD, 1),
    "FIRST": (Direction.ABSOLUTE, 1),
    "LAST": (Direction.ABSOLUTE, -1),
}
_COUNTED = {"FORWARD": Direction.FORWARD, "BACKWARD": Direction.BACKWARD}
_NUMBERED = {"ABSOLUTE": Direction.ABSOLUTE, "RELATIVE": Direction.RELATIVE}
_LITERALS = {TokenType.STRING, TokenType.NUMBER}


def read_declare(words: Words) -> tuple[DeclareCursor, int]:
    """Read a DECLARE; return it and where its query begins in the text.

    Raises:
        QueryError: it is malformed, or its options contradict each other (42P11).
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
    if {"SCROLL", "NO SCROLL"} <= asked or {"ASENSITIVE", "INSENSITIVE"} <= asked:
        both = "SCROLL and NO SCROLL" if "SCROLL" in asked else "INSENSITIVE and ASENSITIVE"
        raise InvalidSyntaxError(f"cannot specify both {both}", sqlstate="42P11")
    scroll = {"SCROLL": True, "NO SCROLL": False}
    command = DeclareCursor(
        name=name,
        binary="BINARY" in asked,
        scroll=next((scroll[each] for each in scroll if each in asked), None),
        hold=hold,
    )
    return command, words.start


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
    if count is not None and abs(count) > _COUNT_MAX:
        raise InvalidSyntaxError("the count of rows is out of range", sqlstate="22003")
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


def read_prepare(words: Words) -> tuple[PrepareStatement, int]:
    """Read a PREPARE; return it and where its query begins in the text.

    Raises:
        QueryError: it is malformed, a type does not exist (42704), or it is a PREPARE TRANSACTION.
    """
    words.expect("PREPARE")
    name = words.name()
    if name == "transaction" and words.is_string:
        raise two_phase()
    items = words.list_items() if words.peek() == "(" else []
    words.expect("AS")
    types = tuple(_read_type(words.sql[start:end], start) for start, end in items)
    return PrepareStatement(name=name, types=types), words.start


_QUALIFIER = re.compile(r"^pg_catalog\s*\.\s*", re.IGNORECASE)


def _read_type(text: str, start: int) -> DataType | None:
    """Return a declared type; None if the engine has to choose one, as for `numeric`."""
    spelled = text.strip()
    if spelled.lower() == "unknown":
        return None
    position = start + len(text) - len(text.lstrip()) + 1
    try:
        node = exp.DataType.build(_QUALIFIER.sub("", spelled), dialect=DIALECT, udt=True)
    except (ParseError, ValueError):
        node = None
    if node is None or node.this in {None, exp.DType.UNKNOWN}:
        raise UnknownNameError(
            f'type "{spelled.lower()}" does not exist', position=position, sqlstate="42704"
        )
    try:
        for each in node.find_all(exp.DataType):
            check_type(each)
    except QueryError as error:
        error.position = position
        raise
    return parameter_type_of(node)


def read_execute(words: Words) -> ExecuteStatement:
    """Read an EXECUTE.

    Raises:
        InvalidSyntaxError: it is malformed.
    """
    words.expect("EXECUTE")
    name = words.name()
    arguments: tuple[Argument, ...] = ()
    if words.peek() == "(":
        items = words.list_items() if words.peek(1) != ")" else []
        if not items:
            words.expect("(", ")")
        arguments = tuple(_read_argument(words.sql[start:end].strip()) for start, end in items)
    words.finish()
    return ExecuteStatement(name=name, arguments=arguments)


def _explained_execute(parsed: Parsed) -> Statement:
    """Return the statement of an EXPLAIN EXECUTE, without its columns."""
    tokens = parsed.tokens[parsed.command_at :]
    command = read_execute(Words(parsed.sql, tokens))
    return Statement(
        sql=parsed.sql,
        kind=parsed.kind,
        row_command=replace(command, explain=parsed.sql[: tokens[0].start]),
    )


def _read_argument(sql: str) -> Argument:
    tokens = tokenize(sql)
    sign = ""
    if len(tokens) == 2 and tokens[0].text in {"-", "+"}:
        sign = tokens[0].text
        tokens = tokens[1:] if tokens[1].token_type is TokenType.NUMBER else tokens
    if len(tokens) == 3 and tokens[0].token_type is TokenType.L_PAREN:
        tokens = tokens[1:2]
    if len(tokens) != 1:
        return Argument(sql=sql)
    token = tokens[0]
    if token.token_type is TokenType.NUMBER and not token.text.isdigit():
        return Argument(sql=sql)  # a conversion to integer rounds it
    if token.token_type in _LITERALS:
        return Argument(sql=sql, is_literal=True, literal=sign + token.text)
    if token.token_type is TokenType.NULL:
        return Argument(sql=sql, is_literal=True)
    return Argument(sql=sql)


def read_deallocate(words: Words) -> DeallocateStatement:
    """Read a DEALLOCATE.

    Raises:
        InvalidSyntaxError: it is malformed.
    """
    words.expect("DEALLOCATE")
    if words.left > 1:
        words.take("PREPARE")
    name = None if words.take("ALL") else words.name()
    words.finish()
    return DeallocateStatement(name=name)


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
    command, text, offset = _read_with_query(parsed, words)
    prepares = isinstance(command, PrepareStatement)
    types = command.types if isinstance(command, PrepareStatement) else parameter_types
    with _counted_from(offset):
        query = plan(text, types)
        if query.kind not in _taken(command):
            word = text.split(maxsplit=1)[0] if text.strip() else ""
            raise InvalidSyntaxError(f'syntax error at or near "{word}"' if word else "no query")
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


def _taken(command: RowCommand) -> Set[StatementKind]:
    """Return the kinds of statements whose rows a command delivers."""
    if isinstance(command, CopyOut | DeclareCursor):
        return {StatementKind.SELECT, StatementKind.SUBSCRIBE}
    return {StatementKind.SELECT}


def _check_live_cursor(command: DeclareCursor) -> None:
    """Refuse a cursor over a SUBSCRIBE that goes backwards or outlives its transaction."""
    if command.scroll or command.hold:
        option = "SCROLL" if command.scroll else "WITH HOLD"
        raise NotSupportedError(
            f"DECLARE CURSOR {option} of SUBSCRIBE is not supported",
            hint="Read it forwards, within its transaction.",
        )


def _read_with_query(parsed: Parsed, words: Words) -> tuple[RowCommand, str, int | None]:
    if parsed.kind is StatementKind.COPY:
        return read_copy(words)
    if parsed.kind is StatementKind.SUBSCRIBE:
        return read_subscribe(words)
    command, offset = (
        read_declare(words) if parsed.kind is StatementKind.DECLARE else read_prepare(words)
    )
    end = parsed.tokens[-1].end + 1
    return command, parsed.sql[offset:end], offset


@contextmanager
def _counted_from(offset: int | None) -> Iterator[None]:
    """Move positions of errors to the whole statement; drop them for a generated text."""
    try:
        yield
    except QueryError as error:
        if error.position is not None:
            error.position = None if offset is None else error.position + offset
        raise


def _check_force_quote(command: CopyOut, query: Statement) -> None:
    names = {column.name for column in query.columns}
    for name in sorted(command.force_quote or ()):
        if name not in names:
            raise UnknownNameError(f'column "{name}" does not exist', sqlstate="42703")


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
