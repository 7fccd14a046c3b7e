"""A statement that reads only the rows of some keys: the keys that epochs have changed.

It is made for a SELECT of one keyvalue or global store, with its only key column in the result.
Each row of the result then comes from one row of the store, so the rows of the changed keys before
and after an epoch have all differences.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from planner.live.subscribable import schemas_of
from planner.planning.plan import Compose, QueryPlan
from planner.syntax.parse import parse
from planner.syntax.with_clause import split_clause
from planner.values.quoting import quote_always
from planner.values.statement import Statement
from stores.spec.schema import DataType, Kind, StoreKind

_ALLOWED = frozenset({"expressions", "from_", "where", "order", "kind"})
"""The parts of a SELECT that are of one row each, or only order rows."""
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_WITH_KEYS = frozenset({StoreKind.KEYVALUE, StoreKind.GLOBAL})
_OF_MANY_ROWS = (exp.Window, exp.AggFunc, exp.UDTF, exp.Explode, exp.Query)


class Narrowed(Struct, frozen=True, kw_only=True):
    """The texts of the statement; the last parameter is an array of keys."""

    of_keys: str
    """Reads the rows of the keys in the array."""
    of_null: str
    """Reads the rows of the keys in the array, and of the key NULL."""
    parameters: tuple[DataType, ...]


def narrowed(statement: Statement, plan: QueryPlan) -> Narrowed | None:
    """Return the statement for some keys; None if its rows are not those of one store's rows."""
    schemas = list(schemas_of(plan).values())
    parsed = parse(statement.sql)
    tree = parsed.tree
    if len(schemas) != 1 or not isinstance(tree, exp.Select) or not _is_of_rows(tree, plan):
        return None
    (schema,) = schemas
    if schema.kind not in _WITH_KEYS or len(schema.key) != 1:
        return None
    (key,) = schema.key
    # A result with a bare key column is no aggregate, whose functions might not all be known.
    if not any(origin is not None and origin[1] == key.name for origin in plan.origins or ()):
        return None
    tokens = [each for each in parsed.tokens if each.token_type is not TokenType.SEMICOLON]
    end, _ = split_clause(tokens)
    head, condition = _parts(statement.sql, tokens[:end])
    column = f"{quote_always(tree.args['from_'].this.alias_or_name)}.{quote_always(key.name)}"
    number = len(statement.parameters) + 1
    given = f"{column} = ANY(${number})"
    before = f"{head} WHERE ({condition}) AND" if condition else f"{head} WHERE"
    return Narrowed(
        of_keys=f"{before} {given}",
        of_null=f"{before} ({given} OR {column} IS NULL)",
        parameters=(*statement.parameters, DataType(kind=Kind.ARRAY, element=key.type)),
    )


def _is_of_rows(tree: exp.Select, plan: QueryPlan) -> bool:
    """Whether a SELECT makes each row of one row of the only relation that it reads."""
    if {name for name, value in tree.args.items() if value} - _ALLOWED:
        return False
    if isinstance(plan.node, Compose) and len(plan.node.inputs) != 1:
        return False
    table = tree.args["from_"].this if tree.args.get("from_") else None
    if not isinstance(table, exp.Table):
        return False
    alias = table.args.get("alias")
    others = {name for name, value in table.args.items() if value} - {"this", "db", "alias"}
    if others or (alias is not None and alias.args.get("columns")):
        return False
    # Functions in FROM and in SELECT may make several rows or none: those are not narrowed.
    return not any(node is not tree and isinstance(node, _OF_MANY_ROWS) for node in tree.walk())


def _parts(sql: str, tokens: Sequence[Token]) -> tuple[str, str]:
    """Return the text before WHERE, and the condition; empty without one."""
    depth, where, end = 0, None, tokens[-1].end + 1
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if depth == 0 and kind is TokenType.WHERE:
            where = token
        if depth == 0 and kind is TokenType.ORDER_BY:
            end = token.start
            break
    if where is None:
        return sql[:end], ""
    return sql[: where.start], sql[where.end + 1 : end]
