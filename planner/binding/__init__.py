"""Resolves the names and types of a tree, and reads the conditions of a WHERE on each relation.

Anything that is not a condition on columns stays in the tree, for the composing database.
"""
