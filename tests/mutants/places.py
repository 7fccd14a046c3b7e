"""What is mutated."""

from __future__ import annotations

from pathlib import Path

PACKAGES = tuple(Path("planner", name) for name in ("binding", "planning", "postgres"))
