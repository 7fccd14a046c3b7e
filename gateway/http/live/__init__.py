"""Live queries: rows and their changes, as server-sent events or on a WebSocket."""
