"""What PostgreSQL means where DuckDB means something else, for stores and catalog alike.

Rules from a bound tree to one that DuckDB runs with PostgreSQL's result. `rewrite` applies them
all; no rule knows which database it is for.
"""
