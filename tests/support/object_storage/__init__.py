"""Servers of object stores for tests, and what is written to them."""
