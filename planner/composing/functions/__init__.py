"""Functions in Python that every composing database has, for what SQL cannot say.

They run in composing processes: nothing here imports the stores, the gateway or sqlglot.
"""
