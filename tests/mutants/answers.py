"""The statements that mutants must answer as the planner does: the corpus, and a short fuzz."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from stategate.planner.sql import SqlEngine
from stategate.stores.spec.arrow import physical_list
from tests.fuzz.grammar.statements import Statements
from tests.fuzz.tree import spelled
from tests.fuzz.world import ROWS, STORES
from tests.mutants.asked import BULK, CORPUS, FUZZ, Asked
from tests.planner.postgres import world
from tests.planner.postgres.compare import differences
from tests.planner.postgres.corpus import Answer, files, read
from tests.support.gateway import table_of
from tests.support.stores import FixedCatalog, fill, open_store


def corpus() -> Iterator[Asked]:
    """Yield the statements of the corpus; those that differ have our stated answer."""
    for path in files():
        for entry in read(path):
            answer = entry.ours if entry.reason is not None else entry.answer
            for kind in (CORPUS, BULK):
                yield Asked(kind=kind, sql=entry.sql, answer=answer, is_ordered=True)


def fuzzed(seed: int, count: int) -> Iterator[Asked]:
    """Yield statements of the fuzz; their answers are those of the planner without a change."""
    for number in range(count):
        case = Statements(random.Random(f"{seed}:select:{number}")).case()
        before = f"SET TimeZone = '{case.zone}'; " if case.zone != "UTC" else ""
        yield Asked(kind=FUZZ, sql=before + spelled(case.root), is_ordered=bool(case.ordered))


def _of_fuzz() -> SqlEngine:
    """Return an engine over the stores of the fuzz."""
    stores = []
    for schema in STORES:
        table = table_of(schema, ROWS[schema.name])
        columns = [physical_list(table[column.name], column.type) for column in schema.columns]
        store = open_store(schema)
        fill(store, list(zip(*columns, strict=True)))
        stores.append(store)
    return SqlEngine(FixedCatalog(*stores))


class Engines:
    """The engines of all kinds of statements, in this process."""

    def __init__(self) -> None:
        self._engines = {
            CORPUS: world.engine(),
            BULK: world.engine(few_rows=False),
            FUZZ: _of_fuzz(),
        }

    def answer(self, asked: Asked) -> Answer:
        """Run a statement."""
        found = world.ask(self._engines[asked.kind], asked.sql)
        if asked.is_ordered:
            return found
        return Answer(types=found.types, rows=tuple(sorted(found.rows)), error=found.error)

    def difference(self, asked: Asked) -> Sequence[str]:
        """Run a statement; return how its answer differs from the one that it must have."""
        found = self.answer(asked)
        if asked.answer is None or asked.kind == FUZZ:
            return [] if found == asked.answer else [f"{found} for {asked.answer}"]
        return differences(found, asked.answer)

    def close(self) -> None:
        """Close all engines."""
        for engine in self._engines.values():
            engine.close()
