"""The arguments of EXECUTE: expressions in SQL, as values of the statement's parameters."""

from __future__ import annotations

from collections.abc import Sequence

from stategate.gateway.pgwire.types.arrow_values import physical_values
from stategate.planner.engine import (
    Argument,
    Cancellation,
    DataType,
    Engine,
    ExecuteStatement,
    Kind,
    QueryError,
    Result,
    Row,
    Session,
    Value,
    check_assigned,
    parse_value,
)


def check_argument_count(command: ExecuteStatement, types: Sequence[DataType]) -> None:
    """Require one argument for each parameter; a statement without parameters ignores arguments.

    Raises:
        QueryError: there are more or fewer (42601).
    """
    if types and len(command.arguments) != len(types):
        raise QueryError(
            f'wrong number of parameters for prepared statement "{command.name}"',
            detail=f"Expected {len(types)} parameters but got {len(command.arguments)}.",
            sqlstate="42601",
        )


def argument_values(
    engine: Engine,
    session: Session,
    arguments: Sequence[Argument],
    types: Sequence[DataType],
    cancellation: Cancellation,
) -> Row:
    """Evaluate arguments, each as a value of its parameter's type. Blocks.

    Raises:
        QueryError: an argument fails, or its type is not one that becomes the parameter's (42804).
    """
    pairs = zip(arguments if types else (), types, strict=True)
    return tuple(
        _value(engine, session, argument, (number, data_type), cancellation)
        for number, (argument, data_type) in enumerate(pairs, 1)
    )


def _value(
    engine: Engine,
    session: Session,
    argument: Argument,
    parameter: tuple[int, DataType],
    cancellation: Cancellation,
) -> Value:
    number, data_type = parameter
    if _is_read(argument, data_type):
        text = argument.literal
        return None if text is None else parse_value(text, data_type, session.times)
    # SQL has no numeric of zero digits, which stands for one without a precision.
    spelled = str(data_type).replace("decimal(0,0)", "numeric")
    try:
        own = engine.prepare(f"SELECT ({argument.sql})", session, cancellation=cancellation)
        check_assigned(number, own.columns[0].type, data_type)
        sql = f"SELECT CAST(({argument.sql}) AS {spelled})"
        statement = engine.prepare(sql, session, cancellation=cancellation)
    except QueryError as error:
        error.position = None  # it counts in a text that the client does not know
        raise
    result = engine.execute(statement, (), session, cancellation=cancellation)
    try:
        return _only_value(result)
    finally:
        result.close()


def _is_read(argument: Argument, data_type: DataType) -> bool:
    """Whether a literal is read as a value of the parameter's type; a number has its own type."""
    if not argument.is_literal:
        return False
    is_number = argument.literal is not None and "'" not in argument.sql and "$" not in argument.sql
    return not is_number or data_type.kind in _OF_DIGITS


_OF_DIGITS = frozenset(
    {*(Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT), *(Kind.REAL, Kind.DOUBLE, Kind.DECIMAL)}
)
"""Types whose values the digits of a whole number are."""


def _only_value(result: Result) -> Value:
    if result.rows is not None:
        return result.rows[0][0]
    assert result.batches is not None, "rows are in memory or a stream"
    batch = next(result.batches)
    return physical_values(batch.column(0), result.columns[0].type)[0]
