"""Rewrites a statement so that it returns the rows after a key, in the order of the key.

The conditions on the key and the order go into the statement itself, not around it, so that each
page is a short range of its store. Comments and offsets before the conditions stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import NotSupportedError
from stategate.planner.planning.plan import QueryPlan
from stategate.planner.syntax.parse import Parsed, parse
from stategate.planner.syntax.with_clause import split_clause
from stategate.planner.values.quoting import quote_always
from stategate.planner.values.statement import Paged, Statement, StatementKind
from stategate.stores.spec.schema import StoreKind, StoreSchema

_ALLOWED = frozenset({"expressions", "from_", "where", "kind"})
"""The parts of a SELECT that a page may have."""
_OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE})
_CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE})
_WITH_KEYS = frozenset({StoreKind.KEYVALUE, StoreKind.GLOBAL})
_OF_MANY_ROWS = (exp.Window, exp.AggFunc, exp.UDTF, exp.Explode)


def paged(statement: Statement) -> Paged:
    """Return how to page through the rows of a statement.

    Args:
        statement: a planned statement without literals that were lifted out of its text.

    Raises:
        NotSupportedError: it is not a SELECT of rows of one keyvalue or global store, or its result
            lacks a key column.
    """
    plan = statement.plan
    if statement.kind is not StatementKind.SELECT or not isinstance(plan, QueryPlan):
        raise _refused("it is not a SELECT from a store")
    parsed = parse(statement.sql)
    schema, key = _key(parsed.tree, plan)
    text = _Text(parsed, schema, parameters=len(statement.parameters))
    types = tuple(column.type for column in schema.key)
    return Paged(store=schema.address, key=key, types=types, text=text.page)


def _key(tree: exp.Query | None, plan: QueryPlan) -> tuple[StoreSchema, tuple[int, ...]]:
    """Return the store, and the place of each key column in the result."""
    if not isinstance(tree, exp.Select) or not _ALLOWED.issuperset(
        name for name, value in tree.args.items() if value
    ):
        raise _refused("it has ORDER BY, LIMIT, a join, a group or the like")
    if not _is_plain(tree.args["from_"].this if tree.args.get("from_") else None):
        raise _refused("it does not read one store by its name")
    if any(column.find(*_OF_MANY_ROWS) for column in tree.expressions):
        raise _refused("a column depends on several rows, or makes several")
    origins = plan.origins or ()
    found = next((origin[0].store for origin in origins if origin is not None), None)
    if found is None or found.kind not in _WITH_KEYS:
        raise _refused("no column is one of a keyvalue or global store")
    names = [None if each is None else each[1] for each in origins]
    missing = [column.name for column in found.key if column.name not in names]
    if missing:
        raise _refused(f'its result lacks the key column "{missing[0]}"')
    return found, tuple(names.index(column.name) for column in found.key)


def _is_plain(table: object) -> bool:
    """Whether this is a name, with or without an alias of one word."""
    if not isinstance(table, exp.Table):
        return False
    alias = table.args.get("alias")
    others = {name for name, value in table.args.items() if value} - {"this", "db", "alias"}
    return not others and not (alias is not None and alias.args.get("columns"))


def _refused(why: str) -> NotSupportedError:
    return NotSupportedError(
        "the statement has no pages",
        detail=f"Pages are in the order of a store's key, but {why}.",
        hint="Select the key columns of one keyvalue or global store, with or without WHERE.",
    )


class _Text:
    """The text of a statement, to which the conditions of a page are added."""

    def __init__(self, parsed: Parsed, schema: StoreSchema, *, parameters: int) -> None:
        tokens = [each for each in parsed.tokens if each.token_type is not TokenType.SEMICOLON]
        end, _ = split_clause(tokens)
        body = tokens[:end]
        where = _where(body)
        sql = parsed.sql
        last = body[-1].end + 1
        self._head = sql[: last if where is None else where.start]
        self._condition = None if where is None else sql[where.end + 1 : last]
        self._clause = sql[tokens[end].start :] if end < len(tokens) else ""
        assert isinstance(parsed.tree, exp.Select)
        table = parsed.tree.args["from_"].this.alias_or_name
        self._columns = [f"{quote_always(table)}.{quote_always(c.name)}" for c in schema.key]
        self._parameters = parameters

    def page(self, rows: int, nulls: Sequence[bool] | None) -> str:
        """Return the statement of a page; see `Paged.text`."""
        conditions = [] if self._condition is None else [f"({self._condition})"]
        if nulls is not None:
            conditions.append(f"({self._after(nulls)})")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        order = ", ".join(f"{column} NULLS FIRST" for column in self._columns)
        return f"{self._head}{where} ORDER BY {order} LIMIT {rows} {self._clause}".rstrip()

    def _after(self, nulls: Sequence[bool]) -> str:
        """Return the condition of keys that come after one, NULL before all other values."""
        equal: list[str] = []
        ways: list[str] = []
        number = self._parameters
        for column, is_null in zip(self._columns, nulls, strict=True):
            number += not is_null
            greater = f"{column} IS NOT NULL" if is_null else f"{column} > ${number}"
            ways.append(f"({' AND '.join([*equal, greater])})")
            equal.append(f"{column} IS NULL" if is_null else f"{column} = ${number}")
        return " OR ".join(ways)


def _where(tokens: Sequence[Token]) -> Token | None:
    depth = 0
    for token in tokens:
        kind = token.token_type
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if depth == 0 and kind is TokenType.WHERE:
            return token
    return None
