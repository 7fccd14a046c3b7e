"""PostgreSQL's regular expressions: a parser, an engine, and what its functions make of matches.

An expression is parsed to a tree of nodes (`parsing`), whose languages are automata (`automata`).
`matching` finds a match and its groups by PostgreSQL's rules: the first place, there the longest or
the shortest text, and for each part in turn as it prefers. `functions` has the SQL functions. `re2`
writes an expression for RE2, where only one thing is asked: whether it matches. `similar` and
`like` rewrite patterns of SQL.

Composing processes import this folder: nothing here imports sqlglot, DuckDB or the stores.
"""
