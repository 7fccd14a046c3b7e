"""The stores of the fuzz on three nodes, the engines over them, and their rows in plain Python."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from stategate.planner.sql import EngineLimits, LiveLimits, SqlEngine
from stategate.planner.typed import TypedQueries
from stategate.stores.spec.arrow import physical_list
from stategate.stores.spec.schema import Row, StoreSchema
from tests.fuzz.ways.versions import PRICES, Versions
from tests.fuzz.world import ROWS, STORES
from tests.planner.live.nodes import LiveNodes
from tests.planner.spark.test_spark_query import NoSpark
from tests.support.gateway import table_of
from tests.support.stores import FixedCatalog

LOST = ("b", "c")
"""The nodes that may be lost."""
_TIMES_US = (None, 0, -1_000, 86_400_000_000)


class World:
    """The stores on three nodes, and the engines over them."""

    def __init__(self) -> None:
        self.schemas = {schema.name: schema for schema in (*STORES, PRICES)}
        self.nodes = LiveNodes([*self.schemas.values()])
        self.epoch = 0
        self.rows = {schema.name: physical(schema) for schema in STORES}
        self.facts: dict[str, dict[Row, tuple[int | None, int]]] = {n: {} for n in self.schemas}
        """The event time and the epoch of each row by its key, also of rows that are gone."""
        chance = random.Random(0)
        for name, rows in self.rows.items():
            self._apply(name, rows, {}, chance)
        self.versions = Versions()
        self._change_prices(chance)
        live, catalog = LiveLimits(linger_s=0), self.nodes.cluster()
        self.here = SqlEngine(catalog, live=live, node="a")
        whole = FixedCatalog(*self.nodes.whole.values())
        self.judge = SqlEngine(whole, limits=EngineLimits(few_rows=False))
        self.alone = SqlEngine(whole)
        self.spark = SqlEngine(whole, spark=NoSpark())
        self.named = {"nodes": TypedQueries(catalog, node="a"), "alone": TypedQueries(whole)}
        """Queries by name, on one of the nodes and over all partitions."""

    def change(self, chance: random.Random) -> None:
        """Apply an epoch to all stores, in which some rows change, come and go."""
        self.epoch += 1
        for schema in STORES:
            name = schema.name
            changed, gone = changes(schema, self.rows[name], chance)
            self.rows[name] = {
                key: row for key, row in {**self.rows[name], **changed}.items() if key not in gone
            }
            self._apply(name, changed, gone, chance)
        self._change_prices(chance)

    def _apply(
        self,
        name: str,
        changed: Mapping[Row, Row],
        gone: Mapping[Row, Row],
        chance: random.Random,
    ) -> None:
        """Apply an epoch to a store; rows have event times, or none."""
        times = {key: chance.choice(_TIMES_US) for key in (*gone, *changed)}
        self.facts[name] |= {key: (time, self.epoch) for key, time in times.items()}
        listed = [*times.values()]
        rows, lost = [*changed.values()], [*gone.values()]
        self.nodes.apply(name, rows, self.epoch, lost, times_us=listed)

    def _change_prices(self, chance: random.Random) -> None:
        rows, times, gone = self.versions.drawn(chance, self.epoch)
        self.nodes.apply(PRICES.name, rows, self.epoch, gone, times_us=times)
        self.facts[PRICES.name] = self.versions.facts()

    def rows_of(self, store: str) -> list[Row]:
        """Return the rows of a store, as `*` gives them."""
        return self.versions.rows() if store == PRICES.name else [*self.rows[store].values()]

    @contextmanager
    def without(self, *lost: str) -> Iterator[None]:
        """Lose some nodes meanwhile."""
        for name in lost:
            self.nodes.lose(name)
        try:
            yield
        finally:
            for name in lost:
                self.nodes.bring_back(name)

    def close(self) -> None:
        """End the engines."""
        for engine in (self.here, self.judge, self.alone, self.spark):
            engine.close()
        self.nodes.close()


@contextmanager
def world() -> Iterator[World]:
    """Open the stores and the engines."""
    made = World()
    try:
        yield made
    finally:
        made.close()


def physical(schema: StoreSchema) -> dict[Row, Row]:
    """Return the first rows of a store by key, with physical values."""
    table = table_of(schema, list(ROWS[schema.name])).combine_chunks()
    listed = [
        physical_list(table.column(column.name).combine_chunks(), column.type)
        for column in schema.columns
    ]
    key = len(schema.key) + len(schema.time_columns)
    return {row[:key]: row for row in zip(*listed, strict=True)}


def changes(
    schema: StoreSchema, rows: Mapping[Row, Row], chance: random.Random
) -> tuple[dict[Row, Row], dict[Row, Row]]:
    """Draw the rows that change in an epoch, and those that go, by key."""
    first = physical(schema)
    others = [*first.values()]
    width = len(schema.columns) - len(schema.value)
    gone: dict[Row, Row] = {}
    changed: dict[Row, Row] = {}
    for key, row in first.items():
        drawn = chance.random()
        if drawn < 0.05 and key in rows:
            gone[key] = rows[key]
        elif drawn < 0.2:
            changed[key] = (*row[:width], *chance.choice(others)[width:])
    return changed, gone
