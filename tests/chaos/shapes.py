"""The columns of the stores of a chaos run, which rebuilds and the pipeline change meanwhile.

A count or number is `n`, or `n1` to `n9`; a sum or amount is `amount`, or `amount1` to `amount9`.
`extra1` and so on are their sum, or NULL in rows from before the column was added.
"""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass

from stategate.stores.log.state_log import StoreLog
from stategate.stores.spec.schema import StoreSchema
from tests.chaos.ledger import WINDOWED

_NAMES_MAX = 9
_PARTITIONS_MAX = 4
EXTRAS_MAX = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The names of the value columns of a store, and the order of its key."""

    n: str = "n"
    amount: str = "amount"
    extras: tuple[str, ...] = ()
    is_turned: bool = False
    """Whether the key begins with its second column."""

    @staticmethod
    def of(columns: Iterable[str]) -> Shape:
        """Return the names among all columns of a relation."""
        columns = list(columns)
        found = {re.sub(r"\d+$", "", name): name for name in columns}
        extras = tuple(sorted(name for name in columns if name.startswith("extra")))
        is_turned = "part" in columns and columns.index("part") < columns.index("key")
        return Shape(n=found["n"], amount=found["amount"], extras=extras, is_turned=is_turned)

    def selected(self, store: str) -> str:
        """Return SQL for the rows of a store by key, with what `checked` checks."""
        if store == "windows":
            # Rows of one key are summed here, so extra columns are checked here, too.
            sums = [f"CAST(sum({name}) AS bigint)" for name in (self.n, self.amount)]
            sound = [
                f"bool_and(coalesce({e} = {self.n} + {self.amount}, true))" for e in self.extras
            ]
            return f"SELECT {', '.join(['key', *sums, *sound])} FROM windows"
        return f"SELECT {', '.join(['key', self.n, self.amount, *self.extras])} FROM {store}"

    def rows(self, store: str) -> str:
        """Return SQL for the rows of a store: key, the begin of the window in milliseconds, …."""
        window = ["(extract(epoch FROM window_start) * 1000)::bigint"] if store == "windows" else []
        return (
            f"SELECT {', '.join(['key', *window, self.n, self.amount, *self.extras])} FROM {store}"
        )

    def sums(self, store: str) -> str:
        """Return SQL for how many rows a store has for each part, and the sums over them."""
        sums = ", ".join(f"CAST(sum({name}) AS bigint)" for name in (self.n, self.amount))
        return f"SELECT part, count(*), {sums} FROM {store} GROUP BY part"

    def all_rows(self, store: str) -> str:
        """Return SQL for all rows of a store: key, window in milliseconds, count, sum."""
        window = ("window_start", "window_end") if store in WINDOWED else ()
        ends = [f"(extract(epoch FROM {name}) * 1000)::bigint" for name in window]
        return f"SELECT {', '.join(['key', *ends, self.n, self.amount])} FROM {store}"


def window_condition(since_ms: int) -> str:
    """Return SQL for the windows that begin then or later."""
    begin = dt.datetime.fromtimestamp(since_ms / 1_000, dt.UTC)
    return f" WHERE window_start >= timestamptz '{begin}'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a definition: the options of `stategate rebuild`."""

    options: tuple[str, ...]
    dropped: frozenset[str]


def drawn_change(schema: StoreSchema, chance: random.Random) -> Change:
    """Draw a change of a definition, of one to three parts."""
    shape = Shape.of(column.name for column in schema.value)
    options: list[str] = []
    dropped: frozenset[str] = frozenset()
    parts = ["rename", "partitions", "key", *(["drop"] * 2 if shape.extras else [])]
    for part in {*chance.choices(parts, k=3)}:
        if part == "rename":
            old = chance.choice([shape.n, shape.amount])
            stem = re.sub(r"\d+$", "", old)
            names = {stem, *(f"{stem}{number}" for number in range(1, _NAMES_MAX + 1))}
            options += ["--rename", f"{old}:{chance.choice(sorted(names - {old}))}"]
        elif part == "partitions":
            counts = {*range(1, _PARTITIONS_MAX + 1)} - {schema.partitions}
            options += ["--partitions", str(chance.choice(sorted(counts)))]
        elif part == "key":
            for column in reversed(schema.key):
                options += ["--key", column.name]
        else:
            dropped = frozenset({chance.choice(shape.extras)})
            options += ["--drop", *dropped]
    return Change(options=tuple(options), dropped=dropped)


def definition(root: str, store: str) -> StoreSchema | None:
    """Return the definition of a store; None before its first one."""
    log = StoreLog.open(root, store)
    return log.schema() if log.defined() else None
