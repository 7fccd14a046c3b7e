"""The SQL we read: Postgres's, with parameters that sqlglot's tokenizer cannot take for quotes."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import Token, TokenType

_PARAMETER = "\x1a"
"""Stands for the `$` of `$1` while a text is tokenized: sqlglot reads `$1,$` as a dollar quote."""

_LEXEME = re.compile(
    r"""
      (?:\b[eE])'(?:[^'\\]|\\.|'')*'            # E'…' with backslash escapes
    | '(?:[^']|'')*'                            # '…'
    | "(?:[^"]|"")*"                            # "…"
    | --[^\n]*                                  # to the end of the line
    | /\*.*?\*/                                 # comment
    | (?<![\w$])\$(?:[A-Za-z_]\w*)?\$           # opens a dollar quote
    | (?<![\w$])\$(?=\d)                        # a parameter
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENS = re.compile(r"""['"]|/\*""")


class StategateSQL(Postgres):
    """Postgres's dialect but for the parameter sign."""

    class Tokenizer(Postgres.Tokenizer):
        """Reads the stand-in of a parameter's `$`; tokenizes commands like all else."""

        COMMANDS = set()  # noqa: RUF012
        # `x::oid[]` is what drivers send, and does not parse while the names of object identifier
        # types are keywords.
        KEYWORDS = {  # noqa: RUF012
            word: kind
            for word, kind in Postgres.Tokenizer.KEYWORDS.items()
            if kind is not TokenType.OBJECT_IDENTIFIER
        }
        SINGLE_TOKENS = {**Postgres.Tokenizer.SINGLE_TOKENS, _PARAMETER: TokenType.PARAMETER}  # noqa: RUF012

    class Parser(PostgresParser):
        """Reads `ALL($1)` as what it is; sqlglot knows only `ALL (SELECT …)`."""

        FUNCTIONS = {  # noqa: RUF012
            **PostgresParser.FUNCTIONS,
            "ALL": lambda args: exp.All(this=exp.Paren(this=args[0])),
        }


DIALECT = StategateSQL()


def tokenize(sql: str) -> list[Token]:
    """The tokens of a text; `start` and `end` count its characters from 0, `end` inclusive.

    Raises:
        sqlglot.errors.TokenError: the text ends inside a quote or comment.
    """
    return DIALECT.tokenize(_mark_parameters(sql))


def _mark_parameters(sql: str) -> str:
    if "$" not in sql:
        return sql
    pieces: list[str] = []
    at = 0
    while found := _LEXEME.search(sql, at):
        start, lexeme = found.start(), found[0]
        pieces.append(sql[at:start])
        at = found.end()
        if lexeme == "$":
            pieces.append(_PARAMETER)
            continue
        if lexeme[0] == "$":
            closed = sql.find(lexeme, at)
            at = len(sql) if closed < 0 else closed + len(lexeme)
        pieces.append(sql[start:at])
    pieces.append(sql[at:])
    return "".join(pieces)


def unterminated(sql: str) -> int | None:
    """Where the quote or comment begins that a text ends in; None if it ends in none."""
    at = 0
    while True:
        found = _LEXEME.search(sql, at)
        opened = _OPENS.search(sql, at, found.start() if found else len(sql))
        if opened is not None:
            return opened.start()
        if found is None:
            return None
        at = found.end()
        if found[0][0] == "$" and len(found[0]) > 1:
            closed = sql.find(found[0], at)
            if closed < 0:
                return found.start()
            at = closed + len(found[0])
