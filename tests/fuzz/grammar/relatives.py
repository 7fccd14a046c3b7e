"""Relatives of the statements of the corpus: the same words with some of them exchanged.

The corpus has a statement for each rule that the planner knows. The grammar of this folder draws
what is well formed and mostly has rows; a relative comes from the text alone, so that it also tries
what no rule of the grammar makes, and mostly what PostgreSQL refuses.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tests.fuzz.grammar.vocabulary import quoted
from tests.fuzz.tree import Node, Part, spelled
from tests.fuzz.world import NOTES, SAMPLES
from tests.planner.postgres.corpus import files, is_prepared, read, settings_before

_TOKEN = re.compile(
    r"\s+|--[^\n]*|[eE]'(?:[^'\\]|\\.|'')*'|[bBxXnN]?'(?:[^']|'')*'|\$(\w*)\$.*?\$\1\$"
    r'|"(?:[^"]|"")*"|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+|[^\W\d]\w*|::|[-+*/<>=~!@#%^&|?]+|.',
    re.DOTALL,
)
_WORD = re.compile(r"[^\W\d]\w*|\"")
_OPERATOR = re.compile(r"[-+*/<>=~!@#%^&|?]+")
_OURS = re.compile(
    r"pg_settings|(?:from|join)\s+(?:pg_catalog\.)?pg_(?!am\b)|information_schema"
    r"|::\s*double\b(?! precision)|macaddr|europe/(?:oslo|stockholm)|\bversion\s*\(",
    re.IGNORECASE,
)
"""What is other than in PostgreSQL: its settings, relations and version, our name of a type,
spellings of addresses, and the past of zones that have become links."""
_OPENS, _CLOSES = "([", ")]"
_CLAUSES = (
    *("FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ORDER", "LIMIT", "OFFSET", "FETCH"),
    *("UNION", "INTERSECT", "EXCEPT"),
)
_KEYWORDS = frozenset(
    (
        *_CLAUSES,
        *("SELECT", "DISTINCT", "ALL", "BY", "AS", "ON", "USING", "JOIN", "LEFT", "RIGHT", "FULL"),
        *("INNER", "CROSS", "NATURAL", "LATERAL", "WITH", "RECURSIVE", "VALUES", "OVER", "FILTER"),
        *("PARTITION", "ROWS", "RANGE", "GROUPS", "WITHIN", "CASE", "WHEN", "THEN", "ELSE", "END"),
        *("AND", "OR", "NOT", "IS", "IN", "BETWEEN", "LIKE", "ILIKE", "SIMILAR", "TO", "EXISTS"),
        *("ASC", "DESC", "NULLS", "FIRST", "LAST", "ROW", "ARRAY", "CAST", "INTERVAL"),
    )
)
"""Words that are not taken for names; others may be, which then is one more syntax error."""
_COLUMNS = tuple(quoted(column.name) for store in (SAMPLES, NOTES) for column in store.columns)
_EXCHANGED: Sequence[tuple[str, ...]] = (
    ("LEFT", "RIGHT", "FULL", "INNER"),
    ("UNION", "INTERSECT", "EXCEPT", "UNION ALL"),
    ("ASC", "DESC", "DESC NULLS LAST", "ASC NULLS FIRST"),
    ("AND", "OR", "IS DISTINCT FROM", "="),
    ("LIKE", "ILIKE", "SIMILAR TO", "~", "NOT LIKE"),
    ("ROWS", "RANGE", "GROUPS"),
    ("ANY", "ALL", "SOME"),
)
_AROUND: Sequence[str] = (
    "SELECT * FROM ({0}) AS w",
    "WITH w AS ({0}) SELECT * FROM w",
    "WITH w AS MATERIALIZED ({0}) SELECT w.* FROM w WHERE EXISTS (SELECT FROM w)",
    "{0} UNION ALL {0}",
    "{0} EXCEPT {0}",
    "SELECT count(*) FROM ({0}) AS w",
    "SELECT w FROM ({0}) AS w",
    "SELECT w.*, n.note FROM ({0}) AS w LEFT JOIN notes n ON n.number = 2",
    "SELECT ARRAY({0})",
    "SELECT ({0})",
    "SELECT (SELECT count(w.*) FROM ({0}) AS w) FROM notes",
    "SELECT s.id, w.* FROM samples s CROSS JOIN LATERAL ({0}) AS w",
    "SELECT DISTINCT w.* FROM ({0}) AS w",
    "SELECT row_to_json(w) FROM ({0}) AS w",
)


def tokens(sql: str) -> list[str]:
    """Return the tokens of a statement, with the spaces between them."""
    return [found.group() for found in _TOKEN.finditer(sql)]


def _is_name(token: str) -> bool:
    return _WORD.match(token) is not None and token.upper() not in _KEYWORDS


def _is_called(words: Sequence[str], at: int) -> bool:
    return _is_name(words[at]) and at + 1 < len(words) and words[at + 1] == "("


def segments(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first place of each thing between brackets and commas, and the place after it."""
    begun: list[int] = []
    for at, word in enumerate(words):
        ends = word in _CLOSES or word == ","
        if ends and begun and begun[-1] < at:
            yield begun[-1], at
        if word in _OPENS:
            begun.append(at + 1)
        elif word in _CLOSES and begun:
            begun.pop()
        elif word == "," and begun:
            begun[-1] = at + 1


