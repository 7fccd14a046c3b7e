"""PostgreSQL's answers to statements, kept as text, so that tests need no PostgreSQL."""
