"""Refuses what sqlglot reads, and PostgreSQL's grammar does not (42601).

sqlglot reads many dialects, and passes over what it does not know: `f(, x)` is `f(x)` to it,
`WITH a AS (NULL)` a query, and `t(1)` a table with a column.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence, Set
from typing import cast

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import InvalidSyntaxError
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, kinds, position_of
from stategate.planner.trees.reserved_words import FUNCTION_WORDS, RESERVED_WORDS
from stategate.planner.trees.type_names import check_type_name

_OPENING = {TokenType.L_PAREN: TokenType.R_PAREN, TokenType.L_BRACKET: TokenType.R_BRACKET}
_BEFORE_ITEM = frozenset(
    {
        *(TokenType.COMMA, TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.SELECT),
        *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.ORDER_BY),
        *(TokenType.PARTITION_BY, TokenType.HAVING, TokenType.VALUES, TokenType.AND, TokenType.OR),
        *(TokenType.NOT, TokenType.ON, TokenType.WHEN, TokenType.THEN, TokenType.ELSE),
    }
)
"""Words that something must follow, before a comma, a subscript or the end."""
_AFTER_LIST = frozenset(
    {
        *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.WINDOW),
        *(TokenType.ORDER_BY, TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH),
        *(TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT),
    }
)
"""Reserved words that begin no item of a list."""
_AFTER_GROUPS = frozenset(
    {
        *(TokenType.HAVING, TokenType.WINDOW, TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH),
        *(TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT),
    }
)
"""Words that end the terms of GROUP BY; ORDER BY and a bracket do, too."""
_BEFORE_ELEMENT = frozenset({TokenType.COMMA, TokenType.L_BRACKET})
_BEFORE_ANY_NAME = frozenset({TokenType.ALIAS, TokenType.DOT})
"""Words after which any other word is a name."""
_NO_EMPTY_CALLS = frozenset(RESERVED_WORDS - FUNCTION_WORDS - {"as"}) | {
    *("exists", "values", "filter", "extract", "coalesce", "greatest", "least", "nullif"),
    *("grouping", "group", "position", "overlay", "trim", "treat", "normalize", "rollup", "cube"),
}
"""Words before brackets that must not be empty. Other words are names of functions there."""
_NO_CALLS = frozenset({"group", "over", "as", "filter", "materialized", "repeatable"})
"""Words before brackets that are no names of functions or relations."""
_BEFORE_CALL = frozenset({"on", "operator"})
"""Words before brackets that a call may follow: `DISTINCT ON (a) f(b)`."""
_CAST = frozenset({"cast"})
_BEGIN_QUERIES = frozenset({"select", "with", "values", "table"})
_WORD = re.compile(r"[^\W\d]")
_NAMES = frozenset({TokenType.VAR, TokenType.IDENTIFIER})
_LITERALS = frozenset({TokenType.NUMBER, TokenType.STRING, TokenType.PARAMETER, TokenType.NULL})
_VALUES = _LITERALS | {TokenType.DASH}
_COMMA, _BRACKET = frozenset({TokenType.COMMA}), frozenset({TokenType.L_PAREN})
_WHERE = frozenset({TokenType.WHERE})
_BEFORE_RELATION = frozenset({TokenType.COMMA, TokenType.FROM, TokenType.JOIN})


def check_tokens(sql: str, tokens: Sequence[Token]) -> None:
    """Check what stands between brackets and commas.

    Raises:
        InvalidSyntaxError: something is missing, or a value stands in place of a name.
    """
    checked = _Checked(sql, tokens)
    for at, token in enumerate(tokens):
        checkpoint()
        if checked.is_wrong(at, token):
            text = sql[token.start : token.end + 1]
            raise InvalidSyntaxError(f'syntax error at or near "{text}"', position=token.start + 1)
    if checked.opened:
        raise InvalidSyntaxError("syntax error at end of input", position=tokens[-1].end + 2)


class _Checked:
    """The brackets that are open where the check of a statement has come to."""

    def __init__(self, sql: str, tokens: Sequence[Token]) -> None:
        self._sql, self._tokens = sql, tokens
        self._groups: list[int] = []
        """How many brackets are open around each GROUP BY whose terms come."""
        self._of_names = -1
        """The bracket that holds names of columns, if the innermost one does."""
        self._closed = -1
        """The bracket that was closed last."""
        self._rows: list[int] = []
        """How many brackets are open around each VALUES whose rows come."""
        self.opened: list[int] = []

    def is_wrong(self, at: int, token: Token) -> bool:
        """Go on to a token; tell whether it may not stand there."""
        kind, before = token.token_type, self._tokens[at - 1] if at else None
        check = _CHECKS.get(kind)
        is_wrong = check is not None and check(self, at, token)
        if self.opened and self.opened[-1] == self._of_names < at and before is not None:
            is_wrong = is_wrong or _is_no_name(before, token)
        return is_wrong

    def _opens(self, at: int, token: Token) -> bool:
        is_wrong = (
            self._is_bare_subscript(at)
            if token.token_type is TokenType.L_BRACKET
            else self._holds_no_query(at)
        )
        if self._begins_names(at):
            self._of_names = at
        self.opened.append(at)
        return is_wrong

    def _closes(self, at: int, token: Token) -> bool:
        self._closed = first = self.opened.pop() if self.opened else -1
        if first < 0 or _OPENING[self._tokens[first].token_type] is not token.token_type:
            return True
        if self._rows and self._rows[-1] == len(self.opened) and not self._is_next(at, _COMMA):
            self._rows.pop()
        if self._groups and self._groups[-1] > len(self.opened):
            self._groups.pop()
        if self._is(at - 1, TokenType.COMMA):
            return True
        return first == at - 1 and not self._may_be_empty(first)

    def _separates(self, at: int, token: Token) -> bool:
        del token
        if self._rows and self._rows[-1] == len(self.opened):
            return not self._is_next(at, _BRACKET)
        is_last = self._is_last(at) or self._is_next(at, _AFTER_LIST)
        return is_last or self._is_missing(at)

    def _directs(self, at: int, token: Token) -> bool:
        """Whether it is `ORDER BY DESC`."""
        del token
        return self._is_missing(at)

    def _dots(self, at: int, token: Token) -> bool:
        """Whether it is `a..b`, `1.5.5` or `.5.5`, which sqlglot reads as names."""
        del token
        following = self._tokens[at + 1 : at + 2]
        is_number = bool(following) and following[0].token_type is TokenType.NUMBER
        is_second = at > 0 and self._tokens[at - 1].token_type in _BEFORE_DOT
        return is_second or (is_number and "." in following[0].text)

    def _begins_values(self, at: int, token: Token) -> bool:
        """Whether it is `VALUES 1`, or no item of FROM, as in `FROM a, VALUES (1)`."""
        del token
        if at and self._tokens[at - 1].token_type in _BEFORE_ANY_NAME:
            return False
        if not self._is_next(at, _BRACKET):
            return self._is_next(at, _LITERALS)
        self._rows.append(len(self.opened))
        return at > 0 and self._tokens[at - 1].token_type in _BEFORE_RELATION

    def _begins_groups(self, at: int, token: Token) -> bool:
        del at, token
        self._groups.append(len(self.opened))
        return False

    def _ends_groups(self, at: int, token: Token) -> bool:
        del at, token
        if self._groups and self._groups[-1] == len(self.opened):
            self._groups.pop()
        return False

    def _is_grouping_set(self, first: int) -> bool:
        """Whether an empty bracket is a term of GROUP BY, or of GROUPING SETS in it."""
        if not self._groups:
            return False
        outer = self.opened[-1] - 1 if self.opened else -1
        is_term = self._groups[-1] == len(self.opened)
        return is_term or (outer >= 0 and self._tokens[outer].token_type is TokenType.GROUPING_SETS)

    def _orders(self, at: int, token: Token) -> bool:
        """Whether it is `count(ORDER BY x)`: arguments come first."""
        self._ends_groups(at, token)
        if at < 2 or not self._is(at - 1, TokenType.L_PAREN):
            return at > 0 and self._is(at - 1, TokenType.COMMA)
        name = self._tokens[at - 2]
        return name.token_type in _NAMES and not _is_one_of(name, _NO_CALLS)

    def _casts(self, at: int, token: Token) -> bool:
        """Check the type after `::`, or after AS in CAST; whether nothing follows AS."""
        if self._is_last(at) or self._is_next(at, _AFTER_NOTHING):
            return token.token_type is TokenType.ALIAS
        if token.token_type is TokenType.DCOLON or self._is_in_cast():
            check_type_name(self._sql, self._tokens, at + 1)
        return False

    def _is_in_cast(self) -> bool:
        outer = self.opened[-1] - 1 if self.opened else -1
        return outer >= 0 and _is_one_of(self._tokens[outer], _CAST)

    def _negates(self, at: int, token: Token) -> bool:
        """Whether it is `! a`: only patterns have an operator with that sign."""
        following = self._tokens[at + 1 : at + 2]
        return token.text == "!" and not (following and following[0].text.startswith("~"))

    def _names(self, at: int, token: Token) -> bool:
        """Whether it is `AS 'a'`, which sqlglot takes for a name."""
        del token
        return at > 0 and self._tokens[at - 1].token_type is TokenType.ALIAS

    def _is_bare_subscript(self, at: int) -> bool:
        """Whether it is `SELECT [1]` or `ARRAY[1][1]`: a subscript follows a value in brackets."""
        is_inner = bool(self.opened) and self._is(self.opened[-1], TokenType.L_BRACKET)
        nests = at > 0 and self._tokens[at - 1].token_type in _BEFORE_ELEMENT
        if at and self._is(at - 1, TokenType.R_BRACKET) and self._closed:
            return self._is(self._closed - 1, TokenType.ARRAY)
        return self._is_missing(at) and not (is_inner and nests)

    def _is_missing(self, at: int) -> bool:
        """Whether something must stand before a token; not after `AS from` or `t.order`."""
        is_name = at > 1 and self._tokens[at - 2].token_type in _BEFORE_ANY_NAME
        return at == 0 or (self._tokens[at - 1].token_type in _BEFORE_ITEM and not is_name)

    def _holds_no_query(self, at: int) -> bool:
        """Whether it is `ARRAY(1)` or `FILTER (a)`."""
        if at == 0:
            return False
        if self._is(at - 1, TokenType.FILTER) and at > 1 and self._is(at - 2, TokenType.R_PAREN):
            return not self._is_next(at, _WHERE)
        if not self._is(at - 1, TokenType.ARRAY):
            return False
        while self._is_next(at, _BRACKET):
            at += 1
        following = self._tokens[at + 1 : at + 2]
        return not following or following[0].text.lower() not in _BEGIN_QUERIES

    def _may_be_empty(self, first: int) -> bool:
        """Whether a bracket may be closed at once: that of a call, of OVER, or of an array."""
        if self._is(first, TokenType.L_BRACKET):
            return True
        if self._is_missing(first):  # such as `ORDER BY ()`
            return self._is_grouping_set(first)
        before = self._tokens[first - 1]
        is_type = first > 1 and self._is(first - 2, TokenType.DCOLON)
        is_word = before.token_type is TokenType.IDENTIFIER or _WORD.match(before.text) is not None
        return is_word and not is_type and not _is_one_of(before, _NO_EMPTY_CALLS)

    def _begins_names(self, at: int) -> bool:
        """Whether `(` begins names of columns, as in `(SELECT 1) t (x)` or `f() AS t (x)`."""
        is_named = at > 1 and self._is(at, TokenType.L_PAREN)
        name = self._tokens[at - 1]
        if not is_named or name.token_type not in _NAMES or _is_one_of(name, _NO_CALLS):
            return False
        if self._is(at - 2, TokenType.ALIAS):
            return not self._is_in_cast()
        if self._begins_cte(at - 2):
            return True
        before = self._tokens[max(self._closed - 1, 0)]
        return self._is(at - 2, TokenType.R_PAREN) and not _is_one_of(before, _BEFORE_CALL)

    def _begins_cte(self, at: int) -> bool:
        """Whether the name of a CTE follows, and not an option of `SELECT 1 WITH …`."""
        if self._is(at, TokenType.RECURSIVE):
            return True
        return self._is(at, TokenType.WITH) and (at == 0 or self._is(at - 1, TokenType.L_PAREN))

    def _is_next(self, at: int, kinds: Set[TokenType]) -> bool:
        return at + 1 < len(self._tokens) and self._tokens[at + 1].token_type in kinds

    def _is_last(self, at: int) -> bool:
        return at + 1 == len(self._tokens)

    def _is(self, at: int, kind: TokenType) -> bool:
        return self._tokens[at].token_type is kind


_BEFORE_DOT = frozenset(
    {
        *(TokenType.NUMBER, TokenType.STRING, TokenType.DOT),
        *(TokenType.NULL, TokenType.TRUE, TokenType.FALSE),
    }
)
_AFTER_NOTHING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.COMMA})
_CHECKS: Mapping[TokenType, Callable[[_Checked, int, Token], bool]] = {
    **dict.fromkeys(_OPENING, _Checked._opens),
    **dict.fromkeys(_OPENING.values(), _Checked._closes),
    TokenType.COMMA: _Checked._separates,
    TokenType.DOT: _Checked._dots,
    **dict.fromkeys((TokenType.ASC, TokenType.DESC), _Checked._directs),
    TokenType.GROUP_BY: _Checked._begins_groups,
    **dict.fromkeys(_AFTER_GROUPS, _Checked._ends_groups),
    TokenType.ORDER_BY: _Checked._orders,
    TokenType.STRING: _Checked._names,
    TokenType.NOT: _Checked._negates,
    **dict.fromkeys((TokenType.DCOLON, TokenType.ALIAS), _Checked._casts),
    TokenType.VALUES: _Checked._begins_values,
}


def _is_one_of(token: Token, words: frozenset[str]) -> bool:
    return token.token_type is not TokenType.IDENTIFIER and token.text.lower() in words


def _is_no_name(before: Token, token: Token) -> bool:
    """Whether a value or a reserved word stands where the name of a column must."""
    is_first = before.token_type in {TokenType.COMMA, TokenType.L_PAREN}
    return is_first and (token.token_type in _VALUES or _is_one_of(token, RESERVED_WORDS))


_ENDS = ("order", "limit", "offset")
_COMPARING = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)


def check_nodes(nodes: Nodes) -> None:
    """Check what sqlglot has made of a statement.

    Raises:
        InvalidSyntaxError: a CTE, a side of UNION or a LATERAL is no query, an array has a slice,
            WITHIN GROUP no ORDER BY, the present time no number of digits, a comparison without
            parentheses is compared, or an argument without a name follows one with a name.
    """
    for node in nodes.among(_CHECKED):
        checkpoint()
        wrong = _WRONG[type(node)](node)
        if wrong is not None:
            raise InvalidSyntaxError("syntax error", position=position_of(wrong))


def _of_cte(node: exp.Expr) -> exp.Expr | None:
    return None if isinstance(node.this, exp.Query) else node.this


def _of_array(node: exp.Expr) -> exp.Expr | None:
    return next((part for part in node.expressions if isinstance(part, exp.Slice)), None)


def _of_lateral(node: exp.Expr) -> exp.Expr | None:
    body = node.this.this if isinstance(node.this, exp.Subquery) else node.this
    return None if isinstance(body, exp.Query | exp.Values) else node.this


def _of_comparison(node: exp.Expr) -> exp.Expr | None:
    return next(filter(_is_comparison, _sides(node)), None)


def _of_moment(node: exp.Expr) -> exp.Expr | None:
    is_called = node.meta.get("name", "").lower() == "now"
    return None if is_called or _is_count(node.this) else node.this


def _of_set(node: exp.Expr) -> exp.Expr | None:
    before = [node.this]
    if isinstance(node.this, exp.SetOperation):
        before.append(node.this.expression)
    for side in before:  # its ORDER BY or LIMIT must stand in parentheses
        if any(map(side.args.get, _ENDS)) and not isinstance(side, exp.Subquery):
            return cast("exp.Expr", side)
    return next((side for side in _sides(node) if not isinstance(side, exp.Query)), None)


def _of_group(node: exp.Expr) -> exp.Expr | None:
    return None if isinstance(node.expression, exp.Order) else node


def _unnamed_after(named: exp.Expr) -> exp.Expr | None:
    """Return an argument without a name that follows one with a name."""
    given = named.parent.expressions if named.parent is not None else ()
    rest = itertools.dropwhile(lambda each: each is not named, given)
    return next((each for each in rest if not isinstance(each, exp.Kwarg)), None)


def _is_comparison(node: exp.Expr) -> bool:
    """Whether it is `a = b`, but not `a = ANY (b)`, which may be compared."""
    return isinstance(node, _COMPARING) and not isinstance(node.expression, exp.Any | exp.All)


def _is_count(node: exp.Expr | None) -> bool:
    return node is None or (isinstance(node, exp.Literal) and node.name.isdigit())


def _sides(node: exp.Expr) -> Sequence[exp.Expr]:
    return node.args["this"], node.args["expression"]


_MOMENTS = (exp.CurrentTime, exp.CurrentTimestamp, exp.Localtime, exp.Localtimestamp)
_OF_KINDS: Mapping[tuple[type[exp.Expr], ...], Callable[[exp.Expr], exp.Expr | None]] = {
    (exp.CTE,): _of_cte,
    (exp.Array,): _of_array,
    (exp.Lateral,): _of_lateral,
    (exp.Kwarg,): _unnamed_after,
    (exp.SetOperation,): _of_set,
    (exp.WithinGroup,): _of_group,
    _COMPARING: _of_comparison,
    _MOMENTS: _of_moment,
}
_WRONG = {kind: check for above, check in _OF_KINDS.items() for kind in kinds(*above)}
"""What each type of node is checked by: it returns the part that is wrong, if one is."""
_CHECKED = frozenset(_WRONG)
