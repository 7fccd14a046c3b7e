"""Pipelines whose drivers and executors die."""
