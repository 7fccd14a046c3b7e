"""What PostgreSQL answers: statements with its types and rows, kept as text, run without it."""
