"""Values that planner and gateway share: statements, sessions, types, cancellation.

Here are also the texts of values, and how they are read. No statement is parsed, planned or run.
"""
