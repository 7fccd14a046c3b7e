"""Inferred types of expressions."""

from __future__ import annotations

import pytest

from stategate.planner.binding.bind import bind
from stategate.planner.binding.relations import vocabulary_of_stores
from stategate.planner.errors import QueryError
from stategate.planner.syntax.parse import parse
from stategate.stores.spec.catalog import StoreCatalog
from tests.planner.postgres.compare import _SAME_TYPES
from tests.planner.postgres.corpus import files, read, settings_before
from tests.planner.postgres.world import engine, postgres_name


@pytest.fixture(scope="module")
def catalog() -> StoreCatalog:
    made = engine()
    found = made._catalog
    made.close()
    return found


def test_inferred_types_are_those_of_postgresql(catalog: StoreCatalog) -> None:
    """No type is guessed: in the whole corpus, each inferred type is PostgreSQL's."""
    wrong, given = [], 0
    for path in files():
        for entry in read(path):
            if entry.answer.error is not None or entry.reason is not None:
                continue
            parsed = parse(settings_before(entry.sql)[1])
            if parsed.tree is None:
                continue  # SHOW
            try:
                found = bind(parsed.tree, parsed.clause, vocabulary_of_stores(catalog)).translate()
            except QueryError:
                continue  # a function of the catalog, which another database answers
            for ours, theirs in zip(found.types or (), entry.answer.types, strict=False):
                if ours is None:
                    continue
                given += 1
                wanted = _SAME_TYPES.get(theirs, theirs)
                if postgres_name(ours) != wanted:
                    wrong.append((entry.sql, postgres_name(ours), wanted))
    assert given > 700
    assert wrong == []
