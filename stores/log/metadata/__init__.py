"""The small files of the log, one record each: definitions, commits, terms, heads, moves."""
