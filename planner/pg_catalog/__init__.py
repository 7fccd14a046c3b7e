"""PostgreSQL's system catalog over the stores, served by an in-memory DuckDB.

The engine uses `PgCatalog` only, and the `Calls` of statements with side effects.

| rows | from |
|---|---|
| `seed`, `builtin_rows` | PostgreSQL's built-in objects, and settings |
| `store_relations`, `store_rows` | stores and system relations |
| `session_rows` | cursors, statements and sessions |
| `views` | the other relations, as SQL over these |

`macros` has the functions. `rewrite` turns a client's statement into DuckDB's SQL; `catalog_calls`
finds the calls in statements over stores that only the catalog can answer.
"""

from stategate.planner.pg_catalog.catalog import CatalogStatement, PgCatalog
from stategate.planner.pg_catalog.side_effects import Calls

__all__ = ["Calls", "CatalogStatement", "PgCatalog"]
