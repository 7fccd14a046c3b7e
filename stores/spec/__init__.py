"""The model of a store, without I/O: schema, queries, positions, bounds, results, store kinds."""
