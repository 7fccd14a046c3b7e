"""How many seeds a law is tried with that draws its input by `random`."""

from __future__ import annotations

from hypothesis import settings

_SHORT = 50
"""The examples of a law in `make test`."""


def seeds(short: int) -> range:
    """Return this many seeds, and as many times more as `make laws` tries more examples.

    Mark the test with `hypothesis`, so that `make laws` runs it.
    """
    return range(short * max(1, settings().max_examples // _SHORT))
