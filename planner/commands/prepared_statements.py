"""Read PREPARE, EXECUTE and DEALLOCATE word by word."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import TokenType

from stategate.planner.commands.transaction import two_phase
from stategate.planner.errors import QueryError, UnknownNameError
from stategate.planner.postgres.refused import check_type
from stategate.planner.syntax.parse import parse
from stategate.planner.syntax.token_reader import Words, counted_from
from stategate.planner.trees.dialect import DIALECT, tokenize
from stategate.planner.values.sqltypes import parameter_type_of
from stategate.planner.values.statement import (
    Argument,
    DeallocateStatement,
    ExecuteStatement,
    PrepareStatement,
)
from stategate.stores.spec.schema import DataType

_LITERALS = {TokenType.STRING, TokenType.NUMBER}
_AS_TYPE = ("SELECT CAST(NULL AS ", ")")
_AS_VALUE = ("SELECT CASE WHEN true THEN ", " END")
"""Queries with a place where only an expression can stand."""


def read_prepare(words: Words) -> tuple[Callable[[], PrepareStatement], int]:
    """Read a PREPARE; return what makes it, and where its query begins in the text.

    Making it fails if a type does not exist (42704).

    Raises:
        QueryError: it is malformed, or it is a PREPARE TRANSACTION.
    """
    words.expect("PREPARE")
    name = words.name()
    if name == "transaction" and words.is_string:
        raise two_phase()
    items = words.list_items() if words.peek() == "(" else []
    words.expect("AS")
    for start, end in items:
        _check_syntax(_AS_TYPE, words.sql[start:end], start)

    def make() -> PrepareStatement:
        types = tuple(_read_type(words.sql[start:end], start) for start, end in items)
        return PrepareStatement(name=name, types=types)

    return make, words.start


def _check_syntax(form: tuple[str, str], text: str, start: int) -> None:
    """Refuse a text that does not parse within a query of this form."""
    before, after = form
    with counted_from(start - len(before)):
        parse(f"{before}{text}{after}")


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
        items = words.list_items()
        arguments = tuple(_read_argument(words.sql[start:end], start) for start, end in items)
    words.finish()
    return ExecuteStatement(name=name, arguments=arguments)


def _read_argument(text: str, start: int) -> Argument:
    sql = text.strip()
    found = _literal(sql)
    if found is None:
        _check_syntax(_AS_VALUE, text, start)
        return Argument(sql=sql)
    return found


def _literal(sql: str) -> Argument | None:
    """Return an argument that is a literal; None for any other."""
    tokens = tokenize(sql)
    sign = ""
    if len(tokens) == 2 and tokens[0].text in {"-", "+"}:
        sign = tokens[0].text
        tokens = tokens[1:] if tokens[1].token_type is TokenType.NUMBER else tokens
    if len(tokens) == 3 and tokens[0].token_type is TokenType.L_PAREN:
        tokens = tokens[1:2]
    if len(tokens) != 1:
        return None
    token = tokens[0]
    if token.token_type is TokenType.NUMBER and not token.text.isdigit():
        return None  # a conversion to integer rounds it
    if token.token_type in _LITERALS:
        return Argument(sql=sql, is_literal=True, literal=sign + token.text)
    if token.token_type is TokenType.NULL:
        return Argument(sql=sql, is_literal=True)
    return None


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
