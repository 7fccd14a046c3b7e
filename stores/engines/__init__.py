"""Engines: each holds the rows of one partition and answers typed queries on them."""
