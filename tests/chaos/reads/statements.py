"""Statements of several shapes, each over HTTP and over the wire: IN, ranges, windows, joins, …."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.judging import Asked, Epochs, Folded, all_keys, all_of, keys
from tests.chaos.ledger import Id, Ledger, Row, part_of
from tests.chaos.producing import KEYS, PARTITIONS_MAX
from tests.chaos.reads.asking import LostError, RefusedError, by_partition, clause, merged, token
from tests.chaos.reads.reader import Reader, Turn
from tests.chaos.reads.rows import rows_of
from tests.chaos.shapes import Shape, window_condition

_IN_MAX = 6
_WINDOWS_MS = 40_000
"""How far back windows are asked for."""

Rows = Sequence[Sequence[Any]]
Shapes = Callable[[str], Shape]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The rows of one store in an answer."""

    store: str
    asked: Asked
    rows: Mapping[Any, Any]
    folded: Folded | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A statement, and what its rows are of."""

    sql: str
    given: tuple[Any, ...] = ()
    stores: tuple[str, ...]
    is_snapshot: bool = False
    is_one_key: bool = False
    """Whether one partition answers."""
    parts: Callable[[Rows], list[Part]]
    """Returns what an answer tells of each store."""

    def epochs(self, *, are_same: bool) -> Epochs:
        """Return how the rows relate to the position.

        Args:
            are_same: whether the answer says that all partitions of each store were read at one
                epoch.
        """
        is_cut = self.is_snapshot or self.is_one_key or are_same
        if not is_cut:
            return Epochs.SEVERAL
        return Epochs.SAME if len(self.stores) == 1 else Epochs.ONE


def any_key(chance: random.Random) -> str:
    """Draw a key."""
    return f"p{chance.randrange(PARTITIONS_MAX)}k{chance.randrange(KEYS)}"


def _of_keys(at: Turn, shape: Shape, *asked: str) -> Callable[[Rows], list[Part]]:
    """Return the reader of rows of keys, or of all their windows."""

    def windows(ledger: Ledger) -> list[tuple[str, int]]:
        return ledger.windows(asked)

    is_windowed = at.store == "windows"
    scope: Asked = windows if is_windowed else keys(*asked)
    return lambda rows: [
        Part(store=at.store, asked=scope, rows=rows_of(rows, windowed=is_windowed))
    ]


def in_list(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Ask for several keys by IN."""
    drawn = {any_key(chance) for _ in range(chance.randrange(1, _IN_MAX))}
    asked = sorted(drawn | ({at.key.key} if at.key is not None else set()))
    pairs = ", ".join(f"(${2 * n + 1}, ${2 * n + 2})" for n in range(len(asked)))
    shape = shapes(at.store)
    return Form(
        sql=f"{shape.rows(at.store)} WHERE (key, part) IN ({pairs})",
        given=tuple(each for key in asked for each in (key, part_of(key))),
        stores=(at.store,),
        parts=_of_keys(at, shape, *asked),
    )


