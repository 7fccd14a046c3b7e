"""What the settings TimeZone and DateStyle mean: zones, their offsets and texts, and series."""
