"""Subscripts of arrays: `a[i]`, `a[i:j]`, `a[:j]`, and chains of them."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

_REAL_BITS_MAX = 24
_SUBSCRIPTED = (exp.Column, exp.Parameter, exp.Paren, exp.Subquery, exp.Bracket, exp.Dot)


def is_subscripted(node: exp.Expr) -> bool:
    """Whether PostgreSQL's grammar lets a subscript follow; other nodes need parentheses."""
    is_call = isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func)
    return isinstance(node, _SUBSCRIPTED) and not is_call


def parse_subscript(parser: Any, this: Any) -> exp.Expr:
    """Return an array with its subscript or slice, whose opening bracket was read.

    sqlglot takes `:j` for a placeholder, and subtracts 1 from what it takes for integers.
    """
    place = None if _is_at(parser, TokenType.COLON) else parser._parse_disjunction()
    if parser._match(TokenType.COLON):
        upper = None if _is_at(parser, TokenType.R_BRACKET) else parser._parse_disjunction()
        place = exp.Slice(this=place, expression=upper)
    if place is None or not parser._match(TokenType.R_BRACKET):
        parser.raise_error("Expected a subscript and ]")
    assert isinstance(place, exp.Expr)
    found: exp.Expr = parser.expression(subscript(this, place))
    _deepen(found)
    return found


def _deepen(found: exp.Expr) -> None:
    """Give the cast of a parameter as many dimensions as it has subscripts: `($1::int[])[2][1]`.

    PostgreSQL's type of an array says nothing of its dimensions.
    """
    cast, places = chain_of(found)
    while isinstance(cast, exp.Paren):
        cast = cast.this
    if len(places) > 1 and isinstance(cast, exp.Cast) and isinstance(cast.this, exp.Parameter):
        leaf, depth = cast.to, 0
        while leaf.this is exp.DType.ARRAY and len(leaf.expressions) == 1:
            leaf, depth = leaf.expressions[0], depth + 1
        if depth:
            for _ in range(max(depth, len(places))):
                leaf = exp.DataType(this=exp.DType.ARRAY, expressions=[leaf.copy()], nested=True)
            cast.set("to", leaf)


def _is_at(parser: Any, kind: TokenType) -> bool:
    return parser._curr is not None and parser._curr.token_type is kind


def subscript(this: exp.Expr, place: exp.Expr) -> exp.Bracket:
    """Return a node for one pair of brackets, whose subscript stays as it is written."""
    return exp.Bracket(this=this, expressions=[place], offset=1)


def is_chained(node: exp.Expr) -> bool:
    """Whether a pair of brackets has another one after it: `a[1]` of `a[1][2]`."""
    return isinstance(node.parent, exp.Bracket) and node.arg_key == "this"


def chain_of(node: exp.Expr) -> tuple[exp.Expr, list[exp.Expr]]:
    """Return the array of a chain of brackets, and what stands in them, from left to right."""
    places: list[exp.Expr] = []
    while isinstance(node, exp.Bracket) and len(node.expressions) == 1:
        places.insert(0, node.expressions[0])
        node = node.this
    return node, places


def whole_type(parser: Any, found: Any) -> Any:
    """Return a type that was read, without the lengths of `int[3]`, which PostgreSQL ignores.

    A float of up to 24 bits is a real.

    sqlglot does not read `int ARRAY[3]`, and drops the word ARRAY at the end of a text.
    """
    if not isinstance(found, exp.DataType):
        return found
    is_dropped = not parser._curr and parser._prev.token_type is TokenType.ARRAY
    has_length = parser._match(TokenType.ARRAY)
    if has_length:
        parser._match(TokenType.L_BRACKET)
        parser._parse_number()
        if not parser._match(TokenType.R_BRACKET):
            parser.raise_error("Expected ]")
    if has_length or (is_dropped and not found.expressions):
        found = exp.DataType(this=exp.DType.ARRAY, expressions=[found], nested=True)
    for each in found.find_all(exp.DataType):
        if each.args.get("values"):
            each.set("values", None)
        if each.this is exp.DType.DOUBLE and each.expressions:
            bits = int(each.expressions[0].name)
            each.set("expressions", None)
            each.set("this", exp.DType.FLOAT if bits <= _REAL_BITS_MAX else exp.DType.DOUBLE)
    return found
