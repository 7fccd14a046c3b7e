"""One record for each SQL type: its names, numbers, and forms in text, bytes, rows and keys.

A new type is a record in the module of its family, a line in `kinds.Kind`, and a test. Nothing here
knows a store, SQL or a protocol. Two things live with their users: the encoders of whole columns,
which are an optimisation, and the parsers of composing processes, which import no store.
"""
