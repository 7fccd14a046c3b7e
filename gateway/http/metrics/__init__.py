"""Metrics for Prometheus: where each number comes from, and how all become one text."""
