"""The grammar of generated SELECTs: statements, sources, aggregates and expressions.

Functions come from the planner's records, so that a new one is drawn without being named here.
Nothing here runs a statement.
"""
