"""Parse texts: split them at semicolons, recognise statements by their first word, build trees.

Only this module turns sqlglot's errors into ours.
"""

from __future__ import annotations

from collections.abc import Sequence, Set

from msgspec import Struct
from msgspec.structs import replace
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import (
    InvalidSyntaxError,
    LimitExceededError,
    NotSupportedError,
    QueryError,
)
from stategate.planner.syntax.explain_options import ExplainOptions, read_explain_options
from stategate.planner.syntax.token_reader import Words
from stategate.planner.syntax.void_arguments import without_void
from stategate.planner.syntax.with_clause import NO_CLAUSE, OPTIONS, Clause, split_clause
from stategate.planner.trees.brackets import without_brackets
from stategate.planner.trees.dialect import parse_tokens, tokenize
from stategate.planner.trees.grammar import check_tokens
from stategate.planner.trees.lexemes import unterminated
from stategate.planner.values.catalog_types import VOID
from stategate.planner.values.statement import StatementKind
from stategate.stores.spec.schema import DataType

SQL_BYTES_MAX = 1 << 20
"""Longest text: a list of 50,000 keys fits, and sqlglot takes about a second for it."""
NESTING_MAX = 200
"""Deepest parentheses: sqlglot's parser recurses, and Python's stack ends near 1000."""

_WRITES = {
    *("INSERT", "UPDATE", "DELETE", "MERGE", "TRUNCATE", "CREATE", "ALTER", "DROP", "GRANT"),
    *("REVOKE", "VACUUM", "ANALYZE", "REINDEX", "CLUSTER", "REFRESH", "COMMENT", "REPLACE"),
}
_OBJECTS = {TokenType.INTO, TokenType.FROM, TokenType.VAR, TokenType.IDENTIFIER}
"""Tokens that follow the first word of a write, but not a column or function of that name."""
_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET}
_KINDS = {
    "SELECT": StatementKind.SELECT,
    "WITH": StatementKind.SELECT,
    "VALUES": StatementKind.SELECT,
    "TABLE": StatementKind.SELECT,
    "(": StatementKind.SELECT,
    "EXPLAIN": StatementKind.EXPLAIN,
    "SHOW": StatementKind.SHOW,
    "DESCRIBE": StatementKind.SHOW,
    "DESC": StatementKind.SHOW,
    "SET": StatementKind.SET,
    "RESET": StatementKind.RESET,
    "BEGIN": StatementKind.BEGIN,
    "START": StatementKind.BEGIN,
    "COMMIT": StatementKind.COMMIT,
    "END": StatementKind.COMMIT,
    "ROLLBACK": StatementKind.ROLLBACK,
    "ABORT": StatementKind.ROLLBACK,
    "SAVEPOINT": StatementKind.SAVEPOINT,
    "RELEASE": StatementKind.RELEASE,
    "DISCARD": StatementKind.DISCARD,
    "DEALLOCATE": StatementKind.DEALLOCATE,
    "CLOSE": StatementKind.CLOSE,
    "COPY": StatementKind.COPY,
    "DECLARE": StatementKind.DECLARE,
    "FETCH": StatementKind.FETCH,
    "MOVE": StatementKind.MOVE,
    "PREPARE": StatementKind.PREPARE,
    "EXECUTE": StatementKind.EXECUTE,
    "SUBSCRIBE": StatementKind.SUBSCRIBE,
    "LISTEN": StatementKind.LISTEN,
    "UNLISTEN": StatementKind.UNLISTEN,
    "LOCK": StatementKind.LOCK,
}
_QUERIES = frozenset(word for word, kind in _KINDS.items() if kind is StatementKind.SELECT)
"""The words that a query begins with."""
_NOT_RUN = {
    "NOTIFY": "There are no listeners; only its pipeline changes state.",
    "CALL": "There are no procedures.",
    "DO": "There is no procedural language.",
    "LOAD": "There are no libraries to load.",
    "CHECKPOINT": "The only log is that of the pipeline; there is nothing to checkpoint.",
    "IMPORT": "There are no foreign tables.",
    "SECURITY": "There are no labels.",
    "REASSIGN": "There are no owners.",
}
"""Statements of Postgres that are not supported, with hints."""


