"""Syntax trees of sqlglot: the dialect, and finding, reading and building their nodes.

Nothing here knows a store or a type. Code that reads the arguments of a node uses
`known_arguments` first.
"""
