"""Types of expressions in PostgreSQL: of functions, operators, literals and result columns.

Trees are read here and not changed, except that literals are given their types.
"""
