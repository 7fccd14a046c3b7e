"""Statements of every kind: text to a planned statement, and a planned statement to its result.

Each kind is prepared in `prepare` and run in `run`; plans are kept in `plan_cache`.
"""
