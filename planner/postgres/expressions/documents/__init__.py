"""Rules for json and jsonb."""
