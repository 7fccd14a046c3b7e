"""Measurements against other servers: `python -m tests.bench`. Pytest runs only parts of them."""
