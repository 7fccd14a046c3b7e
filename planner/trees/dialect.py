"""The SQL dialect: sqlglot's PostgreSQL, with parameters `$1` and other changes."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.errors import ParseError
from sqlglot.parsers.postgres import PostgresParser as PlainParser
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import InvalidSyntaxError
from stategate.planner.trees.brackets import check_join, checked_lateral
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.interpreted_sqlglot import PostgresParser
from stategate.planner.trees.json_operators import KEYED
from stategate.planner.trees.lexemes import PARAMETER, mark_parameters
from stategate.planner.trees.literals import settled
from stategate.planner.trees.nodes import position_of, strip
from stategate.planner.trees.number_text import plain_number
from stategate.planner.trees.plain_statements import KEPT_NAMES, is_plain
from stategate.planner.trees.subscripts import is_subscripted, parse_subscript, whole_type
from stategate.planner.trees.substring_syntax import parse_substring
from stategate.planner.trees.type_calls import TYPE_CALLS
from stategate.planner.trees.type_syntax import INTERVAL_UNITS, TypeParser
from stategate.planner.trees.values_syntax import ValuesParser

_OF_POSITIONS = (
    *(exp.Ordered, exp.Distinct, exp.Group),
    *(exp.Rollup, exp.Cube, exp.GroupingSets),
)
"""Clauses in which a bare number is the position of a result column."""


def _number(parser: PostgresParser, token: Token) -> exp.Expr:
    return parser.expression(exp.Literal.number(plain_number(token.text)), token)


IS_UNKNOWN = "is_unknown"
"""Marks the NULL of `x IS UNKNOWN`."""
USING_ALIAS = "using_alias"
"""The key of the alias of `USING (a) AS j` in the meta of a join."""


class StategateSQL(Postgres):
    """PostgreSQL's dialect, with its own sign for parameters."""

    ORIGINAL_NAME_META_KEY = "name"
    INDEX_OFFSET = 0
    SUPPORTS_FIXED_SIZE_ARRAYS = True

    class Tokenizer(Postgres.Tokenizer):
        """Reads the character that replaces a parameter's `$`; no word begins a raw command."""

        COMMANDS = set()  # noqa: RUF012
        # Drivers send `x::oid[]`, which does not parse while `oid` is a keyword, as `cstring` is.
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            **{
                word: kind
                for word, kind in Postgres.Tokenizer.KEYWORDS.items()
                if kind not in {TokenType.OBJECT_IDENTIFIER, TokenType.PSEUDO_TYPE}
            },
            "OVERLAPS": TokenType.OVERLAPS,
        }
        SINGLE_TOKENS: ClassVar[dict[str, TokenType]] = {
            **Postgres.Tokenizer.SINGLE_TOKENS,
            PARAMETER: TokenType.PARAMETER,
            # `@ x` is abs(x). sqlglot's token for `@` is that of a parameter, after which NULL and
            # CASE would be names.
            "@": TokenType.SESSION_PARAMETER,
        }

    class Parser(TypeParser, ValuesParser):
        """Reads PostgreSQL's SQL where sqlglot reads it differently, or not at all."""

        FUNCTIONS = {  # noqa: RUF012
            **{n: made for n, made in PostgresParser.FUNCTIONS.items() if n not in KEPT_NAMES},
            # sqlglot splits the text of a step into a number and a unit.
            "GENERATE_SERIES": exp.ExplodingGenerateSeries.from_arg_list,
            # sqlglot reads ALL and SOME before a SELECT only, not before an array.
            "ALL": lambda args: _quantified(exp.All, "all", args),
            "SOME": lambda args: _quantified(exp.Any, "some", args),
            **TYPE_CALLS,
        }
        # In PostgreSQL, `f(x -> 'a')` reads json; it is not a lambda.
        LAMBDAS = {  # noqa: RUF012
            kind: made
            for kind, made in PostgresParser.LAMBDAS.items()
            if kind is not TokenType.ARROW
        }
        FUNCTION_PARSERS = {  # noqa: RUF012
            **{n: m for n, m in PostgresParser.FUNCTION_PARSERS.items() if n not in KEPT_NAMES},
            "SUBSTRING": parse_substring,
            "NORMALIZE": lambda self: self._normalized(),
        }

        NUMERIC_PARSERS = {**PostgresParser.NUMERIC_PARSERS, TokenType.NUMBER: _number}  # noqa: RUF012
        PRIMARY_PARSERS = {**PostgresParser.PRIMARY_PARSERS, TokenType.NUMBER: _number}  # noqa: RUF012
        JSON_OPERATORS = {**PostgresParser.JSON_OPERATORS, **KEYED}  # noqa: RUF012
        UNARY_PARSERS = {  # noqa: RUF012
            **PostgresParser.UNARY_PARSERS,
            TokenType.PLUS: lambda self: self._plus(),
            TokenType.RLIKE: lambda self: self._prefixed(exp.BitwiseNot),
            TokenType.SESSION_PARAMETER: lambda self: self._prefixed(exp.Abs),
            TokenType.PIPE_SLASH: lambda self: self._prefixed(exp.Sqrt),
            TokenType.DPIPE_SLASH: lambda self: self._prefixed(exp.Cbrt),
        }

        def _normalized(self) -> exp.Expr:
            """Read `normalize(x, NFC)`, whose second argument is a word and no column."""
            first, *rest = self._parse_csv(self._parse_disjunction) or (None,)
            forms = [exp.var(e.name) if isinstance(e, exp.Column) else e for e in rest]
            given = [] if first is None else [first, *forms]
            return self.expression(exp.Anonymous(this="normalize", expressions=given))

        def _advance(self, times: int = 1) -> None:
            """Go on to the next token; all that is read passes here."""
            checkpoint()
            super()._advance(times)

        def _plus(self) -> exp.Expr | None:
            """Read `+ x` as x, but without the name of x; a bare text or NULL is a double."""
            inner = self._parse_unary()
            if inner is None:
                return None
            found, bare = inner, strip(inner)
            if isinstance(bare, exp.Null) or (isinstance(bare, exp.Literal) and bare.is_string):
                found = exp.Cast(this=inner, to=exp.DataType(this=exp.DType.DOUBLE))
            elif not isinstance(inner, exp.Literal):
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

        def _parse_function(
            self,
            functions: Any = None,
            anonymous: bool = False,
            optional_parens: bool = True,
            any_token: bool = False,
        ) -> exp.Expr | None:
            """Read `pg_catalog.sum(x)` as `sum(x)`, not as a call of an unknown function."""
            before = [token.text.lower() for token in self._tokens[self._index - 2 : self._index]]
            is_ours = before == ["pg_catalog", "."]
            return super()._parse_function(
                functions, anonymous and not is_ours, optional_parens, any_token and not is_ours
            )

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

        def _parse_table(self, *args: Any, **kwargs: Any) -> exp.Expr | None:
            """Read `LATERAL f(x)` as `f(x)`, which sees the items left of it in any case."""
            if self._curr.token_type is not TokenType.LATERAL:
                return super()._parse_table(*args, **kwargs)
            if self._next.token_type is TokenType.L_PAREN:
                return checked_lateral(super()._parse_lateral())
            self._advance()
            found = super()._parse_table(*args, **kwargs)
            called = found.this if isinstance(found, exp.Table) else found
            if not isinstance(called, exp.Func):
                self.raise_error("LATERAL is for functions and subqueries")
            return found

        def _parse_lateral(self) -> exp.Lateral | None:
            """Read no LATERAL that is not an item of FROM."""
            return None

        def _parse_join(
            self,
            skip_join_token: bool = False,
            parse_bracket: bool = False,
            alias_tokens: Collection[TokenType] | None = None,
        ) -> exp.Join | None:
            """Read `JOIN … USING (a) AS j`."""
            found = super()._parse_join(skip_join_token, parse_bracket, alias_tokens)
            if found is None or not found.args.get("using"):
                return found
            if self._match(TokenType.ALIAS):
                found.meta[USING_ALIAS] = self._parse_id_var(any_token=True)
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
            if this is None or not is_subscripted(this):
                self.raise_error("Invalid expression", self._prev)
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

        def _parse_query_modifiers(self, this: Any) -> Any:
            check_join(this, self._curr)
            return super()._parse_query_modifiers(this)

        def _parse_locks(self) -> list[exp.Lock]:
            """Read `FOR UPDATE` with its place, at which the error points."""
            first = self._curr
            found = super()._parse_locks()
            for lock in found:
                lock.meta["start"] = first.start
            return found

        def _parse_is_rhs(self, distinct: bool = False) -> exp.Expr | None:
            """Mark the NULL of IS UNKNOWN, which is for booleans alone."""
            is_unknown = not distinct and self._curr.token_type is TokenType.UNKNOWN
            found = super()._parse_is_rhs(distinct)
            if found is not None and is_unknown:
                found.meta[IS_UNKNOWN] = True
            return found

        def _negate_range(self, this: exp.Expr | None = None) -> exp.Expr | None:
            """Swap ANY and ALL under NOT: `x !~ ALL (a)` says that no pattern matches."""
            many = this.expression if isinstance(this, exp.RegexpLike | exp.RegexpILike) else None
            if this is not None and isinstance(many, exp.Any | exp.All):
                other = exp.Any if isinstance(many, exp.All) else exp.All
                this.set("expression", other(this=many.this))
            return super()._negate_range(this)

        def _parse_escape(self, this: exp.Expr | None) -> exp.Expr | None:
            """Read any expression after ESCAPE; sqlglot reads a text only."""
            if not self._match(TokenType.ESCAPE):
                return this
            return self.expression(exp.Escape(this=this, expression=self._parse_bitwise()))


def _quantified(kind: type[exp.Expr], name: str, args: list[Any]) -> exp.Expr:
    """Return ALL or SOME of an array or VALUES; a call, which is refused, of several arguments."""
    if len(args) != 1:
        return exp.Anonymous(this=name, expressions=args)
    around = exp.Subquery if isinstance(args[0], exp.Query) else exp.Paren
    return kind(this=around(this=args[0]))


def _loses_arguments(call: exp.Expr, given: list[Any]) -> bool:
    """Whether a written argument is missing from a parsed call."""
    held = {id(node) for node in call.walk()}
    return any(id(each) not in held for each in given)


# The class would add the short names of other systems: `'01:02'::interval m` has a name after it.
StategateSQL.VALID_INTERVAL_UNITS = set(INTERVAL_UNITS)
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
        QueryError: a text or a number is malformed.
    """
    return settled(sql, raw_tokens(sql))


def raw_tokens(sql: str) -> list[Token]:
    """Return the tokens of a text, each way to write a text with a token of its own.

    Raises:
        sqlglot.errors.TokenError: the text ends inside a quote or comment.
    """
    tokenizer = _KEPT.tokenizer
    try:
        return tokenizer.tokenize(mark_parameters(sql))
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
