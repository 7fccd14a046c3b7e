"""Conversations of a client: transactions, settings, cursors, prepared statements, COPY, locks.

A conversation is a list of steps in one or two sessions. Names of cursors, statements and
savepoints are drawn from a few, so that steps meet those that are there, and those that are not.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.fuzz.grammar import commands
from tests.fuzz.grammar.commands import words
from tests.fuzz.grammar.constants import CONSTANTS
from tests.fuzz.grammar.forms import ONE_FORM
from tests.fuzz.grammar.statements import Statements
from tests.fuzz.tree import Literal, Node, literals, parametrized, spelled
from tests.fuzz.world import STORES

NAMES = ("c", "p", '"Q c"')
PORTALS = ("c", "p", "Q c")
"""The names as messages of the wire have them."""
_TYPES = tuple(sorted(ONE_FORM))
"""Types whose values have one text: COPY is compared as text."""


_WORDS = re.compile(r"E?'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[A-Za-z_][\w$]*|[0-9][\w.]*|\S")
_OTHER_WORDS = (
    *("(", ")", ",", "ALL", "1", "1.5", "'x'", '"x"', "=", ".", "*", "-", "WITH", "x", "table"),
    *("left", "time", "TO", "IN", "AS", "DEFAULT", "NULL", "true", "SESSION", "LOCAL"),
)
"""Words that mostly do not fit where they come to stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a client sends, and how."""

    sql: str
    """Statements; or the name of a prepared statement or a cursor."""
    way: str = "simple"
    """`simple`, `extended`, `prepare`, `run`, `describe` (a statement) or `portal` (a cursor)."""
    values: tuple[str | None, ...] = ()
    name: str = ""
    """The name that `prepare` gives."""
    session: int = 0
    is_damaged: bool = False
    ordered: bool = True
    """Whether the order of rows is determined."""


@dataclass(slots=True)
class _Prepared:
    """A statement that was prepared, and the types of its parameters."""

    name: str
    types: tuple[str, ...]


@dataclass(slots=True)
class Conversations:
    """Draws conversations.

    Args:
        chance: the source of all choices.
        length: the maximum number of steps.
    """

    chance: random.Random
    length: int = 12
    statements: Statements = field(init=False)
    _prepared: list[_Prepared] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.statements = Statements(self.chance, depth=2)

    def draw(self) -> list[Step]:
        """Draw the steps of a conversation."""
        subjects = self.chance.sample([*self._subjects()], self.chance.randint(1, 3))
        found: list[Step] = []
        if self.may(0.5):
            found.append(Step(sql=commands.begin(self.chance)))
        for _ in range(self.chance.randint(2, self.length)):
            drawn = self.chance.choice([*subjects, *subjects, self._select, self._transaction])()
            found.append(self._damaged(drawn) if self.may(0.06) else drawn)
        return self._together(found)

    def may(self, likely: float) -> bool:
        """Decide."""
        return self.chance.random() < likely

    def _subjects(self) -> Sequence[Callable[[], Step]]:
        return (
            *(self._cursor, self._cursor, self._statement, self._statement, self._setting),
            *(self._setting, self._copy, self._lock, self._transaction, self._listing),
        )

    def _together(self, steps: Sequence[Step]) -> list[Step]:
        """Send some neighbours as one text."""
        found: list[Step] = []
        for step in steps:
            last = found[-1] if found else None
            is_simple = last is not None and last.way == step.way == "simple"
            same = last is not None and last.session == step.session
            if last is not None and is_simple and same and self._fit(last, step):
                ordered = last.ordered and step.ordered
                found[-1] = Step(sql=f"{last.sql}; {step.sql}", ordered=ordered)
            else:
                found.append(step)
        return found

    def _fit(self, one: Step, other: Step) -> bool:
        """Whether to send two steps as one text.

        PostgreSQL parses all of it first. SET TRANSACTION has no effect in such a text here.
        """
        is_alone = any("COPY" in e.sql or "SET TRANS" in e.sql.upper() for e in (one, other))
        return not (is_alone or one.is_damaged or other.is_damaged) and self.may(0.12)

    def _damaged(self, step: Step) -> Step:
        """Leave out, repeat, add or exchange a word of a command, so that it is mostly none."""
        parts = _WORDS.findall(step.sql)
        if step.way != "simple" or "SELECT" in step.sql.upper() or not parts:
            return step
        at, other = (self.chance.randrange(len(parts)) for _ in range(2))
        match self.chance.randrange(6):
            case 0:
                del parts[at]
            case 1:
                parts.insert(at, parts[at])
            case 2:
                parts[at] = self.chance.choice(_OTHER_WORDS)
            case 3:
                parts.insert(at, self.chance.choice(_OTHER_WORDS))
            case 4:
                parts[at], parts[other] = parts[other], parts[at]
            case _:
                parts = parts[: at + 1]
        text = " ".join(parts)
        # Damage must not make it write to files of the server.
        is_copy = "STDOUT" in step.sql and "STDOUT" not in text
        return step if is_copy else Step(sql=text, is_damaged=True)

    # Queries

    def _query(self, *, sorts: Sequence[str] | None = None) -> Node:
        """Draw a query whose rows have a determined order."""
        sorts = sorts or [self.chance.choice(_TYPES) for _ in range(self.chance.randint(1, 3))]
        inner = self.statements.query(sorts, 1, None)
        del self.statements.tables[:]
        listed = ", ".join(
            f"{at + 1}{self.chance.choice(['', ' DESC'])}" for at in range(len(sorts))
        )
        columns = ", ".join(f"x{at}" for at in range(len(sorts)))
        tail = f") AS q ({columns}) ORDER BY {listed}"
        if self.may(0.4):
            tail += f" LIMIT {self.chance.randint(0, 5)}"
        return Node("rows", ("SELECT * FROM (", inner, tail))

    def _select(self) -> Step:
        texts = ("SELECT 1 / 0", "SELECT nothing", "", "VALUES (1), (2) ORDER BY 1")
        if self.may(0.25):
            return self._sent(self.chance.choice(texts))
        query = self._query()
        if self.may(0.4):
            sql, values = parametrized(query)
            return Step(sql=sql, way="extended", values=values)
        return self._sent(spelled(query))

    def _sent(self, sql: str, *, ordered: bool = True) -> Step:
        way = "extended" if self.may(0.25) and ";" not in sql else "simple"
        return Step(sql=sql, way=way, ordered=ordered)

    # Subjects

    def _transaction(self) -> Step:
        return self._sent(commands.transaction(self.chance, NAMES))

    def _setting(self) -> Step:
        return self._sent(commands.setting(self.chance))

    def _cursor(self) -> Step:
        name = self.chance.choice(NAMES)
        if self.may(0.08):
            return Step(sql=self.chance.choice(PORTALS), way="portal")
        if self.may(0.3):
            query = self._query()
            if self.may(0.2):
                sql, values = parametrized(query)
                head = commands.declare(self.chance, name, binary=False)
                return Step(sql=f"{head} {sql}", way="extended", values=values)
            head = commands.declare(self.chance, name, binary=self.may(0.1))
            return self._sent(f"{head} {spelled(query)}")
        if self.may(0.15):
            return self._sent(f"CLOSE {self.chance.choice(['ALL', name, name])}")
        return self._sent(commands.fetch(self.chance, name))

    def _statement(self) -> Step:
        drawn = self.chance.random()
        if drawn < 0.35 or not self._prepared:
            return self._prepare()
        known = self.chance.choice(self._prepared)
        if drawn < 0.45:
            name = self.chance.choice(["ALL", "PREPARE ALL", known.name, f"PREPARE {known.name}"])
            return self._sent(f"DEALLOCATE {name}")
        if drawn < 0.55:
            return Step(sql=_message_name(known.name), way="describe")
        values = [self._constant(sort) for sort in known.types]
        if drawn < 0.7:
            texts = tuple(value.text if value is not None else None for value in values)
            return Step(sql=_message_name(known.name), way="run", values=texts)
        if self.may(0.05):
            values = values[1:] or [self._constant("integer")]
        listed = ", ".join(self._argument(value) for value in values)
        arguments = f"({listed})" if values or self.may(0.1) else ""
        explain = "EXPLAIN (COSTS OFF) " if self.may(0.05) else ""
        return Step(sql=f"{explain}EXECUTE {known.name} {arguments}".strip())

    def _prepare(self) -> Step:
        query = self._query()
        sql, _ = parametrized(query)
        types = tuple(each.type for each in literals(query))
        if not CONSTANTS.keys() >= set(types):
            return self._sent(spelled(query))
        name = self.chance.choice(NAMES)
        self._prepared = [each for each in self._prepared if each.name != name]
        self._prepared.append(_Prepared(name, types))
        if self.may(0.3):
            return Step(sql=sql, way="prepare", name=_message_name(name))
        declared: Sequence[str] = types
        if self.may(0.3):
            # Fewer types than parameters, or unknown ones, are found by the statement.
            declared = [self.chance.choice([each, "unknown"]) for each in types]
            declared = declared[: self.chance.randint(0, len(declared))]
        listed = f" ({', '.join(declared)})" if declared else ""
        return Step(sql=f"PREPARE {name}{listed} AS {sql}")

    def _constant(self, sort: str) -> Literal | None:
        found = self.statements.expressions.constant(sort)
        return None if self.may(0.1) else next(iter(literals(found)), None)

    def _argument(self, value: Literal | None) -> str:
        if value is None:
            return "NULL"
        quoted = "'" + value.text.replace("'", "''") + "'"
        return self.chance.choice([value.sql, f"{quoted}", f"({value.sql})"])

    def _copy(self) -> Step:
        if self.may(0.4):
            store = self.chance.choice([store for store in STORES if store.name != "samples"])
            typed = [c for c in store.columns if str(c.type) in ONE_FORM]
            picked = self.chance.sample(typed, self.chance.randint(1, len(typed)))
            listed = ", ".join(f'"{column.name}"' for column in picked)
            source, ordered = f"{store.name} ({listed})", False
            if self.may(0.1):
                source = f"public.{source}"
        else:
            source, ordered = f"({spelled(self._query())})", True
        return Step(sql=f"COPY {source} {commands.copy_tail(self.chance)}", ordered=ordered)

    def _lock(self) -> Step:
        if self.may(0.3):
            return self._sent(commands.lock_table(self.chance))
        session = self.chance.choice([0, 0, 1])
        return Step(sql=commands.advisory(self.chance, waits=False), session=session)

    def _listing(self) -> Step:
        """Draw a query of what the session has; or a command that ends much of it."""
        queries = (
            "SELECT name, statement, from_sql FROM pg_prepared_statements ORDER BY name",
            "SELECT name, parameter_types::text FROM pg_prepared_statements ORDER BY 1",
            "SELECT name, is_holdable, is_binary, is_scrollable FROM pg_cursors ORDER BY name",
            "SELECT mode, granted FROM pg_locks WHERE locktype = 'advisory' ORDER BY 1, 2",
        )
        if self.may(0.4):
            return self._sent(self.chance.choice(queries))
        what = self.chance.choice(["ALL", "PLANS", "SEQUENCES", "TEMP", "TEMPORARY"])
        channel = self.chance.choice(["x", '"X y"'])
        texts = [f"DISCARD {what}", f"LISTEN {channel}", f"UNLISTEN {channel}", "UNLISTEN *"]
        return self._sent(words(self.chance, texts))


def _message_name(name: str) -> str:
    """Return a name of SQL as messages of the wire have it."""
    return name.strip('"')
