"""How long a test waits for what another thread or process is to do."""

from __future__ import annotations

WAIT_S = 10.0
"""Longer than anything takes on a busy machine: who waits so long has found a fault."""
