"""Postgres's system catalog, generated from the stores and served by an in-memory DuckDB.

`PgCatalog` is all that the engine uses. The rows come from `seed` (what PostgreSQL has built in),
`store_rows` (the stores) and `views` (what follows from both); `macros` has the functions;
`rewrite` makes DuckDB's SQL of the client's.
"""

from planner.pg_catalog.catalog import CatalogStatement, PgCatalog

__all__ = ["CatalogStatement", "PgCatalog"]
