"""Statements of requests that end: one, many in a batch, a page of one, and typed queries."""
