"""The syntax of jsonpath, such as `$.a[*] ? (@.b > 1)`, as a tree.

A node is a tuple: its kind, then its parts. What PostgreSQL has beyond this is refused by name.

Source: PostgreSQL's `src/backend/utils/adt/jsonpath_gram.y`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError, NotSupportedError
from stategate.planner.values.documents.json_text import Digits

Node: TypeAlias = tuple[Any, ...]

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*")
    | (?P<number>(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)
    | (?P<variable>\$"(?:[^"\\]|\\.)*"|\$[^\W\d]\w*)
    | (?P<word>[^\W\d]\w*)
    | (?P<sign>\*\*|==|<>|!=|<=|>=|&&|\|\||[-$@.*\[\]()?,<>!+/%{}])
    )""",
    re.VERBOSE,
)
_COMPARISONS = {"==": "==", "<>": "!=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
METHODS = frozenset({"type", "size", "double", "ceiling", "floor", "abs"})
_REFUSED_METHODS = frozenset({"datetime", "keyvalue"})
_CONSTANTS = {"null": None, "true": True, "false": False}
NESTING_MAX = 100


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path, and whether it is strict."""

    root: Node
    is_strict: bool


@lru_cache(maxsize=256)
def parse_path(text: str) -> JsonPath:
    """Return the tree of a path.

    Raises:
        InvalidSyntaxError: it is not a path (42601).
        InvalidValueError: it is empty (22P02).
        NotSupportedError: it has a part that is not supported.
    """
    if not text.strip():
        raise InvalidValueError(
            f'invalid input syntax for type jsonpath: "{text}"', sqlstate="22P02"
        )
    return _Parser(text).path()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth = text, 0, 0
        self._filters = 0
        self._tokens = self._split()

    def _split(self) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        at, end = 0, len(self._text.rstrip())
        while at < end:
            found = _TOKEN.match(self._text, at)
            if found is None:
                raise self._error(self._text[at : at + 20])
            kind = found.lastgroup or ""
            tokens.append((kind, found[kind]))
            at = found.end()
        return [*tokens, ("end", "")]

    def _error(self, near: str) -> InvalidSyntaxError:
        place = f'at or near "{near}"' if near else "at end"
        return InvalidSyntaxError(f"syntax error {place} of jsonpath input")

    # Tokens

    @property
    def _next(self) -> tuple[str, str]:
        return self._tokens[self._at]

    def _take(self, *wanted: str) -> str | None:
        kind, text = self._next
        if kind in {"sign", "word"} and text in wanted:
            self._at += 1
            return text
        return None

    def _expect(self, wanted: str) -> None:
        if self._take(wanted) is None:
            raise self._error(self._next[1])

    def _nested(self, parse: Callable[[], Node]) -> Node:
        self._depth += 1
        if self._depth > NESTING_MAX:
            raise NotSupportedError("a jsonpath of this depth is not supported")
        found = parse()
        self._depth -= 1
        return found

    # Rules

    def path(self) -> JsonPath:
        """Return the whole path."""
        mode = self._take("strict", "lax")
        root = self._either()
        if self._next[0] != "end":
            raise self._error(self._next[1])
        return JsonPath(root, mode == "strict")

    def _either(self) -> Node:
        left = self._both()
        while self._take("||"):
            left = ("or", _predicate(left, self), _predicate(self._both(), self))
        return left

    def _both(self) -> Node:
        left = self._not()
        while self._take("&&"):
            left = ("and", _predicate(left, self), _predicate(self._not(), self))
        return left

    def _not(self) -> Node:
        if self._take("!"):
            return ("not", _predicate(self._nested(self._not), self))
        return self._compared()

    def _compared(self) -> Node:
        left = self._sum()
        kind, text = self._next
        if kind == "sign" and text in _COMPARISONS:
            self._at += 1
            return ("compare", _COMPARISONS[text], left, self._sum())
        if self._take("starts"):
            self._expect("with")
            return ("starts", left, self._sum())
        if self._take("like_regex"):
            raise NotSupportedError("like_regex in a jsonpath is not supported")
        if self._take("is"):
            self._expect("unknown")
            return ("unknown", _predicate(left, self))
        return left

    def _sum(self) -> Node:
        left = self._product()
        while sign := self._take("+", "-"):
            left = ("compute", sign, left, self._product())
        return left

    def _product(self) -> Node:
        left = self._signed()
        while sign := self._take("*", "/", "%"):
            if sign != "*":
                raise NotSupportedError(f'"{sign}" in a jsonpath is not supported')
            left = ("compute", sign, left, self._signed())
        return left

    def _signed(self) -> Node:
        if sign := self._take("+", "-"):
            return ("sign", sign, self._nested(self._signed))
        return self._accessors(self._primary())

    def _primary(self) -> Node:
        kind, text = self._next
        self._at += 1
        found: Node | None = None
        if kind == "text":
            found = ("value", _text_of(text))
        elif kind == "number":
            found = ("value", int(text) if text.isdigit() else Digits(text))
        elif kind == "variable":
            name = text[1:]
            found = ("variable", _text_of(name) if name[0] == '"' else name)
        elif kind == "word" and text in _CONSTANTS:
            found = ("value", _CONSTANTS[text])
        elif text == "@" and not self._filters:
            raise InvalidSyntaxError("@ is not allowed in root expressions")
        elif text in {"$", "@", "last"}:
            found = (text,)
        elif text in {"(", "exists"}:
            if text == "exists":
                self._expect("(")
            inner = self._nested(self._either)
            self._expect(")")
            found = inner if text == "(" else ("exists", inner)
        if found is None:
            raise self._error(text)
        return found

    def _accessors(self, node: Node) -> Node:
        while True:
            if self._take("."):
                node = self._member(node)
            elif self._take("["):
                node = self._subscripts(node)
            elif self._take("?"):
                self._expect("(")
                self._filters += 1
                condition = _predicate(self._nested(self._either), self)
                self._filters -= 1
                self._expect(")")
                node = ("filter", node, condition)
            else:
                return node

    def _member(self, node: Node) -> Node:
        kind, text = self._next
        self._at += 1
        if text == "*" and kind == "sign":
            return ("members", node)
        if text == "**":
            raise NotSupportedError('".**" in a jsonpath is not supported')
        if kind == "text":
            return ("member", node, _text_of(text))
        if kind == "word":
            if self._next[1] != "(":
                return ("member", node, text)
            self._at += 1
            if text in _REFUSED_METHODS:
                raise NotSupportedError(f".{text}() in a jsonpath is not supported")
            self._expect(")")
            if text in METHODS:
                return ("method", node, text)
        raise self._error(text)

    def _subscripts(self, node: Node) -> Node:
        if self._take("*"):
            self._expect("]")
            return ("elements", node)
        places: list[tuple[Node, Node | None]] = []
        while True:
            first = self._sum()
            places.append((first, self._sum() if self._take("to") else None))
            if not self._take(","):
                break
        self._expect("]")
        return ("subscripts", node, tuple(places))


_PREDICATES = frozenset({"or", "and", "not", "compare", "starts", "unknown", "exists"})


def is_predicate(node: Node) -> bool:
    """Whether a node is true, false or unknown, and not a sequence of values."""
    return node[0] in _PREDICATES


def _predicate(node: Node, parser: _Parser) -> Node:
    if not is_predicate(node):
        raise parser._error(parser._next[1])
    return node


def _text_of(quoted: str) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise InvalidSyntaxError("invalid text in jsonpath input") from None
