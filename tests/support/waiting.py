"""Timeout of tests that wait for another thread or process."""

from __future__ import annotations

WAIT_S = 10.0
"""Seconds; more than anything takes on a busy machine, so that a timeout is a fault."""