class Parsed(Struct, frozen=True, kw_only=True):
    """One parsed statement; no name is resolved yet."""

    sql: str
    kind: StatementKind
    tokens: tuple[Token, ...]
    """All tokens; commands are read word by word."""
    tree: exp.Query | None = None
    """The query of SELECT or EXPLAIN."""
    clause: Clause = NO_CLAUSE
    analyze: bool = False
    """Whether it is EXPLAIN ANALYZE."""
    as_json: bool = False
    """Whether it is EXPLAIN (FORMAT JSON)."""
    costs: bool = True
    """Whether EXPLAIN shows costs."""
    command_at: int = 0
    """The first token of an EXECUTE, after those of an EXPLAIN."""


def split(sql: str) -> tuple[str, ...]:
    """Return the statements of a text, without semicolons and empty ones.

    Raises:
        InvalidSyntaxError: the text does not tokenize, or one statement does not parse.
        LimitExceededError: the text is too long.
    """
    tokens = _tokenize(sql)
    if all(token.token_type is not TokenType.SEMICOLON for token in tokens):
        return (sql,) if tokens else ()
    pieces: list[str] = []
    begin = 0
    for end, after in [
        *((t.start, t.end + 1) for t in tokens if t.token_type is TokenType.SEMICOLON),
        (len(sql), len(sql)),
    ]:
        piece = sql[begin:end]
        if _tokenize(piece):
            _check(piece, begin)
            pieces.append(piece)
        begin = after
    return tuple(pieces)


def _check(piece: str, offset: int) -> None:
    """Parse one of several statements; its errors point into the whole text."""
    try:
        parse(piece)
    except QueryError as error:
        if error.position is not None:
            error.position += offset
        raise


def parse(sql: str, parameter_types: Sequence[DataType | None] = ()) -> Parsed:
    """Parse one statement.

    Args:
        sql: its text.
        parameter_types: the types of its parameters that the client gives.

    Raises:
        InvalidSyntaxError: the text is not SQL; `position` is that of the wrong word.
        NotSupportedError: the statement is not supported.
        LimitExceededError: the text is too long or nested too deep.
    """
    tokens = _tokenize(sql)
    if VOID in parameter_types:
        sql = without_void(sql, tokens, parameter_types)
        tokens = _tokenize(sql)
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        return Parsed(sql=sql, kind=StatementKind.EMPTY, tokens=())
    types = {token.token_type for token in tokens}
    if TokenType.SEMICOLON in types:
        first = next(token for token in tokens if token.token_type is TokenType.SEMICOLON)
        raise InvalidSyntaxError(
            "cannot insert multiple commands into a prepared statement", position=first.start + 1
        )
    word = tokens[0].text.upper()
    kind = _KINDS.get(word)
    if kind is None:
        raise _refusal(word, tokens[0])
    if kind is StatementKind.SELECT:
        return _query(sql, kind, tokens, tokens, types, analyze=False)
    if kind is StatementKind.EXPLAIN:
        inner, options = _explained(sql, tokens)
        if inner[0].text.upper() == "EXECUTE":
            at = len(tokens) - len(inner)
            executed = Parsed(sql=sql, kind=kind, tokens=tuple(tokens), command_at=at)
            return replace(executed, as_json=options.as_json)
        found = _query(sql, kind, tokens, inner, types, analyze=options.analyze)
        return replace(found, as_json=options.as_json, costs=options.costs)
    return Parsed(sql=sql, kind=kind, tokens=tuple(tokens))


def _refusal(word: str, token: Token) -> InvalidSyntaxError | NotSupportedError:
    if word in _WRITES:
        return _write_refused(word, token.start)
    if (hint := _NOT_RUN.get(word)) is not None:
        return NotSupportedError(f"{word} is not supported", hint=hint, position=token.start + 1)
    if word.isalpha() and token.token_type is not TokenType.VAR:
        return NotSupportedError(
            f"{word} is not supported",
            hint="SELECT, EXPLAIN, SHOW, DESCRIBE, SET, RESET, BEGIN, COMMIT and ROLLBACK are.",
            position=token.start + 1,
        )
    return InvalidSyntaxError(f'syntax error at or near "{token.text}"', position=token.start + 1)


def _write_refused(word: str, start: int) -> NotSupportedError:
    return NotSupportedError(
        f"cannot execute {word} in a read-only gateway",
        hint="State is written by its pipeline; SELECT reads it.",
        position=start + 1,
        sqlstate="25006",
    )


def _tokenize(sql: str) -> list[Token]:
    if len(sql) > SQL_BYTES_MAX:
        raise LimitExceededError(
            f"statement is longer than {SQL_BYTES_MAX} characters",
            hint="Pass long lists as parameters, or send several statements.",
        )
    try:
        return tokenize(sql)
    except TokenError as error:
        start = unterminated(sql)
        raise InvalidSyntaxError(
            "unterminated quoted string or comment",
            position=None if start is None else start + 1,
        ) from error


