"""The names that a statement may use: relations, functions and their results."""

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
    """The names of one database, the stores or the catalog; no other name exists."""

    resolve: Callable[[exp.Table], Relation]
    """Returns the relation of a table in FROM, or raises UnknownNameError."""
    functions: Container[str] = FUNCTIONS
    table_functions: Container[str] = TABLE_FUNCTIONS
    """Functions that are allowed in FROM."""
    results: Mapping[str, DataType] = field(default_factory=lambda: RESULTS)
    """Result types of functions that do not depend on the arguments."""
    schemas: frozenset[str] = frozenset({"pg_catalog"})
    """Schemas whose functions can be called by a qualified name."""
    arguments: Mapping[str, tuple[DataType, ...]] = field(default_factory=dict)
    """Types that functions require of parameters, where it is not text."""
    hidden: frozenset[str]
    """Columns that `*` leaves out."""


def of_stores(catalog: StoreCatalog) -> Vocabulary:
    """Return the names that statements over stores may use."""
    return Vocabulary(
        resolve=lambda table: resolve(table, catalog),
        hidden=frozenset(column.name for column in PSEUDO_COLUMNS),
    )
