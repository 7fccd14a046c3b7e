"""One record for each SQL type: its names, numbers, and forms in text, bytes, rows and keys.

A new type is a record in the module of its family, a line in `kinds.Kind`, and a test. Nothing here
knows a store, SQL or a protocol. Two things stay with their users: what encodes whole columns at
once, as an optimisation, and what composing processes read from text, as they import no store.
"""