@dataclass(slots=True)
class Corpus:
    """The statements of the corpus, and what they are made of."""

    statements: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    """Each with the settings before it; without those whose answer is known to differ."""
    texts: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    operators: list[str] = field(default_factory=list)
    functions: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Names by the number of their arguments."""
    arguments: list[str] = field(default_factory=list)

    @staticmethod
    def read() -> Corpus:
        """Read all files."""
        made = Corpus()
        for path in files():
            for entry in read(path):
                is_ours = _OURS.search(entry.sql) is not None
                if entry.reason is None and not is_ours and not is_prepared(entry.sql):
                    settings, sql = settings_before(entry.sql)
                    made.statements.append((tuple(settings), sql))
                    made._take(tokens(sql))
        return made

    def _take(self, words: Sequence[str]) -> None:
        for at, word in enumerate(words):
            if word.endswith("'"):
                self.texts.append(word)
            elif word[0].isdigit():
                self.numbers.append(word)
            elif at and words[at - 1] == "::" and _is_name(word):
                self.types.append(word.replace("double", "double precision"))
            elif _OPERATOR.fullmatch(word) and word != "*":
                self.operators.append(word)
            elif _is_called(words, at):
                self.functions[_arity(words, at + 1)].append(word)
        for first, last in segments(words):
            text = "".join(words[first:last]).strip()
            if text and "SELECT" not in text:
                self.arguments.append(text)


def _arity(words: Sequence[str], opens: int) -> int:
    """Return the number of arguments of a call."""
    depth = count = 0
    for word in words[opens:]:
        depth += (word in _OPENS) - (word in _CLOSES)
        if depth == 0:
            break
        count += depth == 1 and word == ","
    return count + (words[opens + 1 : opens + 2] != [")"])


class Relatives:
    """Draws statements that differ from one of the corpus in a few words."""

    def __init__(self, corpus: Corpus, chance: random.Random) -> None:
        self._corpus = corpus
        self._chance = chance

    def draw(self) -> tuple[tuple[str, ...], Node]:
        """Return the settings and the tree of a statement."""
        settings, sql = self._chance.choice(self._corpus.statements)
        words = tokens(sql)
        for _ in range(self._chance.choice([1, 1, 1, 2, 3])):
            words = tokens("".join(self._changed(words)))
        sql = "".join(words)
        if self._chance.random() < 0.15:
            sql = self._chance.choice(_AROUND).format(sql)
        return settings, tree(sql)

    def _changed(self, words: list[str]) -> list[str]:
        kinds: Sequence[Callable[[list[str]], list[str] | None]] = (
            *(self._other_word,) * 12,
            *(self._other_argument,) * 3,
            self._one_more,
            self._one_fewer,
            self._negated,
        )
        for _ in range(20):
            made = self._chance.choice(kinds)(list(words))
            if made is not None and made != words:
                return made
        return words

    def _other_word(self, words: list[str]) -> list[str] | None:
        at = self._chance.randrange(len(words))
        other = self._other(words, at)
        return None if other is None else [*words[:at], other, *words[at + 1 :]]

    def _other(self, words: Sequence[str], at: int) -> str | None:
        """Return another word of the kind of one."""
        word, corpus, chance = words[at], self._corpus, self._chance
        if word.endswith("'"):
            return chance.choice([*chance.sample(corpus.texts, 3), "NULL", "''"])
        if word[0].isdigit():
            small = ("0", "1", "-1", "NULL", "2.5", "9223372036854775807")
            return chance.choice([*chance.sample(corpus.numbers, 3), *small])
        if _OPERATOR.fullmatch(word):
            return chance.choice(corpus.operators)
        for group in _EXCHANGED:
            if word.upper() in group:
                return chance.choice(group)
        if at and words[at - 1] == "::" and _is_name(word):
            return chance.choice(corpus.types)
        if _is_called(words, at):
            return chance.choice(corpus.functions[_arity(words, at + 1)])
        if _is_name(word):
            return chance.choice(_COLUMNS)
        return None

    def _place(self, words: Sequence[str]) -> tuple[int, int] | None:
        places = [*segments(words)]
        return self._chance.choice(places) if places else None

    def _other_argument(self, words: list[str]) -> list[str] | None:
        if (place := self._place(words)) is None:
            return None
        return [*words[: place[0]], self._chance.choice(self._corpus.arguments), *words[place[1] :]]

    def _one_more(self, words: list[str]) -> list[str] | None:
        if (place := self._place(words)) is None:
            return None
        other = self._chance.choice(self._corpus.arguments)
        return [*words[: place[1]], ", ", other, *words[place[1] :]]

    def _one_fewer(self, words: list[str]) -> list[str] | None:
        if (place := self._place(words)) is None:
            return None
        first = place[0] - 1 if words[place[0] - 1] == "," else place[0]
        return [*words[:first], *words[place[1] :]]

    def _negated(self, words: list[str]) -> list[str] | None:
        if (place := self._place(words)) is None:
            return None
        text = "".join(words[place[0] : place[1]])
        before = self._chance.choice(["NOT ", "- ", "coalesce(NULL, ", "(", "nullif(NULL, "])
        after = ")" if before.endswith(("(", " ")) and "(" in before else ""
        return [*words[: place[0]], before, text, after, *words[place[1] :]]


def tree(sql: str) -> Node:
    """Return a statement as a tree, whose things between words and commas can be left out."""
    words = tokens(sql)
    units, after = _units(words, 0)
    return Node("rows", (*_clauses(units), "".join(words[after:])))


def _units(words: Sequence[str], at: int) -> tuple[list[Part], int]:
    """Return tokens and brackets up to a bracket that closes, or the end; and the place of that."""
    units: list[Part] = []
    while at < len(words) and words[at] not in _CLOSES:
        if words[at] in _OPENS:
            inner, last = _units(words, at + 1)
            units.append(Node("brackets", (words[at], *_clauses(inner), *words[last : last + 1])))
            at = last
        else:
            units.append(words[at])
        at += 1
    return units, at


def _clauses(units: Sequence[Part]) -> list[Part]:
    begins = [at for at, unit in enumerate(units) if str(unit).upper() in _CLAUSES]
    bounds = [*begins, len(units)]
    found = (
        Node("clause", tuple(_items(units[first:last])), "") for first, last in pairwise(bounds)
    )
    return [*_items(units[: bounds[0]]), *found]


def _items(units: Sequence[Part]) -> Iterator[Part]:
    """Yield words of SQL, and what stands between them and commas."""
    parts: list[Part] = []
    is_next = False
    for unit in (*units, ""):
        if not isinstance(unit, str) or not (unit in {"", ","} or unit.upper() in _KEYWORDS):
            parts.append(unit)
            continue
        if all(isinstance(part, str) and part.isspace() for part in parts):
            yield "," * is_next + "".join(map(spelled, parts))
        else:
            spaces = parts.pop() if isinstance(parts[-1], str) and parts[-1].isspace() else ""
            item = Node("item", tuple(parts), "NULL")
            yield Node("more", (",", item), "") if is_next else item
            yield spaces
        parts, is_next = [], unit == ","
        if not is_next:
            yield unit
