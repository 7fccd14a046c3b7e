"""PostgreSQL's meaning of SQL where DuckDB's differs, for stores and catalog alike.

Rules turn a bound tree into one that DuckDB runs with PostgreSQL's result. `rewrite` applies them
all. No rule knows which database it works for.
"""
