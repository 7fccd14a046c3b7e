"""Syntax trees of sqlglot: the dialect, and how their nodes are found, read and built.

Nothing here knows a store or a type. Code that reads the arguments of a node asks
`known_arguments` which there are.
"""
