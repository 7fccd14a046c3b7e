"""The operators `->` and `->>`, after which a key or an index stands.

sqlglot reads a path of several steps there: in `j -> '$.a'`, the key is `$.a`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType


def _part(kind: type[exp.Expr]) -> Callable[[Any, exp.Expr, exp.Expr], exp.Expr]:
    return lambda parser, this, key: parser.expression(kind(this=this, expression=key))


KEYED: Mapping[TokenType, Callable[[Any, exp.Expr, exp.Expr], exp.Expr]] = {
    TokenType.ARROW: _part(exp.JSONExtract),
    TokenType.DARROW: _part(exp.JSONExtractScalar),
}
"""By token: how the parser builds the node of an operator."""
