"""Programs that come as real clients. Each runs in an environment of its own; see `steps`."""
