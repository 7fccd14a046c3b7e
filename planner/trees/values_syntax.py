"""Reads VALUES, as an item of FROM or as a query, and samples of items of FROM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.trees.interpreted_sqlglot import PostgresParser

_AFTER_VALUES = frozenset(
    {
        *(TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT, TokenType.ORDER_BY),
        *(TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH),
    }
)
_BEFORE_ITEM = (
    [TokenType.FROM, TokenType.L_PAREN],
    [TokenType.JOIN, TokenType.L_PAREN],
)


class ValuesParser(PostgresParser):
    """sqlglot's parser with VALUES wherever a query may stand, and any share in TABLESAMPLE."""

    def _parse_table_sample(self, as_modifier: bool = False) -> exp.TableSample | None:
        """Read `TABLESAMPLE method (percentage) REPEATABLE (seed)`."""
        if not self._match(TokenType.TABLE_SAMPLE):
            return None
        method = self._parse_var(any_token=True)
        percent = self._parse_wrapped(self._parse_disjunction)
        seed = None
        if self._match_text_seq("REPEATABLE"):
            seed = self._parse_wrapped(self._parse_disjunction)
        return self.expression(exp.TableSample(method=method, percent=percent, seed=seed))

    def _parse_derived_table_values(self, *args: Any, **kwargs: Any) -> exp.Values | None:
        """Leave `(VALUES (1) UNION …)` in FROM to the parser of subqueries."""
        if holds_more_than_values(self._tokens, self._index):
            return None
        return super()._parse_derived_table_values(*args, **kwargs)

    def _parse_select_query(
        self,
        nested: bool = False,
        table: bool = False,
        parse_subquery_alias: bool = True,
        parse_set_operation: bool = True,
    ) -> exp.Expr | None:
        """Read VALUES as `SELECT * FROM (VALUES …)`, so that all clauses may follow it."""
        if self._curr is None or self._curr.token_type is not TokenType.VALUES:
            return super()._parse_select_query(
                nested, table, parse_subquery_alias, parse_set_operation
            )
        values = super()._parse_derived_table_values()
        assert values is not None
        if values.args.get("alias"):
            self.raise_error("VALUES has no alias")
        found = self._parse_query_modifiers(self._values_to_select(values))
        return self._parse_set_operations(found) if parse_set_operation else found

    def _parse_wrapped_select(self, table: bool = False) -> exp.Expr | None:
        """Read VALUES in brackets with clauses, in FROM too, as a query."""
        is_values = self._curr is not None and self._curr.token_type is TokenType.VALUES
        return super()._parse_wrapped_select(table and not is_values)


def holds_more_than_values(tokens: Sequence[Token], at: int) -> bool:
    """Whether `(VALUES (1) UNION …)` begins here; `(VALUES (1), (2))` is no query but an item."""
    kinds = [token.token_type for token in tokens[at : at + 2]]
    if kinds != [TokenType.L_PAREN, TokenType.VALUES]:
        return False
    depth = 0
    for token in tokens[at:]:
        depth += token.token_type is TokenType.L_PAREN
        depth -= token.token_type is TokenType.R_PAREN
        if depth == 0:
            return False
        if depth == 1 and token.token_type in _AFTER_VALUES:
            return True
    return False


def is_item_of_values(tokens: Sequence[Token], at: int) -> bool:
    """Whether a VALUES is an item of FROM, and not a query that our parser makes a SELECT."""
    around = [token.token_type for token in tokens[max(at - 3, 0) : at]]
    if around[1:] not in _BEFORE_ITEM or around[0] is TokenType.DISTINCT:
        return False
    if holds_more_than_values(tokens, at - 1):
        return False
    depth = 0
    for token in reversed(tokens[: at - 2]):  # not that of `extract(year FROM (VALUES …))`
        depth += token.token_type is TokenType.R_PAREN
        depth -= token.token_type is TokenType.L_PAREN
        if depth < 0:
            return False
        if depth == 0 and token.token_type is TokenType.SELECT:
            return True
    return False
