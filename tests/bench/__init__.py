"""Measurements against rivals: `python -m tests.bench`. Pytest runs only the functions that read
output and print tables.
"""
