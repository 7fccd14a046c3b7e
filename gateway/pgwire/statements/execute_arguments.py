"""The arguments of EXECUTE: expressions in SQL, as values of the statement's parameters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gateway.pgwire.types.arrow_values import physical_values
from planner.engine import (
    Argument,
    Cancellation,
    DataType,
    Engine,
    ExecuteStatement,
    QueryError,
    Result,
    Row,
    Session,
    Value,
    parse_value,
)

_NO_CAST_STATE = "42846"
_NO_CAST = re.compile(r"cannot cast type (.+) to (.+)")


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
        QueryError: an argument fails, or is not a value of its type.
    """
    pairs = zip(arguments if types else (), types, strict=True)
    values: list[Value] = []
    for number, (each, kind) in enumerate(pairs, 1):
        try:
            values.append(_value(engine, session, each, kind, cancellation))
        except QueryError as error:
            raise _coerced(error, number) from error
    return tuple(values)


def _coerced(error: QueryError, number: int) -> QueryError:
    """Return the error of an argument; that of a cast which does not exist names the parameter."""
    found = _NO_CAST.fullmatch(error.message) if error.sqlstate == _NO_CAST_STATE else None
    if found is None:
        return error
    given, wanted = found.groups()
    return QueryError(
        f"parameter ${number} of type {given} cannot be coerced to the expected type {wanted}",
        hint="You will need to rewrite or cast the expression.",
        sqlstate="42804",
    )


def _value(
    engine: Engine,
    session: Session,
    argument: Argument,
    data_type: DataType,
    cancellation: Cancellation,
) -> Value:
    if argument.is_literal:
        text = argument.literal
        return None if text is None else parse_value(text, data_type, session.times)
    # SQL has no numeric of zero digits, which stands for one without a precision.
    spelled = str(data_type).replace("decimal(0,0)", "numeric")
    sql = f"SELECT CAST(({argument.sql}) AS {spelled})"
    try:
        statement = engine.prepare(sql, session, cancellation=cancellation)
    except QueryError as error:
        error.position = None  # it counts in a text that the client does not know
        raise
    result = engine.execute(statement, (), session, cancellation=cancellation)
    try:
        return _only_value(result)
    finally:
        result.close()


def _only_value(result: Result) -> Value:
    if result.rows is not None:
        return result.rows[0][0]
    assert result.batches is not None, "rows are in memory or a stream"
    batch = next(result.batches)
    return physical_values(batch.column(0), result.columns[0].type)[0]