def key_range(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Ask for the keys of a part between two."""
    low, high = sorted((any_key(chance), any_key(chance) + "~"))  # an empty range reads nothing
    part = chance.randrange(5)
    if at.key is not None and at.least:
        low, high, part = at.key.key[:2], at.key.key + "~", part_of(at.key.key)

    def within(ledger: Ledger) -> list[Id]:
        found = [key for key in ledger.known() if part_of(key) == part and low <= key < high]
        return [*ledger.windows(found)] if at.store == "windows" else [*found]

    sql = f"{shapes(at.store).rows(at.store)} WHERE part = $1 AND key >= $2 AND key < $3"
    is_windowed = at.store == "windows"
    return Form(
        sql=sql,
        given=(part, low, high),
        stores=(at.store,),
        parts=lambda rows: [
            Part(store=at.store, asked=within, rows=rows_of(rows, windowed=is_windowed))
        ],
    )


def windows(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Ask for the last windows of a key."""
    key = any_key(chance) if at.key is None else at.key.key
    since_ms = 0
    if at.key is not None:
        since_ms = at.key.at_ms - chance.randrange(_WINDOWS_MS)

    def asked(ledger: Ledger) -> list[tuple[str, int]]:
        return [each for each in ledger.windows([key]) if each[1] >= since_ms]

    sql = (
        f"{shapes('windows').rows('windows')}{window_condition(since_ms)} "
        "AND key = $1 AND part = $2"
    )
    return Form(
        sql=sql,
        given=(key, part_of(key)),
        stores=("windows",),
        is_one_key=True,
        parts=lambda rows: [Part(store="windows", asked=asked, rows=rows_of(rows, windowed=True))],
    )


def summed(rows: Mapping[Id, Row]) -> Mapping[int, tuple[int, ...]]:
    """Return part → how many keys, and the sums over them."""
    sums: dict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for of, (n, amount) in rows.items():
        found = sums[part_of(of if isinstance(of, str) else of[0])]
        for place, more in enumerate((1, n, amount)):
            found[place] += more
    return {part: tuple(found) for part, found in sums.items()}


def sums_of(rows: Rows) -> dict[int, tuple[int, ...]]:
    """Return part → how many keys and the sums, as a statement gives them."""
    return {int(part): tuple(map(int, more)) for part, *more in rows}


def composed(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Ask for sums by part."""

    def parts(rows: Rows) -> list[Part]:
        found = sums_of(rows)
        return [Part(store=at.store, asked=all_of(at.store), rows=found, folded=summed)]

    return Form(
        sql=shapes(at.store).sums(at.store),
        stores=(at.store,),
        is_snapshot=True,
        parts=parts,
    )


def joined(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Ask for the rows of two stores with the same key, all of one epoch of each."""
    left, right = shapes("totals"), shapes("latest")
    sides = ", ".join(
        f"{side}.{name}" for side, s in (("t", left), ("l", right)) for name in (s.n, s.amount)
    )
    met = "l.key = t.key AND l.part = t.part"
    sql = f"SELECT t.key, {sides} FROM totals t LEFT JOIN latest l ON {met}"

    def parts(rows: Rows) -> list[Part]:
        ours = rows_of([row[:3] for row in rows])
        others = rows_of([(row[0], *row[3:]) for row in rows if row[3] is not None])
        met = keys(*map(str, ours))
        return [
            Part(store="totals", asked=all_keys, rows=ours),
            Part(store="latest", asked=met, rows=others),
        ]

    return Form(sql=sql, stores=("totals", "latest"), is_snapshot=True, parts=parts)


def joined_with_itself(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Ask for the rows of a store twice, by a join: both are of the same epoch."""
    shape = shapes(at.store)
    a, b = shape.n, shape.amount
    sql = (
        f"SELECT x.key, x.{a}, y.{b} FROM {at.store} x JOIN {at.store} y "
        "ON x.key = y.key AND x.part = y.part"
    )
    return Form(
        sql=sql,
        stores=(at.store,),
        is_snapshot=True,
        parts=lambda rows: [Part(store=at.store, asked=all_keys, rows=rows_of(rows))],
    )


def joined_by_key(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Ask for the rows of a key in two stores, each of any epoch."""
    key = any_key(chance) if at.key is None else at.key.key
    form = joined(at, shapes, chance)

    def parts(rows: Rows) -> list[Part]:
        found = form.parts(rows)
        return [
            Part(store="totals", asked=keys(key), rows=found[0].rows),
            Part(store="latest", asked=found[1].asked, rows=found[1].rows),
        ]

    return Form(
        sql=f"{form.sql} WHERE t.key = $1 AND t.part = $2",
        given=(key, part_of(key)),
        stores=form.stores,
        parts=parts,
    )


def any_join(at: Turn, shapes: Shapes, chance: random.Random) -> Form:
    """Draw a kind of join."""
    if chance.random() < 0.4 and at.store != "windows":
        return joined_with_itself(at, shapes, chance)
    return (joined if chance.random() < 0.6 else joined_by_key)(at, shapes, chance)


FORMS: Mapping[str, Callable[[Turn, Shapes, random.Random], Form]] = {
    "IN": in_list,
    "ranges": key_range,
    "windows": windows,
    "composed": composed,
    "joins": any_join,
}
"""Mode → what draws its statement."""


@dataclass(slots=True, kw_only=True)
class StatementReader(Reader):
    """Asks statements of one shape."""

    def form(self, at: Turn) -> Form:
        """Draw the statement; the turn is then of its first store."""
        form = FORMS[self.kind](at, self.shape, self.chance)
        if at.store != form.stores[0]:
            at.store = form.stores[0]
            at.shape, at.floor = self.shape(at.store), at.gateway.floor.get(at.store, {})
            at.made_anew = self.answers.changes.made_anew(at.store)
        at.others = form.stores[1:]
        return form

    def tell(
        self,
        at: Turn,
        form: Form,
        rows: Rows,
        position: Mapping[int, int],
        least: Mapping[int, int],
        *,
        are_same: bool,
    ) -> None:
        """Add what an answer says of each store."""
        epochs = form.epochs(are_same=are_same)
        for part in form.parts(rows):
            self.add(
                at,
                part.rows,
                position,
                asked=part.asked,
                least=least,
                epochs=epochs,
                store=part.store,
                is_own=len(form.stores) == 1,
                folded=part.folded,
            )


def epochs_of(told: Mapping[str, Any]) -> dict[str, set[int]]:
    """Return the epochs at which an answer says that each store was read."""
    found: dict[str, set[int]] = defaultdict(set)
    for each in told["partitions"]:
        found[each["store"]].add(each["epoch"])
    return found


@dataclass(slots=True, kw_only=True)
class HttpStatements(StatementReader):
    """Asks over HTTP, in a session that goes on at other gateways."""

    def read(self, at: Turn) -> None:
        """Ask by POST."""
        form, least = self.form(at), merged(at.least, self.session(at))
        asked: dict[str, Any] = {"sql": form.sql, "params": form.given, "wait_ms": at.wait_ms}
        if least:
            asked["bound"] = token(least)
        if form.is_snapshot:
            asked["consistency"] = "snapshot"
        told = self.http.post(at.gateway, "/v1/query", asked)
        position, epochs = by_partition(told["position"]), epochs_of(told)
        are_same = bool(epochs) and all(len(each) == 1 for each in epochs.values())
        if form.is_snapshot and not are_same:
            self.answers.violate("a snapshot says that it is of several epochs", f"{epochs}: {at}")
        self.tell(at, form, told["rows"], position, least, are_same=are_same)
        self.reached(at, position)


@dataclass(slots=True, kw_only=True)
class WireStatements(StatementReader):
    """Asks over the wire, in a monotonic session."""

    def drop(self, error: RefusedError | LostError) -> None:
        """Mostly begin another session: its stores need not all be as far as one of them."""
        if self.chance.random() < 0.7:
            self.wire.close()

    def read(self, at: Turn) -> None:
        """Ask, and then where the session is."""
        form = self.form(at)
        with self.wire.asking(at.gateway) as connection:
            least = merged(at.least, self.wire.session)
            is_bound = at.least or form.is_snapshot
            end = clause(
                least if is_bound else {}, is_snapshot=form.is_snapshot, wait_ms=at.wait_ms
            )
            rows = connection.execute((form.sql + end).encode(), form.given).fetchall()
            position = self.wire.position(connection)
        self.tell(at, form, rows, position, least, are_same=False)
        self.wire.session = position
