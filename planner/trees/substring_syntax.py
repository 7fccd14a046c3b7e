"""The syntax of `substring`, with keywords in place of commas."""

from __future__ import annotations

from typing import Any

from sqlglot import exp


def parse_substring(parser: Any) -> exp.Expr:
    """Read the arguments of a call, up to its closing parenthesis.

    `a FROM b FOR c` is a call with these arguments, and so is `a SIMILAR b ESCAPE c`: the types of
    the arguments tell them apart.
    """
    given = parser._parse_csv(parser._parse_assignment)
    if parser._match_text_seq("SIMILAR"):
        given.append(parser._parse_bitwise())
        if not parser._match_text_seq("ESCAPE"):
            parser.raise_error("Expecting ESCAPE")
        given.append(parser._parse_bitwise())
        return _call(given)
    start = count = None
    for _ in range(2):
        if start is None and parser._match_text_seq("FROM"):
            start = parser._parse_bitwise()
        elif count is None and parser._match_text_seq("FOR"):
            count = parser._parse_bitwise()
    if count is not None and start is None:
        start = exp.Literal.number(1)
    return _call([*given, *(each for each in (start, count) if each is not None)])


def _call(given: list[exp.Expr]) -> exp.Expr:
    return exp.Anonymous(this="substring", expressions=given)
