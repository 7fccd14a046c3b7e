"""The audit: a line of JSON for each login, statement and administrative act, without values."""
