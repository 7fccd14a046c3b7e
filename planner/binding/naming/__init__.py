"""What a name stands for: relations, columns and results, as PostgreSQL finds them.

Code here reads a query before its types are known. Afterwards, no name depends on DuckDB's rules.
"""
