"""Measurements against other servers: `python -m tests.bench`. Pytest runs only the functions that
read output and print tables, and counts what small statements cost.
"""
