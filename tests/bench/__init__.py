"""Measurements against rivals: `python -m tests.bench`. Nothing here is run by pytest but the
functions that read output and print tables.
"""
