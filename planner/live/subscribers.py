"""Counts the subscribers of live queries, of which no user may have all."""

from __future__ import annotations

import threading
from collections import Counter

from stategate.planner.errors import LimitExceededError
from stategate.planner.values.rights import Rights


class Subscribers:
    """The subscribers by user. Safe to share between threads.

    Args:
        total_max: how many there may be.
        rights: has the limits of users.
    """

    def __init__(self, total_max: int, rights: Rights) -> None:
        self._total_max, self._rights = total_max, rights
        self._lock = threading.Lock()
        self._of_user: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return how many there are."""
        return self._of_user.total()

    def enter(self, user: str) -> None:
        """Count one more of a user.

        Raises:
            LimitExceededError: there are too many, of all users or of this one (53300).
        """
        most = self._rights.limits_of(user).subscribers
        with self._lock:
            there, mine = self._of_user.total(), self._of_user[user]
            if there >= self._total_max:
                raise LimitExceededError(
                    "too many subscribers",
                    detail=f"There are {there}.",
                    hint="Close some, or raise live_subscribers_max.",
                    sqlstate="53300",
                )
            if most and mine >= most:
                raise LimitExceededError(
                    f'too many subscribers of user "{user}"',
                    detail=f"There are {mine}.",
                    hint="Close some, or raise live_subscribers_of_user_max, or the user's limit.",
                    sqlstate="53300",
                )
            self._of_user[user] += 1

    def leave(self, user: str) -> None:
        """Count one less."""
        with self._lock:
            self._of_user -= Counter((user,))
