"""Functions that each composing database gets: macros, and Python where SQL does not suffice.

They run in composing processes: nothing here imports the stores, the gateway or sqlglot.
"""
