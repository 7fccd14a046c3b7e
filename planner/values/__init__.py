"""What passes between planner and gateway: statements, sessions, types, cancellation.

Values and how texts become values. No statement is parsed, planned or run here.
"""
