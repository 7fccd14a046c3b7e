"""Statements that sqlglot's own parser reads as ours does, such as most lookups.

Ours runs interpreted; sqlglot's may be compiled, and then takes a fifth of the time. A statement
is plain if it has only words that no method of ours reads in another way. These words are listed
here, so a new method for other words changes nothing here. The tests compare both parsers.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.parsers.postgres import PostgresParser
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.trees.type_calls import TYPE_CALLS
from stategate.planner.trees.values_syntax import is_item_of_values

NESTING_MAX = 50
"""Maximum number of nesting words: compiled code does not see the end of its stack, and crashes
there.
"""

_KEPT = """
    ARRAY_APPEND ARRAY_CAT ARRAY_DIMS ARRAY_LENGTH ARRAY_POSITION ARRAY_PREPEND ARRAY_REMOVE
    ARRAY_TO_STRING BIT_COUNT BIT_LENGTH CHARACTER_LENGTH CHAR_LENGTH CHR CONCAT CONCAT_WS
    CONVERT DATE_BIN DATE_PART DATE_TRUNC DECODE DIV ENCODE FACTORIAL FORMAT GCD GET_BIT INITCAP
    JSONB_AGG JSONB_OBJECT_AGG JSONB_TYPEOF JSON_AGG JSON_ARRAY_LENGTH JSON_EXTRACT_PATH
    JSON_EXTRACT_PATH_TEXT JSON_OBJECT JSON_OBJECT_AGG JSON_STRIP_NULLS JSON_TYPEOF JUSTIFY_DAYS
    JUSTIFY_HOURS JUSTIFY_INTERVAL LCM LENGTH LOG10 LOG2 LPAD MAKE_INTERVAL MAKE_TIME MD5 MOD
    NORMALIZE OCTET_LENGTH REGEXP_COUNT REGEXP_INSTR REGEXP_LIKE REGEXP_REPLACE
    REGEXP_SPLIT_TO_ARRAY REGEXP_SUBSTR REVERSE RPAD SHA224 SHA256 SHA384 SHA512 SIGN SPLIT_PART
    STRING_TO_ARRAY SUBSTR SUBSTRING TO_CHAR TO_DATE TO_HEX TO_NUMBER TO_TIMESTAMP TRIM_ARRAY
    UUID WIDTH_BUCKET
    J_S_O_N_CAST LEVENSHTEIN_LESS_EQUAL VAR_MAP
