"""Values that planner and gateway share: statements, sessions, types, cancellation.

Here are also the text forms of values, and their parsers. No statement is parsed, planned or run.
"""
