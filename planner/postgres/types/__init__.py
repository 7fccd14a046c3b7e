"""PostgreSQL's types of expressions: functions, operators, literals and result columns.

Code here reads trees. It changes them only to give literals their types.
"""
