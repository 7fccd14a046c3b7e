"""DuckDB, behind an interface: the databases in which results are composed and the catalog kept.

Nothing here knows SQL's meaning, stores or sessions: statements come in as text, rows as Arrow.
"""
