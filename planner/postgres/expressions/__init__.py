"""Rules for single operators, calls and casts, a module for each kind of argument.

A rule reads the types of `postgres.types`, and changes the node that it is given and nothing
else.
"""
