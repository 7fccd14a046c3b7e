"""Requests: their bytes within limits, their fields, and their parameters as values."""