"""
KEPT_NAMES = frozenset(_KEPT.split())
"""Functions that keep their names: `postgres.expressions.calls` reads them, not sqlglot. The last
three are refused: sqlglot fails with some arguments."""

_ALWAYS = frozenset(
    {
        *(TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING),
        *(TokenType.PARAMETER, TokenType.COMMA, TokenType.DOT, TokenType.ALIAS, TokenType.STAR),
        *(TokenType.R_PAREN, TokenType.TRUE, TokenType.FALSE),
        *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING),
        *(TokenType.ORDER_BY, TokenType.ASC, TokenType.DESC, TokenType.OFFSET),
        *(TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.LTE, TokenType.GT, TokenType.GTE),
        *(TokenType.AND, TokenType.OR, TokenType.IN, TokenType.IS, TokenType.BETWEEN),
        *(TokenType.LIKE, TokenType.ILIKE, TokenType.SLASH, TokenType.MOD, TokenType.DPIPE),
        *(TokenType.DISTINCT, TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT),
        *(TokenType.ALL, TokenType.LEFT, TokenType.RIGHT, TokenType.FULL, TokenType.INNER),
        *(TokenType.OUTER, TokenType.CROSS, TokenType.ON, TokenType.USING, TokenType.EXISTS),
        *(TokenType.WHEN, TokenType.THEN, TokenType.ELSE, TokenType.END, TokenType.WITH),
    }
)
"""Words that both parsers read alike wherever they stand."""

_NOT_AS_NAMES = frozenset(
    {
        *(TokenType.SELECT, TokenType.ANY, TokenType.CARET),
        *(TokenType.OVER, TokenType.PARTITION_BY, TokenType.FILTER),
    }
)
"""Words that both parsers read alike, unless they are names: our parser reads more as names."""

_NESTING = frozenset(
    {TokenType.L_PAREN, TokenType.NOT, TokenType.DASH, TokenType.CASE, TokenType.JOIN}
)
_TYPES = (
    frozenset(PostgresParser.TYPE_TOKENS)
    - _ALWAYS
    - {TokenType.INTERVAL, TokenType.UNKNOWN, TokenType.ARRAY}
)
_AFTER_NAME = frozenset(
    _ALWAYS - {TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.LT, TokenType.WITH}
    | {TokenType.LIMIT, TokenType.NUMBER, TokenType.DCOLON}
)
"""Before one of these, the name of a type is that of a column and does not begin a literal."""
_LITERAL_TYPES = frozenset(
    {TokenType.DATE, TokenType.TIME, TokenType.TIMESTAMP, TokenType.TIMESTAMPTZ}
)
_AFTER_LITERAL = _AFTER_NAME - {TokenType.DCOLON, TokenType.DOT}
"""Before one of these, a literal such as `date '2020-01-01'` has ended."""
_ENDS_OPERAND = frozenset(
    {*(TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING), TokenType.R_PAREN}
)
_AFTER_OPERAND = frozenset({TokenType.PLUS, TokenType.RLIKE})
"""Operators that our parser reads in another way if they are prefixes."""
_BEFORE_NAMES = frozenset({TokenType.ALIAS, TokenType.DOT})

_ALL_ARGUMENTS = frozenset({"COALESCE", "COUNT", "GREATEST", "LEAST", "LOWER", "UPPER"})
"""Functions that sqlglot builds in a special way, but without dropping an argument."""
_OTHER_CALLS = KEPT_NAMES.union(
    ("ALL", "SOME"),
    TYPE_CALLS,
    (
        name
        for name, build in PostgresParser.FUNCTIONS.items()
        if getattr(build, "__name__", "") != "from_arg_list" and name not in _ALL_ARGUMENTS
    ),
)
"""Functions that our parser may read in another way."""


def is_plain(tokens: Sequence[Token]) -> bool:
    """Whether sqlglot's own parser gives the same tree of a statement as ours, or fails."""
    nesting = 0
    before = TokenType.SEMICOLON
    for at, token in enumerate(tokens):
        kind = token.token_type
        if kind not in _ALWAYS:
            nesting += kind in _NESTING
            if nesting > NESTING_MAX or not _is_plain_at(tokens, at, before, kind):
                return False
        before = kind
    return True


def _is_plain_at(  # noqa: PLR0911 - one per kind
    tokens: Sequence[Token], at: int, before: TokenType, kind: TokenType
) -> bool:
    """Whether both parsers read a word alike in its place."""
    if kind is TokenType.NUMBER:
        return "e" not in tokens[at].text.lower()
    if kind is TokenType.L_PAREN:
        is_qualified = at > 1 and tokens[at - 2].token_type is TokenType.DOT
        return at == 0 or not (is_qualified or tokens[at - 1].text.upper() in _OTHER_CALLS)
    if kind is TokenType.VALUES:
        return is_item_of_values(tokens, at)
    if kind in _NOT_AS_NAMES or kind is TokenType.NOT:
        return before not in _BEFORE_NAMES
    if kind in _AFTER_OPERAND:
        return before in _ENDS_OPERAND
    if kind is TokenType.LIMIT:
        return _is_plain_limit([token.token_type for token in tokens[at + 1 : at + 4]])
    one, two = _next_types(tokens, at)
    if kind in _TYPES:
        is_literal = one is TokenType.STRING and kind in _LITERAL_TYPES
        return two in _AFTER_LITERAL if is_literal else one in _AFTER_NAME
    # Ours reads a type in quotes in another way.
    is_cast = kind is TokenType.DCOLON and one is not TokenType.IDENTIFIER
    return is_cast or kind in _NESTING


def _next_types(tokens: Sequence[Token], at: int) -> tuple[TokenType, TokenType]:
    """Return the types of the next two words; the end is read like a comma."""
    one, two, *_ = (*(token.token_type for token in tokens[at + 1 : at + 3]), *_END)
    return one, two


_END = (TokenType.COMMA, TokenType.COMMA)


def _is_plain_limit(after: list[TokenType]) -> bool:
    """Whether a number or parameter follows, and no comma after it."""
    if after[:1] == [TokenType.PARAMETER]:
        after = after[1:]
    return after[:1] == [TokenType.NUMBER] and after[1:2] != [TokenType.COMMA]
