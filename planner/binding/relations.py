"""The names that SQL can use: relations and functions.

Relations are the stores, and the gateway's own tables in schema `stategate`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field

from msgspec import Struct
from sqlglot import exp

from stategate.planner.errors import (
    NotSupportedError,
    StoreFailedError,
    UnavailableError,
    UnknownNameError,
)
from stategate.planner.postgres.refused import TABLE_FUNCTIONS
from stategate.planner.postgres.types.functions import FUNCTIONS, RESULTS
from stategate.planner.trees.nodes import position_of
from stategate.planner.values.partition_failures import RESTORING
from stategate.stores.errors import UnknownKindError, UnknownStoreError
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.schema import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    JSON,
    PSEUDO_COLUMNS,
    TEXT,
    TIMESTAMPTZ,
    VALID_FROM,
    WINDOW_END,
    WINDOW_START,
    Column,
    DataType,
    StoreKind,
    StoreSchema,
)


def _columns(**types: DataType) -> tuple[Column, ...]:
    return tuple(Column(name=name, type=data_type) for name, data_type in types.items())


SYSTEM_SCHEMA = "stategate"

SYSTEM_RELATIONS: Mapping[str, tuple[Column, ...]] = {
    "stores": _columns(
        name=TEXT,
        kind=TEXT,
        key=TEXT,
        columns=TEXT,
        partitions=INTEGER,
        inputs=TEXT,
        window_size_ms=BIGINT,
        retention_ms=BIGINT,
        by_event_time=BOOLEAN,
    ),
    "partitions": _columns(
        store=TEXT,
        partition=INTEGER,
        node=TEXT,
        role=TEXT,
        state=TEXT,
        epoch=BIGINT,
        position=JSON,
        watermark_ms=BIGINT,
        lag_ms=BIGINT,
        late_rows=BIGINT,
        error=TEXT,
    ),
    "nodes": _columns(
        node=TEXT,
        partitions=INTEGER,
        running=INTEGER,
        connected=BOOLEAN,
        leaving=BOOLEAN,
        zone=TEXT,
        weight=DOUBLE,
        version=TEXT,
        reply_ms=DOUBLE,
        problem=TEXT,
    ),
    "queries": _columns(
        number=BIGINT,
        username=TEXT,
        started=TIMESTAMPTZ,
        elapsed_ms=BIGINT,
        sql=TEXT,
        pid=INTEGER,
        state=TEXT,
    ),
    "slow_queries": _columns(
        number=BIGINT,
        username=TEXT,
        started=TIMESTAMPTZ,
        elapsed_ms=BIGINT,
        rows=BIGINT,
        sqlstate=TEXT,
        sql=TEXT,
    ),
    "settings": _columns(name=TEXT, value=TEXT, default_value=TEXT),
}
"""Relations of schema `stategate`, with their columns."""


class Relation(Struct, frozen=True, kw_only=True):
    """A relation: a store, or a table of the gateway."""

    name: str
    columns: tuple[Column, ...]
    """The columns of `*`."""
    store: StoreSchema | None = None
    """The store's schema; None for a system relation."""
    schema: str = "public"
    in_duckdb: tuple[str, str] | None = None
    """Schema and name in DuckDB, if DuckDB holds its rows."""
    oid: int = 0
    """`pg_class.oid` of a relation of PostgreSQL; the catalog numbers all others."""
    hidden: tuple[Column, ...] = ()
    """Further columns that can be named; stores list theirs in their schema."""

    @property
    def primary_key(self) -> tuple[str, ...]:
        """Return the columns by which a store's rows differ; nothing for other relations."""
        return () if self.store is None else primary_key_of(self.store)

    @property
    def cheapest(self) -> str:
        """Return the column that is read if none is needed."""
        return "_partition" if self.store is not None else self.columns[0].name

    @property
    def readable(self) -> Mapping[str, Column]:
        """Return all columns that a statement can name, by name."""
        if self.store is not None:
            return self.store.column_by_name
        return {column.name: column for column in (*self.columns, *self.hidden)}


_KEY_TIMES: Mapping[StoreKind, tuple[str, ...]] = {
    StoreKind.SESSION: (WINDOW_START.name, WINDOW_END.name),
    StoreKind.VERSIONED: (VALID_FROM.name,),
    StoreKind.WINDOW: (WINDOW_START.name,),
}
"""Columns that the primary key has after the key of a store."""


