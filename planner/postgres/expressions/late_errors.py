"""Errors of values that PostgreSQL raises when it computes them, and not when it reads a statement.

Names, types and groups of the whole statement are right before any value is computed. A text that
is no value of its type is different: PostgreSQL reads it with the types.
"""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import BETWEEN_PARTS, RAISED, InvalidValueError
from stategate.planner.postgres.types.functions import call_name
from stategate.planner.postgres.types.inference import Types
from stategate.planner.records.functions import RECORDS
from stategate.planner.trees.nodes import call, cast, outermost, put, strip
from stategate.planner.values.sqltypes import duckdb_type

_OF_TEXTS = frozenset({"22P02", "22007", "22008", "22003"})
"""The SQLSTATEs of texts that are no value of their type."""
_CONSTANT = (exp.Literal, exp.Var, exp.Parameter, exp.DataType, exp.Boolean)


def _is_constant(node: exp.Expr) -> bool:
    return isinstance(strip(node), _CONSTANT)


def is_late(node: exp.Expr, error: InvalidValueError) -> bool:
    """Whether an error that a rule raises for a node is one of computing it."""
    is_of_text = isinstance(node, exp.Cast) or error.sqlstate in _OF_TEXTS
    return not is_of_text and not isinstance(outermost(node), exp.AggFunc | exp.Window | exp.Filter)


def raise_late(node: exp.Expr, found: InvalidValueError, types: Types) -> exp.Expr:
    """Replace a node with an expression that raises an error that was found for each row.

    It does not where an operand is NULL, if the function then returns NULL at once.
    """
    record = RECORDS.get(call_name(node))
    is_strict = record is None or not any(form.takes_null for form in record.forms)
    operands = [each for each in node.iter_expressions() if is_strict and not _is_constant(each)]
    parts = (f"{RAISED}{found.sqlstate} {found.message}", found.detail or "", found.hint or "")
    error = call("pg_sg_error", exp.Literal.string(BETWEEN_PARTS.join(parts)))
    known = types.of(node)
    value = error if known is None else cast(error, duckdb_type(known))
    missing = [exp.Is(this=exp.Paren(this=each), expression=exp.null()) for each in operands]
    branches = [exp.If(this=each, true=exp.null()) for each in missing]
    return put(node, exp.Paren(this=exp.Case(ifs=branches, default=value)) if branches else value)
