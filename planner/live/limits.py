"""The limits on live queries, and the error of a subscriber that is too slow for them."""

from __future__ import annotations

from msgspec import Struct

from stategate.planner.errors import LimitExceededError

TOO_SLOW = "53400"
"""The SQLSTATE of a subscriber that reads too slowly."""


class LiveLimits(Struct, frozen=True, kw_only=True):
    """Limits on live queries."""

    subscribers_max: int = 5_000
    rows_max: int = 100_000
    """Rows of one result."""
    bytes_max: int = 256 << 20
    """Memory for the results and events of all live queries."""
    linger_s: float = 30.0
    """How long a query is kept up to date after its last subscriber has left."""
    timeout_s: float = 60.0
    """How long one read of a result may take."""


def too_slow() -> LimitExceededError:
    """Return the error of a subscriber that reads too slowly."""
    return LimitExceededError(
        "the subscriber is too slow",
        detail="Events are gone that it has not taken.",
        hint="Subscribe again, and read faster or subscribe to fewer rows.",
        sqlstate=TOO_SLOW,
    )
