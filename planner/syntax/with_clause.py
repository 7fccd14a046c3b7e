"""Our own clause at the end of a statement: `WITH BOUND (…), WAIT …, PARTITIONS (…), ACTIVE, …`.

    option:  BOUND ( bound [, bound] … ) | WAIT interval | PARTITIONS ( n [, n] … )
           | ACTIVE | PARTIAL | INFO
    bound:   topic [ partition ] >= offset | 'position token' | $n
           | LATEST | SNAPSHOT | MAX LAG interval | UNBOUNDED

The clause is cut off before sqlglot parses the rest. Parameters in it stay open:
`stategate.planner.syntax.options` puts in their values for each execution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from sqlglot.tokenizer_core import Token, TokenType

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError, QueryError
from stategate.planner.values.text_values import parse_value
from stategate.stores.errors import CodecError
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import BIGINT, INTEGER, INTERVAL, TEXT, DataType

T = TypeVar("T")
OPTIONS = {"BOUND", "WAIT", "PARTITIONS", "ACTIVE", "PARTIAL", "INFO"}
"""The first words of the options after WITH."""
WAIT_MS_MAX = 3_600_000
"""Longest wait for a bound, one hour."""
LAG_MS_MAX = 366 * 86_400_000
"""Greatest lag that a bound can allow, one year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterRef:
    """A parameter in the clause; `number` counts from 1."""

    number: int
    type: DataType


IntOrParameter: TypeAlias = int | ParameterRef


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicBound:
    """`topic[partition] >= offset`."""

    topic: str
    partition: IntOrParameter
    offset: IntOrParameter


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """The options of a clause; none are set without one."""

    topics: tuple[TopicBound, ...] = ()
    positions: tuple[Position | ParameterRef, ...] = ()
    latest: bool = False
    snapshot: bool = False
    lag_ms_max: int | ParameterRef | None = None
    unbounded: bool = False
    wait_ms: int | ParameterRef | None = None
    partitions: tuple[IntOrParameter, ...] | None = None
    active: bool = False
    partial: bool = False
    info: bool = False

    @property
    def has_bound(self) -> bool:
        """Whether the clause has a bound, which replaces that of the session."""
        return (
            bool(self.topics or self.positions)
            or self.latest
            or self.snapshot
            or self.unbounded
            or self.lag_ms_max is not None
        )

    @property
    def parameters(self) -> tuple[ParameterRef, ...]:
        """All parameters in the clause."""
        places: list[object] = [*self.positions, self.lag_ms_max, self.wait_ms]
        places += [place for t in self.topics for place in (t.partition, t.offset)]
        places += self.partitions or ()
        return tuple(place for place in places if isinstance(place, ParameterRef))


NO_CLAUSE = Clause()


def split_clause(tokens: Sequence[Token]) -> tuple[int, Clause]:
    """Return the index of the first token of the clause, and the clause; NO_CLAUSE without one.

    Raises:
        InvalidSyntaxError: the clause is malformed; `position` is that of the wrong word.
    """
    depth = 0
    for at in range(len(tokens) - 1, 0, -1):
        kind = tokens[at].token_type
        depth += (kind is TokenType.R_PAREN) - (kind is TokenType.L_PAREN)
        is_with = depth == 0 and kind is TokenType.WITH and at + 1 < len(tokens)
        if is_with and tokens[at + 1].text.upper() in OPTIONS:
            return at, _Reader(tokens, at + 1).clause()
    return len(tokens), NO_CLAUSE


