"""What is known about each function: one record, from which lists, arities and types are derived.

Facts only. A rule that rewrites a call is in `postgres.expressions`, under the function's name.
"""
