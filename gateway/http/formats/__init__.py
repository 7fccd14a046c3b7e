"""Results as bytes: how a request chooses their format, the formats, and compression."""
