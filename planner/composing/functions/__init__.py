"""Functions that each composing database gets: macros, and Python for what SQL cannot compute.

They run in composing processes: nothing here imports the stores, the gateway or sqlglot.
"""
