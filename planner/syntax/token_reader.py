"""Read the tokens of a statement word by word, for commands that are not expressions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import InvalidSyntaxError, QueryError
from stategate.planner.trees.reserved_words import FUNCTION_WORDS, RESERVED_WORDS

_INTEGER_MAX = (1 << 31) - 1
"""The grammar takes a larger number for one with a fraction."""
_DOTS_MAX = 2
_TEXTS = {TokenType.STRING, TokenType.BIT_STRING, TokenType.HEX_STRING}


def _is_name(token: Token) -> bool:
    """Whether a token is a word or a quoted name; sqlglot reads some words as one."""
    if token.token_type is TokenType.IDENTIFIER:
        return True
    word = token.text.replace("_", "a").replace("$", "a")
    return token.token_type not in _TEXTS and word.isalnum() and word[0].isalpha()


class Words:
    """A reader of the tokens of a statement.

    Args:
        sql: the text of the statement.
        tokens: its tokens, without a semicolon at the end.
    """

    def __init__(self, sql: str, tokens: Sequence[Token]) -> None:
        self.sql = sql
        self._tokens = tokens
        self._at = 0

    @property
    def left(self) -> int:
        """Return the tokens that have not been taken."""
        return len(self._tokens) - self._at

    @property
    def start(self) -> int:
        """Return where the next token begins in the text, or where the text ends."""
        return self._tokens[self._at].start if self.left else len(self.sql)

    @property
    def end(self) -> int:
        """Return where the last token that was taken ends in the text."""
        return self._tokens[self._at - 1].end + 1 if self._at else 0

    def token(self, ahead: int = 0) -> Token | None:
        """Return a token that has not been taken, the next by default; None after the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else None

    def peek(self, ahead: int = 0) -> str:
        """Return the next word, or a later one, in capitals; "" at the end or for a quoted word."""
        token = self.token(ahead)
        if token is None or token.token_type in {TokenType.IDENTIFIER, TokenType.STRING}:
            return ""
        return token.text.upper()

    def skip(self) -> Token:
        """Take the next token.

        Raises:
            InvalidSyntaxError: there is no next token.
        """
        token = self.token()
        if token is None:
            raise InvalidSyntaxError("syntax error at end of input", position=len(self.sql) + 1)
        self._at += 1
        return token

    def take(self, *words: str) -> bool:
        """Take these words if all of them come next; return whether they did."""
        if any(self.peek(at) != word for at, word in enumerate(words)):
            return False
        self._at += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Take these words.

        Raises:
            InvalidSyntaxError: another token comes next.
        """
        for word in words:
            if not self.take(word):
                raise self.problem()

    def finish(self) -> None:
        """Refuse any further token.

        Raises:
            InvalidSyntaxError: there is another token.
        """
        if self.left:
            raise self.problem()

    def problem(self) -> InvalidSyntaxError:
        """Return the error for an unexpected next token."""
        token = self.token()
        if token is None:
            return InvalidSyntaxError("syntax error at end of input", position=len(self.sql) + 1)
        text = self.sql[token.start : token.end + 1]
        return InvalidSyntaxError(f'syntax error at or near "{text}"', position=token.start + 1)

    def name(self) -> str:
        """Take a name, folded to lower case unless it is quoted.

        Raises:
            InvalidSyntaxError: another token comes next, or a word that is reserved.
        """
        if self.peek().lower() in RESERVED_WORDS:
            raise self.problem()
        return self.label()

    def label(self) -> str:
        """Take a name, as of an option, which may be any word; see `name`.

        Raises:
            InvalidSyntaxError: another token comes next.
        """
        token = self.token()
        if token is None or not _is_name(token):
            raise self.problem()
        self._at += 1
        return token.text if token.token_type is TokenType.IDENTIFIER else token.text.lower()

    def dotted_name(self) -> str:
        """Take the name of a setting: names with dots between them.

        Raises:
            InvalidSyntaxError: another token comes next.
        """
        names = [self.name()]
        while self.take("."):
            names.append(self.name())
        return ".".join(names)

    def relation(self) -> str:
        """Take the name of a relation, and return it as it is written.

        Raises:
            InvalidSyntaxError: another token comes next, or the name has too many parts.
        """
        start, dots = self.start, 0
        self.name()
        while self.take("."):
            self.label()
            dots += 1
        text = self.sql[start : self.end]
        if dots > _DOTS_MAX:
            message = f"improper qualified name (too many dotted names): {text}"
            raise InvalidSyntaxError(message, position=start + 1)
        return text

    def names(self) -> list[str]:
        """Take names in parentheses; each is returned as it is written.

        Raises:
            InvalidSyntaxError: another token comes next.
        """
        self.expect("(")
        found: list[str] = []
        while not found or self.take(","):
            start = self.start
            self.name()
            found.append(self.sql[start : self.end])
        self.expect(")")
        return found

    def value(self) -> str:
        """Take a text, or a word that stands for one: of the reserved words, only true, false, on.

        Raises:
            InvalidSyntaxError: another token comes next.
        """
        if self.is_string:
            return self.string()
        return self.label() if self.peek() in {"TRUE", "FALSE", "ON"} else self.word()

    def word(self) -> str:
        """Take a name that may be one of a function or a type, too; see `name`.

        Raises:
            InvalidSyntaxError: another token comes next.
        """
        if self.peek().lower() in RESERVED_WORDS - FUNCTION_WORDS:
            raise self.problem()
        return self.label()

    def string(self) -> str:
        """Take a quoted text.

        Raises:
            InvalidSyntaxError: another token comes next.
        """
        token = self.token()
        if token is None or token.token_type is not TokenType.STRING:
            raise self.problem()
        self._at += 1
        return token.text

    @property
    def is_string(self) -> bool:
        """Whether a quoted text comes next."""
        token = self.token()
        return token is not None and token.token_type is TokenType.STRING

    def integer(self) -> int | None:
        """Take a number with or without a sign; return None, and take nothing, if none comes next.

        Raises:
            InvalidSyntaxError: no number follows the sign, or it is not an integer.
        """
        sign = -1 if self.peek() == "-" else 1
        signed = self.peek() in {"-", "+"}
        token = self.token(int(signed))
        if token is None or token.token_type is not TokenType.NUMBER:
            if signed:
                self._at += 1
                raise self.problem()
            return None
        self._at += int(signed)
        if not token.text.isdigit() or int(token.text) > _INTEGER_MAX:
            raise self.problem()
        self._at += 1
        return sign * int(token.text)

    def number(self) -> str | None:
        """Take a number with or without a sign, as PostgreSQL writes it; None if none comes next.

        Raises:
            InvalidSyntaxError: no number follows the sign.
        """
        token = self.token(int(self.peek() in {"-", "+"}))
        text = token.text if token is not None and token.token_type is TokenType.NUMBER else "0"
        if text.isdigit() and int(text) <= _INTEGER_MAX:
            found = self.integer()
            return None if found is None else str(found)
        sign = "-" if self.take("-") else ""
        self.take("+")
        self.skip()
        return sign + text

    def parenthesised(self) -> tuple[int, int]:
        """Take the tokens between the next parenthesis and the one that closes it.

        Returns:
            Where the content begins and ends in the text, without the parentheses.

        Raises:
            InvalidSyntaxError: no parenthesis comes next, or it is not closed.
        """
        if self.peek() != "(":
            raise self.problem()
        start, depth = self.skip().end + 1, 1
        while depth:
            token = self.skip()
            depth += (token.token_type is TokenType.L_PAREN) - (
                token.token_type is TokenType.R_PAREN
            )
        return start, self._tokens[self._at - 1].start

    def list_items(self) -> list[tuple[int, int]]:
        """Take a list in parentheses; return where each item begins and ends in the text.

        Raises:
            InvalidSyntaxError: no parenthesis comes next, it is not closed, or an item is empty.
        """
        if self.peek() != "(":
            raise self.problem()
        start, depth, items = self.skip().end + 1, 0, list[tuple[int, int]]()
        while True:
            token = self.skip()
            kind = token.token_type
            at_end = depth == 0 and kind is TokenType.R_PAREN
            if at_end or (depth == 0 and kind is TokenType.COMMA):
                if not self.sql[start : token.start].strip():
                    self._at -= 1
                    raise self.problem()
                items.append((start, token.start))
                start = token.end + 1
            if at_end:
                return items
            depth += kind in {TokenType.L_PAREN, TokenType.L_BRACKET}
            depth -= kind in {TokenType.R_PAREN, TokenType.R_BRACKET}


@contextmanager
def counted_from(offset: int | None) -> Iterator[None]:
    """Move positions of errors to the whole statement; drop them for a generated text."""
    try:
        yield
    except QueryError as error:
        if error.position is not None:
            error.position = None if offset is None else error.position + offset
        raise
