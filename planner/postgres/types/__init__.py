"""PostgreSQL's types of expressions: functions, operators, literals and result columns.

Code here reads trees, and changes only literals, which get their types.
"""
