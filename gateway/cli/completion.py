"""Completes what is typed into the shell: commands, stores, columns, functions and keywords."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

KEYWORDS = """
    SELECT FROM WHERE GROUP BY ORDER LIMIT HAVING JOIN LEFT ON AS AND OR NOT IN BETWEEN LIKE IS
    NULL DISTINCT CASE WHEN THEN ELSE END WITH EXPLAIN ANALYZE SHOW STORES
    DESCRIBE BOUND WAIT PARTITIONS ACTIVE PARTIAL INFO LATEST SNAPSHOT UNBOUNDED INTERVAL
""".split()  # noqa: SIM905 - as a list it would take one line for each word
EXPORTED = ("csv", "tsv", "json", "ndjson", "parquet", "arrow")
"""The formats of `\\export`."""

_WORD = re.compile(r'(?:\w+|"[^"]*"?)(?:\.\w*)?\Z|\\\w*\Z')
_BEFORE = re.compile(r"(\w+)\W*\Z")
_RELATION = frozenset({"from", "join", "describe", "into"})
"""Words before the name of a store."""
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


@dataclass(frozen=True, kw_only=True)
class Vocabulary:
    """The names that a gateway knows."""

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The columns of each store."""
    functions: Sequence[str] = ()


class StatementCompleter(Completer):
    """Completes the word before the cursor.

    Args:
        commands: the names of the shell's commands.
        vocabulary: returns the names of the gateway as of now.
    """

    def __init__(self, commands: Sequence[str], vocabulary: Callable[[], Vocabulary]) -> None:
        self._commands, self._vocabulary = commands, vocabulary

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterator[Completion]:
        """Yield what the word may become, the likeliest first."""
        del complete_event
        before = document.text_before_cursor
        found = _WORD.search(before)
        word = "" if found is None else found[0]
        for text, what in self._candidates(document.text, before[: len(before) - len(word)], word):
            yield Completion(text, start_position=-len(word), display_meta=what)

    def _candidates(self, text: str, before: str, word: str) -> Iterator[tuple[str, str]]:
        if not before.strip() and word.startswith("\\"):
            yield from _matching(word, self._commands, "command")
            return
        known = self._vocabulary()
        stores = {_quoted(name): name for name in known.columns}
        if before.startswith("\\d "):
            yield from _matching(word, known.columns, "store")
            return
        if before.startswith("\\"):
            return
        qualifier, dot, _ = word.rpartition(".")
        if dot:
            columns = known.columns.get(_folded(qualifier), ())
            yield from _matching(word, [f"{qualifier}.{_quoted(c)}" for c in columns], "column")
            return
        last = _BEFORE.search(before)
        if last is not None and last[1].lower() in _RELATION:
            yield from _matching(word, stores, "store")
            return
        named = [name for name in known.columns if re.search(rf"\b{re.escape(name)}\b", text)]
        columns = [_quoted(c) for name in named or known.columns for c in known.columns[name]]
        yield from _matching(word, dict.fromkeys(columns), "column")
        if word:
            yield from _matching(word, stores, "store")
            yield from _matching(word, [f"{name}(" for name in known.functions], "function")
        yield from _matching(word, [_cased(each, word) for each in KEYWORDS], "keyword")


def _matching(word: str, names: Iterable[str], what: str) -> Iterator[tuple[str, str]]:
    folded = word.lower()
    for name in names:
        if name.lower().startswith(folded) and name != word:
            yield name, what


def _cased(keyword: str, word: str) -> str:
    """Return a keyword as the user writes the others."""
    return keyword.lower() if word.islower() else keyword


def _quoted(name: str) -> str:
    """Return a name as it stands in a statement."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _folded(name: str) -> str:
    is_quoted = name.startswith('"')
    return name.strip('"').replace('""', '"') if is_quoted else name.lower()
