"""DuckDB in processes of its own, behind an interface: it composes results and holds the catalog.

Nothing here knows SQL's meaning, stores or sessions: statements come in as text, rows as Arrow.
"""