def _explained(sql: str, tokens: Sequence[Token]) -> tuple[list[Token], ExplainOptions]:
    """Return the statement of an EXPLAIN, and the options."""
    words = Words(sql, tokens)
    words.skip()
    options = read_explain_options(words, _QUERIES)
    rest = list(tokens[len(tokens) - words.left :])
    if not rest:
        raise InvalidSyntaxError("syntax error at end of input", hint="EXPLAIN needs a query.")
    if _KINDS.get(rest[0].text.upper()) not in {StatementKind.SELECT, StatementKind.EXECUTE}:
        raise InvalidSyntaxError(
            f'syntax error at or near "{rest[0].text}"',
            hint="EXPLAIN takes a SELECT.",
            position=rest[0].start + 1,
        )
    return rest, options


def _query(
    sql: str,
    kind: StatementKind,
    tokens: list[Token],
    inner: list[Token],
    types: Set[TokenType],
    *,
    analyze: bool,
) -> Parsed:
    """Parse the tokens of a query; `types` has at least the types of these."""
    if not types.isdisjoint(_OPENING):
        _check_nesting(inner)
    end, clause = split_clause(inner) if TokenType.WITH in types else (len(inner), NO_CLAUSE)
    return Parsed(
        sql=sql,
        kind=kind,
        tokens=tuple(tokens),
        tree=_parse_tree(sql, inner[:end]),
        clause=clause,
        analyze=analyze,
    )


def _check_nesting(tokens: Sequence[Token]) -> None:
    depth = 0
    for at, token in enumerate(tokens):
        if token.token_type in _OPENING:
            depth += 1
            if depth > NESTING_MAX:
                raise LimitExceededError(
                    f"statement is nested deeper than {NESTING_MAX} levels",
                    position=token.start + 1,
                )
            _check_write(tokens[at + 1 : at + 3])
        elif token.token_type in _CLOSING:
            depth -= 1


def _check_write(words: Sequence[Token]) -> None:
    """Refuse a write in parentheses, as in `WITH x AS (DELETE FROM …)`."""
    if len(words) == 2 and words[0].text.upper() in _WRITES and words[1].token_type in _OBJECTS:
        raise _write_refused(words[0].text.upper(), words[0].start)


def _parse_tree(sql: str, tokens: list[Token]) -> exp.Query:
    check_tokens(sql, tokens)
    try:
        trees = parse_tokens(tokens, sql)
    except ParseError as error:
        raise _syntax_problem(sql, tokens, error) from error
    except RecursionError as error:
        raise LimitExceededError("statement is nested too deep") from error
    tree = trees[0] if trees else None
    if isinstance(tree, exp.Subquery):
        tree = without_brackets(tree)
    if isinstance(tree, exp.DML | exp.DDL) and not isinstance(tree, exp.Query):
        word = tree.key.upper()
        at = next((t.start for t in tokens if t.text.upper() == word), tokens[0].start)
        raise _write_refused(word, at)
    if not isinstance(tree, exp.Query):
        raise InvalidSyntaxError(f'syntax error at or near "{tokens[0].text}"', position=1)
    return tree


def _syntax_problem(sql: str, tokens: list[Token], error: ParseError) -> InvalidSyntaxError:
    found = error.errors[0] if error.errors else {}
    word, line, column = found.get("highlight"), found.get("line"), found.get("col")
    marked = (i for i, t in enumerate(tokens) if t.line == line and t.col == column)
    at = next(marked, None)
    if at is None:
        return InvalidSyntaxError(f'syntax error at or near "{word}"' if word else "syntax error")
    token = tokens[at]
    # sqlglot reports an early end at the last word; Postgres reports the end.
    is_missing = not str(found.get("description", "")).startswith("Invalid expression")
    if is_missing and at + 1 == len(tokens) and token.token_type is not TokenType.R_PAREN:
        return InvalidSyntaxError("syntax error at end of input", position=token.end + 2)
    hint = None
    is_with = token.token_type is TokenType.WITH and 0 < at < len(tokens) - 1
    if is_with and tokens[at + 1].text.upper() not in OPTIONS:
        token, hint = tokens[at + 1], f"WITH is followed by one of {', '.join(sorted(OPTIONS))}."
    text = sql[token.start : token.end + 1]
    return InvalidSyntaxError(
        f'syntax error at or near "{text}"', hint=hint, position=token.start + 1
    )
