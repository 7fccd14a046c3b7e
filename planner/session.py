"""What a client connection carries from statement to statement: settings, transaction, position."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from stores.position import EMPTY, Position


class TransactionStatus(Enum):
    """Where a session stands; the value is the wire's status byte."""

    IDLE = "I"
    ACTIVE = "T"
    FAILED = "E"


class Session:
    """The state of one client; used by one statement at a time.

    Args:
        settings: initial values by lower-case name, e.g. `stategate.consistency`.
        user: whom `current_user` names.
    """

    __slots__ = ("_initial", "_noted", "options", "seen", "settings", "transaction", "user")

    def __init__(self, *, settings: Mapping[str, str] | None = None, user: str = "stategate"):
        self._initial = dict(settings or {})
        self.settings: dict[str, str] = dict(self._initial)
        self.user = user
        self.transaction = TransactionStatus.IDLE
        self.seen: Position = EMPTY
        """All positions that this session's answers have reflected, merged."""
        self._noted: Position = EMPTY
        self.options: object | None = None
        """Read options parsed from the settings; None when they must be parsed again."""

    def note(self, position: Position) -> None:
        """Count what an answer has reflected as seen."""
        # Answers of one epoch share one position object, and most answers are of the same epoch.
        if position is not self._noted:
            self._noted = position
            self.seen = self.seen.merge(position)

    def set(self, name: str, value: str) -> None:
        """Change one setting."""
        self.settings[name] = value
        self.options = None

    def reset(self, name: str | None = None) -> None:
        """Put one setting, or all, back to its initial value."""
        names = [name] if name is not None else [*self.settings]
        for each in names:
            self.settings.pop(each, None)
            if each in self._initial:
                self.settings[each] = self._initial[each]
        self.options = None

    def fail(self) -> None:
        """An error happened: an open transaction refuses everything until it ends."""
        if self.transaction is TransactionStatus.ACTIVE:
            self.transaction = TransactionStatus.FAILED
