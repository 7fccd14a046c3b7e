"""The reference engine: rows in memory, in plain Python. Every other engine must agree with it."""
