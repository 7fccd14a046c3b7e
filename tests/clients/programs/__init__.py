"""Programs that act as real clients. Each runs in its own environment; see `steps`."""
