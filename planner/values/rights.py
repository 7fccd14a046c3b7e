"""What each user may do: the stores that it may read, how much it may take, whom it may end.

Plans, kept answers and live queries are shared by all users, so a right is no part of them. It is
checked where a statement begins for a session, whichever way it is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from stategate.planner.errors import QueryError

_KEPT_MAX: Final = 10_000
"""Names whose right is kept for a user; beyond that they are matched again."""


class Readable(dict[str, bool]):
    """Whether a user may read each store, by name; found when it is asked for first.

    Args:
        patterns: names of stores, in which `*` stands for any characters.
    """

    __slots__ = ("_matches", "patterns")

    def __init__(self, patterns: Sequence[str]) -> None:
        super().__init__()
        self.patterns = tuple(patterns)
        each = [".*".join(map(re.escape, pattern.split("*"))) for pattern in patterns]
        self._matches = [re.compile(pattern, re.DOTALL).fullmatch for pattern in each]

    def __missing__(self, store: str) -> bool:
        if len(self) >= _KEPT_MAX:
            self.clear()
        found = any(matches(store) is not None for matches in self._matches)
        self[store] = found
        return found


EVERY_STORE: Final = Readable(("*",))
NO_STORE: Final = Readable(())


class UserLimits(NamedTuple):
    """How much one user may take; 0 where only the limits of all users apply."""

    statements: int = 0
    """Statements that run at once."""
    connections: int = 0
    """Connections at once, of each protocol."""
    subscribers: int = 0
    """Live queries that are subscribed to at once."""
    rows: int = 0
    """Rows of the result of one statement."""
    bytes: int = 0
    """Bytes of the result of one statement, in Arrow's form."""

    def over(self, others: UserLimits) -> UserLimits:
        """Return these limits, filled up from the others where one is missing."""
        return UserLimits(*(mine or theirs for mine, theirs in zip(self, others, strict=True)))


NO_LIMITS: Final = UserLimits()


def has_result_limits(limits: UserLimits) -> bool:
    """Whether results are limited."""
    return bool(limits.rows or limits.bytes)


class Rights:
    """The rights of all users, which may change at any time. Safe to use from many threads.

    Args:
        limits: the limits of users who have none of their own.
    """

    __slots__ = ("_limits", "_limits_of_user", "admins", "by_user", "limits_results")

    def __init__(self, limits: UserLimits = NO_LIMITS) -> None:
        self._limits = limits
        self.set_limits({})
        self.admins: frozenset[str] = frozenset()
        """Users who see, cancel and end what others run, replaced as a whole."""
        self.by_user: Mapping[str, Readable] | None = None
        """The stores of each user, replaced as a whole; a user who is missing has none. None as
        long as every user may read all stores, so that nothing needs to be looked up."""

    def set_limits(self, of_user: Mapping[str, UserLimits]) -> None:
        """Set the limits of users who have their own, all at once."""
        own = {user: limits.over(self._limits) for user, limits in of_user.items()}
        self._limits_of_user = own
        self.limits_results = any(map(has_result_limits, (self._limits, *own.values())))
        """Whether a result of any user is limited, so that otherwise nothing is looked up."""

    def limits_of(self, user: str) -> UserLimits:
        """Return the limits of a user."""
        return self._limits_of_user.get(user, self._limits)

    def may_see(self, user: str, owner: str) -> bool:
        """Whether a user may see, cancel and end what another one runs."""
        return user == owner or user in self.admins

    def may_read(self, user: str, store: str) -> bool:
        """Whether a user may read a store."""
        by_user = self.by_user
        return by_user is None or by_user.get(user, NO_STORE)[store]

    def may_read_all(self, user: str, stores: Iterable[str]) -> bool:
        """Whether a user may read all of these stores."""
        by_user = self.by_user
        if by_user is None:
            return True
        return all(map(by_user.get(user, NO_STORE).__getitem__, stores))

    def require(self, user: str, stores: Iterable[str]) -> None:
        """Check that a user may read all of these stores.

        Raises:
            PermissionDeniedError: one of them is refused (42501).
        """
        by_user = self.by_user
        if by_user is not None:
            mine = by_user.get(user, NO_STORE)
            for store in sorted(stores):
                if not mine[store]:
                    raise PermissionDeniedError(store)


class PermissionDeniedError(QueryError):
    """A user may not read a store (42501)."""

    sqlstate = "42501"

    def __init__(self, store: str) -> None:
        super().__init__(
            f"permission denied for table {store}",
            hint="The users file of the gateway lists the stores of each user.",
        )
