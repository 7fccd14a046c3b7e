"""The SQL dialect: sqlglot's PostgreSQL, with parameters `$1` and other changes."""

from __future__ import annotations

import re
import threading
from collections.abc import Collection
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError
from sqlglot.parsers.postgres import PostgresParser as PlainParser
from sqlglot.tokenizer_core import Token, TokenType

from planner.errors import InvalidSyntaxError
from planner.trees.interpreted_sqlglot import PostgresParser
from planner.trees.nodes import position_of
from planner.trees.number_text import plain_number
from planner.trees.plain_statements import KEPT_NAMES, is_plain
from planner.trees.subscripts import parse_subscript, whole_type

_PARAMETER = "\x1a"
"""Replaces the `$` of `$1` before a text is tokenized: sqlglot reads `$1,$` as a dollar quote."""

_LEXEME = re.compile(
    r"""
      '(?:(?<=\b[eE]')(?:[^'\\]|\\.|'')*'|(?:[^']|'')*')  # E'…' with backslash escapes, or '…'
    | "(?:[^"]|"")*"                                      # "…"
    | --[^\n]*                                            # to the end of the line
    | /\*.*?\*/                                           # comment
    | \$(?<![\w$]\$)(?:(?:[A-Za-z_]\w*)?\$|(?=\d))        # opens a dollar quote, or a parameter
    """,
    re.VERBOSE | re.DOTALL,
)
"""Each alternative begins with one certain character, so that the search skips all others."""
_OPENS = re.compile(r"""['"]|/\*""")

_OF_POSITIONS = (
    *(exp.Ordered, exp.Distinct, exp.Group),
    *(exp.Rollup, exp.Cube, exp.GroupingSets),
)
"""Clauses in which a bare number is the position of a result column."""

_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})

_INTERVAL_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
"""The units that may follow the text of an interval."""


def _number(parser: PostgresParser, token: Token) -> exp.Expr:
    return parser.expression(exp.Literal.number(plain_number(token.text)), token)