class _Reader:
    """Reads the options from the tokens after WITH; each rule of the grammar has a method."""

    def __init__(self, tokens: Sequence[Token], at: int) -> None:
        self._tokens, self._at = tokens, at

    def clause(self) -> Clause:
        clause = self._option(NO_CLAUSE)
        while self._accept(","):
            clause = self._option(clause)
        if self._at < len(self._tokens):
            raise self._error()
        return clause

    def _option(self, clause: Clause) -> Clause:
        word = self._word()
        if word == "BOUND":
            self._expect("(")
            clause = self._bound(clause)
            while self._accept(","):
                clause = self._bound(clause)
            self._expect(")")
            return clause
        if word == "WAIT":
            return replace(clause, wait_ms=self._interval_ms(WAIT_MS_MAX))
        if word == "PARTITIONS":
            self._expect("(")
            numbers = [self._integer(INTEGER)]
            while self._accept(","):
                numbers.append(self._integer(INTEGER))
            self._expect(")")
            return replace(clause, partitions=tuple(numbers))
        if word == "ACTIVE":
            return replace(clause, active=True)
        if word == "PARTIAL":
            return replace(clause, partial=True)
        if word == "INFO":
            return replace(clause, info=True)
        self._at -= 1
        raise self._error(f"options are {', '.join(sorted(OPTIONS))}")

    def _bound(self, clause: Clause) -> Clause:
        token = self._peek()
        if token is None:
            raise self._error()
        if token.token_type is TokenType.STRING:
            follows = self._tokens[self._at + 1 : self._at + 2]
            if not follows or follows[0].text != "[":
                return replace(clause, positions=(*clause.positions, self._token_literal()))
        if token.token_type is TokenType.PARAMETER:
            return replace(clause, positions=(*clause.positions, self._parameter(TEXT)))
        word = self._tokens[self._at].text.upper()
        follows = self._tokens[self._at + 1 : self._at + 2]
        if (
            not (follows and follows[0].text == "[")
            and token.token_type is not TokenType.IDENTIFIER
        ):
            return self._named_bound(word, clause)
        return replace(clause, topics=(*clause.topics, self._topic_bound()))

    def _named_bound(self, word: str, clause: Clause) -> Clause:
        self._at += 1
        if word == "LATEST":
            return replace(clause, latest=True)
        if word == "UNBOUNDED":
            return replace(clause, unbounded=True)
        if word == "SNAPSHOT":
            return replace(clause, snapshot=True)
        if word == "MAX" and self._accept("LAG"):
            return replace(clause, lag_ms_max=self._interval_ms(LAG_MS_MAX))
        self._at -= 1
        raise self._error(
            "a bound is topic[partition] >= offset, 'position token', $n, LATEST, "
            "SNAPSHOT, MAX LAG interval or UNBOUNDED"
        )

    def _topic_bound(self) -> TopicBound:
        topic = self._tokens[self._at].text
        self._at += 1
        self._expect("[")
        partition = self._integer(INTEGER)
        self._expect("]")
        self._expect(">=")
        return TopicBound(topic=topic, partition=partition, offset=self._integer(BIGINT))

    def _token_literal(self) -> Position:
        token = self._tokens[self._at]
        self._at += 1
        return _located(lambda: position_of(token.text), token)

    def _interval_ms(self, most_ms: int) -> int | ParameterRef:
        token = self._peek()
        if token is not None and token.token_type is TokenType.PARAMETER:
            return self._parameter(INTERVAL)
        if token is not None and token.text.upper() == "INTERVAL":
            self._at += 1
            token = self._peek()
        if token is None or token.token_type is not TokenType.STRING:
            raise self._error("an interval is text such as '500 ms' or '5s', or a parameter")
        self._at += 1
        text = token.text
        return _located(lambda: interval_ms(parse_value(text, INTERVAL), most_ms), token)

    def _integer(self, data_type: DataType) -> IntOrParameter:
        token = self._peek()
        if token is not None and token.token_type is TokenType.PARAMETER:
            return self._parameter(data_type)
        if token is None or token.token_type is not TokenType.NUMBER or not token.text.isdigit():
            raise self._error("a whole number or a parameter is needed here")
        self._at += 1
        text = token.text
        found: int = _located(lambda: parse_value(text, data_type), token)
        return found

    def _parameter(self, data_type: DataType) -> ParameterRef:
        self._at += 1
        token = self._peek()
        if token is None or token.token_type is not TokenType.NUMBER or not token.text.isdigit():
            raise self._error("a parameter is $1, $2, …")
        self._at += 1
        return ParameterRef(number=int(token.text), type=data_type)

    def _word(self) -> str:
        token = self._peek()
        if token is None:
            raise self._error()
        self._at += 1
        return token.text.upper()

    def _peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _accept(self, text: str) -> bool:
        token = self._peek()
        if token is None or token.text.upper() != text:
            return False
        self._at += 1
        return True

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise self._error(f"{text} is expected here")

    def _error(self, hint: str | None = None) -> InvalidSyntaxError:
        token = self._peek()
        if token is None:
            return InvalidSyntaxError("syntax error at end of input", hint=_sentence(hint))
        return InvalidSyntaxError(
            f'syntax error at or near "{token.text}"',
            hint=_sentence(hint),
            position=token.start + 1,
        )


def _sentence(hint: str | None) -> str | None:
    return None if hint is None else hint[0].upper() + hint[1:] + "."


def _located(read: Callable[[], T], token: Token) -> T:
    """Return the result of `read`; its errors get the position of the token."""
    try:
        return read()
    except QueryError as error:
        error.position = token.start + 1
        raise


def position_of(token: str) -> Position:
    """Return the position of a token.

    Raises:
        InvalidValueError: the text is not a position token.
    """
    try:
        return Position.from_token(token)
    except CodecError as error:
        raise InvalidValueError(
            "invalid position token",
            detail=f"{str(error)[0].upper()}{str(error)[1:]}.",
            hint='A token looks like {"topic": {"0": 41}}, as every answer returns it.',
            sqlstate="22P02",
        ) from error


def interval_ms(interval: tuple[int, int, int], most_ms: int) -> int:
    """Return an interval in milliseconds.

    Raises:
        InvalidValueError: the interval has months, is negative or longer than `most_ms`.
    """
    months, days, micros = interval
    total = days * 86_400_000 + micros // 1000
    if months or not 0 <= total <= most_ms:
        raise InvalidValueError(
            "interval out of range", hint=f"It can be 0 to {most_ms // 1000} seconds."
        )
    return total
