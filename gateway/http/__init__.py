"""HTTP: the Starlette application, its routes, and results as JSON, CSV and Arrow."""
