"""The HTTP side: the Starlette application, its routes, and values as JSON, CSV and Arrow."""