class StategateSQL(Postgres):
    """PostgreSQL's dialect, with its own sign for parameters."""

    ORIGINAL_NAME_META_KEY = "name"
    INDEX_OFFSET = 0
    SUPPORTS_FIXED_SIZE_ARRAYS = True

    class Tokenizer(Postgres.Tokenizer):
        """Reads the character that replaces a parameter's `$`; no word begins a raw command."""

        COMMANDS = set()  # noqa: RUF012
        # Drivers send `x::oid[]`, which does not parse while `oid` is a keyword.
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **{
                word: kind
                for word, kind in Postgres.Tokenizer.KEYWORDS.items()
                if kind is not TokenType.OBJECT_IDENTIFIER
            },
            "OVERLAPS": TokenType.OVERLAPS,
        }
        SINGLE_TOKENS: ClassVar[dict[str, TokenType]] = {
            **Postgres.Tokenizer.SINGLE_TOKENS,
            _PARAMETER: TokenType.PARAMETER,
            # `@ x` is abs(x). sqlglot's token for `@` is that of a parameter, after which NULL and
            # CASE would be names.
            "@": TokenType.SESSION_PARAMETER,
        }

    class Parser(PostgresParser):
        """Reads PostgreSQL's SQL where sqlglot reads it differently, or not at all."""

        FUNCTIONS = {  # noqa: RUF012
            **{n: made for n, made in PostgresParser.FUNCTIONS.items() if n not in KEPT_NAMES},
            # sqlglot reads ALL and SOME before a SELECT only, not before an array.
            "ALL": lambda args: _quantified(exp.All, "all", args),
            "SOME": lambda args: _quantified(exp.Any, "some", args),
        }
        # In PostgreSQL, `f(x -> 'a')` reads json; it is not a lambda.
        LAMBDAS = {  # noqa: RUF012
            kind: made
            for kind, made in PostgresParser.LAMBDAS.items()
            if kind is not TokenType.ARROW
        }
        FUNCTION_PARSERS = {  # noqa: RUF012
            n: made for n, made in PostgresParser.FUNCTION_PARSERS.items() if n not in KEPT_NAMES
        }

        NUMERIC_PARSERS = {**PostgresParser.NUMERIC_PARSERS, TokenType.NUMBER: _number}  # noqa: RUF012
        PRIMARY_PARSERS = {**PostgresParser.PRIMARY_PARSERS, TokenType.NUMBER: _number}  # noqa: RUF012
        UNARY_PARSERS = {  # noqa: RUF012
            **PostgresParser.UNARY_PARSERS,
            TokenType.PLUS: lambda self: self._plus(),
            TokenType.RLIKE: lambda self: self._prefixed(exp.BitwiseNot),
            TokenType.SESSION_PARAMETER: lambda self: self._prefixed(exp.Abs),
            TokenType.PIPE_SLASH: lambda self: self._prefixed(exp.Sqrt),
            TokenType.DPIPE_SLASH: lambda self: self._prefixed(exp.Cbrt),
        }

        def _plus(self) -> exp.Expr | None:
            """Read `+ x` as x, but without the name of x."""
            inner = self._parse_unary()
            if inner is None:
                return None
            if isinstance(inner, exp.Literal):
                inner.meta["operator"] = True
                return inner
            found = self.expression(exp.Paren(this=inner))
            found.meta["operator"] = True
            return found

        def _prefixed(self, kind: type[exp.Expr]) -> exp.Expr:
            """Read an operator before its operand; arithmetic binds tighter."""
            inner = self._parse_term()
            if isinstance(inner, exp.Binary):
                inner = exp.Paren(this=inner)
            found = self.expression(kind(this=inner))
            found.meta["operator"] = True
            return found

        def validate_expression(self, expression: Any, args: list[Any] | None = None) -> Any:
            """Keep a call with more or fewer arguments than sqlglot expects as it is written.

            PostgreSQL parses such a call, and then finds no function that takes it. sqlglot fails,
            or drops arguments.
            """
            if isinstance(expression, _OF_POSITIONS):
                _keep_signed(expression)
            messages = expression.error_messages(args)
            is_call = args is not None and isinstance(expression, exp.Func)
            if is_call and (messages or _loses_arguments(expression, args or [])):
                name = expression.sql_name().lower()
                return exp.Anonymous(this=name, expressions=args)
            for message in messages:
                self.raise_error(message)
            return expression

        def _advance_any(self, ignore_reserved: bool = False) -> Token | None:
            """Read every word after AS and after a dot as a name."""
            at = self._prev.token_type if self._prev else None
            is_name = at in {TokenType.ALIAS, TokenType.DOT} and self._curr.text[:1].isalpha()
            return super()._advance_any(ignore_reserved or is_name)

        def _parse_limit(
            self, this: exp.Expr | None = None, top: bool = False, skip_limit_token: bool = False
        ) -> exp.Expr | None:
            """Refuse `LIMIT 2, 1`, which is MySQL's syntax."""
            found = super()._parse_limit(this, top, skip_limit_token)
            if isinstance(found, exp.Limit) and found.args.get("offset") is not None:
                raise InvalidSyntaxError(
                    "LIMIT #,# syntax is not supported",
                    hint="Use separate LIMIT and OFFSET clauses.",
                    position=position_of(found.args["offset"]),
                )
            return found

        def _parse_field(
            self,
            any_token: bool = False,
            tokens: Collection[TokenType] | None = None,
            anonymous_func: bool = False,
        ) -> exp.Expr | None:
            """Read the sign of `FETCH FIRST -1 ROWS`; sqlglot reads no sign there."""
            if tokens is self.FETCH_TOKENS and self._match_set((TokenType.DASH, TokenType.PLUS)):
                is_negative = self._prev.token_type is TokenType.DASH
                number = self._parse_number()
                return self.expression(exp.Neg(this=number)) if is_negative else number
            return super()._parse_field(any_token, tokens, anonymous_func)

        def _parse_bracket(self, this: exp.Expr | None = None) -> exp.Expr | None:
            """Read the subscripts of an array as they are written."""
            is_constructor = this is None or this.name.upper() in self.ARRAY_CONSTRUCTORS
            if is_constructor or not self._match(TokenType.L_BRACKET):
                return super()._parse_bracket(this)
            return self._parse_bracket(parse_subscript(self, this))

        def _parse_types(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
            found: exp.Expr | None = whole_type(self, super()._parse_types(*args, **kwargs))
            return found

        def _parse_cube_or_rollup(self, with_prefix: bool = False) -> exp.Cube | exp.Rollup | None:
            """Read `CUBE (a, b > 1)`; sqlglot takes no comparison there."""
            if with_prefix or not self._match_set((TokenType.CUBE, TokenType.ROLLUP)):
                return None
            kind = exp.Cube if self._prev.token_type is TokenType.CUBE else exp.Rollup
            return self.expression(
                kind(expressions=self._parse_wrapped_csv(self._parse_disjunction))
            )

        def _parse_grouping_set(self) -> exp.Expr | None:
            return (
                self._parse_grouping_sets()
                or self._parse_cube_or_rollup()
                or self._parse_disjunction()
            )

        def _parse_locks(self) -> list[exp.Lock]:
            """Read `FOR UPDATE` with its place, at which the error points."""
            first = self._curr
            found = super()._parse_locks()
            for lock in found:
                lock.meta["start"] = first.start
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
                unit = exp.IntervalSpan(this=unit, expression=self._parse_interval_field())
            return self.expression(exp.Interval(this=literal, unit=unit))

        def _negate_range(self, this: exp.Expr | None = None) -> exp.Expr | None:
            """Swap ANY and ALL under NOT: `x !~ ALL (a)` says that no pattern matches."""
            many = this.expression if isinstance(this, exp.RegexpLike | exp.RegexpILike) else None
            if this is not None and isinstance(many, exp.Any | exp.All):
                other = exp.Any if isinstance(many, exp.All) else exp.All
                this.set("expression", other(this=many.this))
            return super()._negate_range(this)

        def _parse_interval_field(self) -> exp.Var | None:
            if self._curr is None or self._curr.text.upper() not in _INTERVAL_UNITS:
                return None
            self._advance()
            return exp.var(self._prev.text.upper())

        def _parse_type(
            self, parse_interval: bool = True, fallback_to_identifier: bool = False
        ) -> exp.Expr | None:
            """Read `date '2020-01-01'::text` as the text of a date; in sqlglot `::` comes first."""
            kind = self._curr.token_type if self._curr else None
            if kind in self.TYPE_TOKENS and kind is not TokenType.INTERVAL:
                index = self._index
                data_type = self._parse_types(check_func=True, allow_identifiers=False)
                is_type = isinstance(data_type, exp.DataType)
                if is_type and self._curr and self._curr.token_type is TokenType.STRING:
                    literal = self._parse_string()
                    return self._parse_column_ops(
                        self.expression(exp.Cast(this=literal, to=data_type))
                    )
                self._retreat(index)
            elif kind in _NAMES and self._next and self._next.token_type is TokenType.STRING:
                return self._parse_column_ops(self._named_literal())
            return super()._parse_type(parse_interval, fallback_to_identifier)

        def _named_literal(self) -> exp.Cast:
            """Read `macaddr '08:00:2b:01:02:03'`: sqlglot has no token for such a type."""
            name = self._parse_id_var(any_token=False, tokens=(TokenType.VAR,))
            data_type = exp.DataType(this=exp.DType.USERDEFINED, kind=name)
            return self.expression(exp.Cast(this=self._parse_string(), to=data_type))


def _quantified(kind: type[exp.Expr], name: str, args: list[Any]) -> exp.Expr:
    """Return ALL or SOME of an array; with more or fewer arguments, a call, which is refused."""
    if len(args) != 1:
        return exp.Anonymous(this=name, expressions=args)
    return kind(this=exp.Paren(this=args[0]))


def _loses_arguments(call: exp.Expr, given: list[Any]) -> bool:
    """Whether a written argument is missing from a parsed call."""
    held = {id(node) for node in call.walk()}
    return any(id(each) not in held for each in given)


DIALECT = StategateSQL()


class _Kept(threading.local):
    """The tokenizer and sqlglot's own parser of a thread.

    Making them takes a fifth of a lookup's time. After each use they are reset, so that they do not
    keep the text and its tokens.
    """

    def __init__(self) -> None:
        self.tokenizer = DIALECT.tokenizer()
        self.parser = PlainParser(dialect=DIALECT)


_KEPT = _Kept()


def tokenize(sql: str) -> list[Token]:
    """Return the tokens of a text; `start` and `end` count characters from 0, `end` inclusive.

    Raises:
        sqlglot.errors.TokenError: the text ends inside a quote or comment.
    """
    tokenizer = _KEPT.tokenizer
    try:
        return tokenizer.tokenize(_mark_parameters(sql))
    finally:
        tokenizer.tokenize("")


def parse_tokens(tokens: list[Token], sql: str) -> list[exp.Expr | None]:
    """Return the tree of each statement.

    Args:
        tokens: the tokens of the statements, or of a part of the text.
        sql: the whole text, which errors quote.

    Raises:
        sqlglot.errors.ParseError: the tokens are not SQL.
    """
    if is_plain(tokens):
        parser = _KEPT.parser
        try:
            return parser.parse(tokens, sql)
        except ParseError:
            pass  # our parser reads more, and its errors are the ones to report
        finally:
            parser.reset()
    return DIALECT.parser().parse(tokens, sql)


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
    """Return where an unclosed quote or comment begins; None if all are closed."""
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


def _keep_signed(clause: exp.Expr) -> None:
    """Let no `+ 1` of a clause become 1, which is the position of a result column.

    A minus before a number is part of it, for PostgreSQL as well; a plus is not.
    """
    listed = [clause.this, clause.args.get("on"), *clause.expressions]
    within = [item for each in listed if isinstance(each, exp.Tuple) for item in each.expressions]
    for item in [*listed, *within]:
        inner, has_plus = item, False
        while isinstance(inner, exp.Paren | exp.Neg):
            has_plus = has_plus or _is_operator(inner)
            inner = inner.this
        if isinstance(inner, exp.Literal) and (has_plus or _is_operator(inner)):
            item.replace(exp.Coalesce(this=item.copy()))


def _is_operator(node: exp.Expr) -> bool:
    # `meta` would be made by a look at it.
    return node._meta is not None and "operator" in node._meta
