"""Rules for operators, calls and casts, in a module for each kind of argument.

A rule reads the types of `postgres.types`. It changes no node but the one that it gets. `rules` has
the types of rules, and functions that rules share.
"""
