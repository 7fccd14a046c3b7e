"""SQL to typed queries, run per partition, and composed into one result.

Folders from the bottom up: trees, values, postgres, syntax, binding, commands, composing,
pg_catalog, planning, running, statements. The gateway sees `engine`, `errors` and `typed`; `sql`
is the engine.
"""
