"""The sessions that are open, by user: they end when their user is gone.

A login is checked once, and a session may last for days.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial

logger = logging.getLogger(__name__)

USER_IS_GONE = "The user was removed, or has no password and no token any more."
"""Why a session ends, for its client."""


class OpenSessions:
    """The open sessions of one process. Used on the event loop only.

    Args:
        is_user: whether a user has a password or a token; by default everyone counts as one.
    """

    def __init__(self, is_user: Callable[[str], bool] = lambda _: True) -> None:
        self._is_user = is_user
        self._ends: dict[str, dict[object, Callable[[], object]]] = {}

    def __len__(self) -> int:
        """Return the number of open sessions."""
        return sum(map(len, self._ends.values()))

    def enter(self, user: str, end: Callable[[], object]) -> Callable[[], None]:
        """Note a session that has begun.

        Args:
            user: its user, who may be gone since the login was checked.
            end: called soon, on the loop, if the user is gone.

        Returns:
            A function to call once the session has ended.
        """
        key, loop = object(), asyncio.get_running_loop()
        self._ends.setdefault(user, {})[key] = partial(loop.call_soon_threadsafe, end)

        def leave() -> None:
            mine = self._ends.get(user, {})
            mine.pop(key, None)
            if not mine:
                self._ends.pop(user, None)

        if not self._is_user(user):
            self._end(user)
        return leave

    def end_those_without_user(self) -> None:
        """End the sessions of users who are gone; others are left alone."""
        for user in tuple(self._ends):
            if not self._is_user(user):
                self._end(user)

    def _end(self, user: str) -> None:
        ends = self._ends.pop(user)
        logger.info("sessions end, because their user is gone, user=%r count=%d", user, len(ends))
        for end_soon in ends.values():
            end_soon()