def primary_key_of(schema: StoreSchema) -> tuple[str, ...]:
    """Return the columns by which the rows of a store differ."""
    key = (column.name for column in schema.key)
    return (*key, *_KEY_TIMES.get(schema.kind, ()))


def relation_of(schema: StoreSchema) -> Relation:
    """Return a store as a relation."""
    return Relation(name=schema.name, columns=schema.columns, store=schema)


def resolve(table: exp.Table, catalog: StoreCatalog) -> Relation:
    """Return the relation that a table node names.

    Raises:
        UnknownNameError: the relation does not exist (42P01), or its schema does not (3F000).
        QueryError: as `require_missing`.
    """
    name, schema = identifier(table.this), table.db.lower() if table.db else ""
    position = table.this.meta.get("start", -1) + 1 or None
    if schema == "stategate":
        if (columns := SYSTEM_RELATIONS.get(name)) is not None:
            return Relation(name=name, columns=columns, schema=SYSTEM_SCHEMA)
    elif schema in {"", "public"}:
        store = catalog.stores.get(name)
        if store is not None:
            return relation_of(store.schema)
    else:
        raise UnknownNameError(
            f'schema "{schema}" does not exist',
            hint="Stores are in schema public, system relations in schema stategate.",
            position=position,
            sqlstate="3F000",
        )
    if schema != "stategate":
        require_missing(name, catalog, position=position)
    known = SYSTEM_RELATIONS if schema == "stategate" else catalog.stores
    shown = f"{schema}.{name}" if schema else name
    raise UnknownNameError(
        f'relation "{shown}" does not exist',
        hint=_nearest(name, list(known)),
        position=position,
    )


def require_missing(name: str, catalog: StoreCatalog, *, position: int | None = None) -> None:
    """Check that no store has this name, before an error says so.

    Raises:
        UnavailableError: a store may have it, because stores are still being opened, or it cannot
        be opened (55S04).
        NotSupportedError: its kind is not registered here.
        StoreFailedError: the stores are closed, or can no longer be opened.
    """
    error = catalog.missing(name)
    if isinstance(error, UnknownStoreError):
        return
    shown, detail = f'store "{name}"', f"{str(error)[:1].upper()}{str(error)[1:]}."
    if isinstance(error, UnknownKindError):
        raise NotSupportedError(
            f"{shown} is of a kind that is not known here",
            detail=detail,
            hint="Start the gateway with --load and the module that registers the kind.",
            position=position,
        ) from error
    if error.retryable:
        raise UnavailableError(
            f"{shown} cannot be read yet",
            detail=detail,
            hint="Retry.",
            position=position,
            sqlstate=RESTORING,
        ) from error
    raise StoreFailedError(f"{shown} cannot be read", detail=detail, position=position) from error


def _nearest(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    if near:
        return f'Perhaps you meant "{near[0]}".'
    return "SHOW STORES lists the stores."


def identifier(node: exp.Expr) -> str:
    """Return an identifier as Postgres reads it: in lower case unless it is quoted."""
    name = str(node.name)
    return name if node.args.get("quoted") else name.lower()


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
    """Types that functions require of parameters, where the type is not text."""
    hidden: frozenset[str]
    """Columns that `*` does not include."""


def vocabulary_of_stores(
    catalog: StoreCatalog, is_of_catalog: Callable[[str, str], bool] = lambda *_: False
) -> Vocabulary:
    """Return the names that statements over stores may use.

    Args:
        catalog: the stores.
        is_of_catalog: whether a schema, or "" for pg_catalog, has a system relation of a name. As
            in PostgreSQL, pg_catalog comes before the schema of the stores.
    """

    def resolve_table(table: exp.Table) -> Relation:
        schema, name = table.db.lower(), identifier(table.this)
        if is_of_catalog(schema, name):
            raise NotSupportedError(
                f'"{name}" of the system catalog cannot be read together with other relations',
                hint=f"A store of this name is public.{name}.",
                position=position_of(table.this),
            )
        return resolve(table, catalog)

    return Vocabulary(
        resolve=resolve_table,
        hidden=frozenset(column.name for column in PSEUDO_COLUMNS),
    )
