"""Writes epochs: from the rows that a caller gives to a commit, by the owner of the store."""
