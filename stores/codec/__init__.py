"""Values to bytes and back, the order of keys, and the partition of a key."""
