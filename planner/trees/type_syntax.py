"""Reads types and the literals that begin with one, where sqlglot reads them differently."""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from stategate.planner.errors import InvalidSyntaxError
from stategate.planner.trees.interpreted_sqlglot import PostgresParser
from stategate.planner.trees.type_names import check_type_name

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
INTERVAL_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
"""The units that may follow the text of an interval, and the name of its type."""
INTERNAL_TYPES = frozenset(
    {
        *(
            "bool",
            "bpchar",
            "bytea",
            "date",
            "float4",
            "float8",
            "int2",
            "int4",
            "int8",
            "interval",
        ),
        *("json", "jsonb", "numeric", "text", "time", "timestamp", "timestamptz", "timetz", "uuid"),
        "varchar",
    }
)
"""PostgreSQL's names of types that have words of SQL, by which a name in quotes finds them."""


_SPANS = frozenset(
    {
        *(("YEAR", "MONTH"), ("DAY", "HOUR"), ("DAY", "MINUTE"), ("DAY", "SECOND")),
        *(("HOUR", "MINUTE"), ("HOUR", "SECOND"), ("MINUTE", "SECOND")),
    }
)


class TypeParser(PostgresParser):
    """sqlglot's parser with PostgreSQL's names and literals of types."""

    def _parse_types(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
        """Read a name in quotes as that of a type: sqlglot would read it as SQL again."""
        token = self._curr
        is_quoted = token is not None and token.token_type is TokenType.IDENTIFIER
        is_part = self._next is not None and self._next.token_type is TokenType.DOT
        if is_quoted and not is_part and token.text not in INTERNAL_TYPES:
            if not kwargs.get("allow_identifiers", True):
                return None
            self._advance()
            name = exp.to_identifier(token.text, quoted=True)
            found = exp.DataType(this=exp.DType.USERDEFINED, kind=name)
            while self._match_pair(TokenType.L_BRACKET, TokenType.R_BRACKET):
                found = exp.DataType(this=exp.DType.ARRAY, expressions=[found], nested=True)
            return found
        return super()._parse_types(*args, **kwargs)

    def _parse_type_size(self) -> exp.DataTypeParam | None:
        found = super()._parse_type_size()
        if found is not None:
            found.set("this", found.this.unnest())
        return found

    def _parse_interval(
        self, require_interval: bool = True, parse_function_unit: bool = True
    ) -> exp.Add | exp.Interval | None:
        """Read `interval '1 day 02:03'`, `interval '5' day`, `interval '1-2' YEAR TO MONTH`.

        sqlglot keeps one field of the text, and reads `interval '1 day' + x` as two fields.
        """
        if not require_interval:
            return super()._parse_interval(require_interval, parse_function_unit)
        if not (self._curr and self._next) or self._curr.token_type is not TokenType.INTERVAL:
            return None
        if self._next.token_type is not TokenType.STRING:
            return None  # a column of that name
        self._advance()
        literal = self._parse_string()
        unit: exp.Expr | None = self._parse_interval_field()
        if unit is not None and self._match_text_seq("TO"):
            last = self._parse_interval_field()
            if last is None or (unit.name, last.name) not in _SPANS:
                word = self._curr if last is None else self._prev
                raise InvalidSyntaxError(
                    f'syntax error at or near "{word.text}"', position=word.start + 1
                )
            unit = exp.IntervalSpan(this=unit, expression=last)
        return self.expression(exp.Interval(this=literal, unit=unit))

    def _parse_interval_field(self) -> exp.Var | None:
        if self._curr is None or self._curr.text.upper() not in INTERVAL_UNITS:
            return None
        self._advance()
        return exp.var(self._prev.text.upper())

    def _parse_type(
        self, parse_interval: bool = True, fallback_to_identifier: bool = False
    ) -> exp.Expr | None:
        """Read `date '2020-01-01'::text` as the text of a date; in sqlglot `::` comes first."""
        kind = self._curr.token_type if self._curr else None
        is_sized = self._next is not None and self._next.token_type is TokenType.L_PAREN
        if kind is TokenType.INTERVAL and is_sized:
            check_type_name(self.sql, self._tokens, self._index)
        if kind in self.TYPE_TOKENS and self._is_call():
            # Never a type. sqlglot would read what follows as one first, at each level again.
            return self._parse_column()
        if kind in self.TYPE_TOKENS and kind is not TokenType.INTERVAL:
            index = self._index
            data_type = self._parse_types(check_func=True, allow_identifiers=False)
            is_type = isinstance(data_type, exp.DataType)
            if is_type and self._curr and self._curr.token_type is TokenType.STRING:
                check_type_name(self.sql, self._tokens, index)
                if isinstance(data_type, exp.DataType) and data_type.this is exp.DType.ARRAY:
                    self.raise_error("an array has no literal", self._prev)
                literal = self._parse_string()
                return self._parse_column_ops(self.expression(exp.Cast(this=literal, to=data_type)))
            self._retreat(index)
        elif kind in _NAMES and self._next and self._next.token_type is TokenType.STRING:
            return self._parse_column_ops(self._named_literal())
        return super()._parse_type(parse_interval, fallback_to_identifier)

    def _is_call(self) -> bool:
        """Whether a name of a type begins a call or an array: no number follows its bracket."""
        after = self._tokens[self._index + 1 : self._index + 3]
        if len(after) < 2:
            return False
        opening, first = after
        if self._curr.token_type is TokenType.ARRAY:
            return bool(opening.token_type is TokenType.L_BRACKET)
        is_open = opening.token_type is TokenType.L_PAREN
        return bool(is_open and first.token_type is not TokenType.NUMBER)

    def _named_literal(self) -> exp.Cast:
        """Read `macaddr '08:00:2b:01:02:03'`: sqlglot has no token for such a type."""
        name = self._parse_id_var(any_token=False, tokens=(TokenType.VAR,))
        data_type = exp.DataType(this=exp.DType.USERDEFINED, kind=name)
        return self.expression(exp.Cast(this=self._parse_string(), to=data_type))
