"""What a statement may name: relations, functions, and what these give."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from planner.binding.relations import Relation, resolve
from planner.postgres.refused import TABLE_FUNCTIONS
from planner.postgres.types.functions import FUNCTIONS, RESULTS
from stores.spec.schema import PSEUDO_COLUMNS, DataType
from stores.spec.store import StoreCatalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The names of one database: the stores, or the catalog. What is in no list does not exist."""

    resolve: Callable[[exp.Table], Relation]
    """The relation that a table in FROM is; it raises UnknownNameError if there is none."""
    functions: Container[str] = FUNCTIONS
    table_functions: Container[str] = TABLE_FUNCTIONS
    """Functions that may stand in FROM."""
    results: Mapping[str, DataType] = field(default_factory=lambda: RESULTS)
    """What functions give, whatever they are given."""
    schemas: frozenset[str] = frozenset({"pg_catalog"})
    """Schemas whose functions can be called by a qualified name."""
    arguments: Mapping[str, tuple[DataType, ...]] = field(default_factory=dict)
    """What functions ask of parameters among their arguments, where it is not text."""
    hidden: frozenset[str]
    """Columns that are not in `*`."""


def of_stores(catalog: StoreCatalog) -> Vocabulary:
    """What statements over stores may name."""
    return Vocabulary(
        resolve=lambda table: resolve(table, catalog),
        hidden=frozenset(column.name for column in PSEUDO_COLUMNS),
    )
