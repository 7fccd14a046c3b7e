"""Names of types that are called like functions: `int4(2.5)` is a cast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from sqlglot import exp

_NAMES = """
    bool bpchar bytea cidr date float4 float8 inet int2 int4 int8 jsonb macaddr name oid regclass
    regnamespace regproc regrole regtype text timestamptz uuid
"""
"""Names that are no keywords; those, such as `numeric`, are no functions in PostgreSQL, either."""


def _cast_or_call(name: str, args: list[exp.Expr]) -> exp.Expr:
    if len(args) != 1:
        return exp.Anonymous(this=name, expressions=args)
    if name == "date" and isinstance(args[0], exp.Parameter):
        # Of the two functions with this name, PostgreSQL takes that of moments.
        moment = exp.DataType.build("timestamptz", dialect="postgres")
        args = [exp.Cast(this=args[0], to=moment)]
    return exp.Cast(this=args[0], to=exp.DataType.build(name, dialect="stategatesql", udt=True))


TYPE_CALLS: Mapping[str, Callable[[list[exp.Expr]], exp.Expr]] = {
    name.upper(): partial(_cast_or_call, name) for name in _NAMES.split()
}
"""What the parser makes of a call with each name."""
