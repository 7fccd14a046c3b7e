"""What a client connection carries from statement to statement: settings, transaction, position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from planner.errors import LimitExceededError, TransactionError
from planner.values.named_statements import Backends, Listing
from stores.spec.position import EMPTY, Position

SAVEPOINTS_MAX = 1000
"""Of one transaction, each with a copy of the settings; drivers make one for each statement."""
DEFAULT_ISOLATION = "default_transaction_isolation"
"""The setting that new transactions take their isolation from."""


class TransactionStatus(Enum):
    """Where a session stands; the value is the wire's status byte."""

    IDLE = "I"
    ACTIVE = "T"
    FAILED = "E"


class Isolation(Enum):
    """What the statements of a transaction see; the value is the SQL name."""

    __hash__ = object.__hash__

    READ_UNCOMMITTED = "read uncommitted"
    READ_COMMITTED = "read committed"
    REPEATABLE_READ = "repeatable read"
    SERIALIZABLE = "serializable"

    @property
    def repeats_reads(self) -> bool:
        """Whether all statements see one epoch; for readers, to be serializable is no more."""
        return self in _REPEATING


_REPEATING = frozenset({Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE})


class Held(Protocol):
    """What a transaction reads at, kept until it ends; the planner's own."""

    def release(self) -> None:
        """Let it be forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Savepoint:
    name: str
    number: int
    settings: Mapping[str, str]
    local: Mapping[str, str | None]


class Session:
    """The state of one client; used by one statement at a time.

    Args:
        settings: initial values by lower-case name, e.g. `stategate.consistency`.
        user: whom `current_user` names.
    """

    __slots__ = (
        "_before",
        "_initial",
        "_local",
        "_noted",
        "_savepoints",
        "backends",
        "changes",
        "deferrable",
        "has_queried",
        "in_pipeline",
        "in_script",
        "is_grouped",
        "isolation",
        "listing",
        "options",
        "pid",
        "savepoints_made",
        "seen",
        "settings",
        "snapshot",
        "transaction",
        "user",
    )

    def __init__(self, *, settings: Mapping[str, str] | None = None, user: str = "stategate"):
        self._initial = dict(settings or {})
        self.settings: dict[str, str] = dict(self._initial)
        self.changes = 0
        """How often the settings may have changed: whoever has told them knows when to look."""
        self.user = user
        self.seen: Position = EMPTY
        """All positions that this session's answers have reflected, merged."""
        self._noted: Position = EMPTY
        self.options: object | None = None
        """Read options parsed from the settings; None when they must be parsed again."""
        self.transaction = TransactionStatus.IDLE
        self.isolation = Isolation.READ_COMMITTED
        """Of the transaction; outside of one it means nothing."""
        self.deferrable = False
        """What the transaction was told to be; a reader here never has to be deferred."""
        self.has_queried = False
        """Whether the transaction has run a query, which settles its isolation."""
        self.snapshot: Held | None = None
        """What the transaction reads at, if it repeats its reads, from its first query on."""
        self.in_script = False
        """Whether the statement is one of several that came together: to the client they are one
        transaction, though none was begun."""
        self.in_pipeline = False
        """Whether others were executed before the statement, and the client has not closed their
        group yet: they, too, are one transaction with it."""
        self.is_grouped = False
        """Whether `end_group` is called behind what is one transaction though none was begun."""
        self.listing: Listing | None = None
        """What the connection keeps by name; None where it keeps nothing, as that of HTTP."""
        self.backends: Backends | None = None
        """What knows of all clients; None where no one does, as for HTTP."""
        self.pid = 0
        """What the client is told to name in a CancelRequest; 0 where it is told nothing."""
        self.savepoints_made = 0
        """In this transaction so far: what is made between two of them has an age by it."""
        self._savepoints: list[_Savepoint] = []
        self._before: Mapping[str, str] | None = None
        """The settings as ROLLBACK puts them back; None where nothing would be put back."""
        self._local: dict[str, str | None] = {}
        """What COMMIT puts back of the settings that were set LOCAL; None is no value."""

    def note(self, position: Position) -> None:
        """Count what an answer has reflected as seen."""
        # Answers of one epoch share one position object, and most answers are of the same epoch.
        if position is not self._noted:
            self._noted = position
            self.seen = self.seen.merge(position)

    def set(self, name: str, value: str, *, local: bool = False) -> None:
        """Change one setting; `local` until the end of the transaction."""
        self._remember()
        if local:
            self._local.setdefault(name, self.settings.get(name))
        else:
            self._local.pop(name, None)
        self.settings[name] = value
        self._changed()

    def reset(self, name: str | None = None) -> None:
        """Put one setting, or all, back to its initial value."""
        self._remember()
        names = [name] if name is not None else [*self.settings]
        for each in names:
            self._local.pop(each, None)
            self.settings.pop(each, None)
            if each in self._initial:
                self.settings[each] = self._initial[each]
        self._changed()

    # Transactions

    def begin(self, *, isolation: Isolation, deferrable: bool) -> None:
        """A transaction begins."""
        self.transaction = TransactionStatus.ACTIVE
        self.isolation, self.deferrable = isolation, deferrable
        self.has_queried = False
        # What was set before it in the same group belongs to it.
        if self._before is None:
            self._before = dict(self.settings)
        self._local.clear()

    def end(self, *, keep: bool) -> None:
        """The transaction ends.

        Args:
            keep: keep the settings that were made in it, but for those that were LOCAL.
        """
        self._release()
        if keep:
            for name, value in self._local.items():
                if value is None:
                    self.settings.pop(name, None)
                else:
                    self.settings[name] = value
        elif self._before is not None:
            self.settings = dict(self._before)
        self._before = None
        self._local.clear()
        self._savepoints.clear()
        self.savepoints_made = 0
        self._changed()
        self.transaction = TransactionStatus.IDLE

    def fail(self) -> None:
        """An error happened: an open transaction refuses everything until it ends.

        Without one, what the same group has set before is put back.
        """
        if self.transaction is TransactionStatus.ACTIVE:
            self.transaction = TransactionStatus.FAILED
            if not self._savepoints:
                self._release()
        elif self.transaction is TransactionStatus.IDLE and self._before is not None:
            self.end(keep=False)

    def end_group(self) -> None:
        """Behind statements that are one transaction though none was begun: their settings stay."""
        if self.transaction is TransactionStatus.IDLE:
            self._before = None

    def close(self) -> None:
        """The client is gone: let go of what its transaction held."""
        self._release()

    @property
    def in_subtransaction(self) -> bool:
        """Whether there is a savepoint to go back to."""
        return bool(self._savepoints)

    def savepoint(self, name: str) -> None:
        """Make a savepoint; one of the same name is hidden by it.

        Raises:
            LimitExceededError: there are as many as there may be (54000).
        """
        if len(self._savepoints) >= SAVEPOINTS_MAX:
            raise LimitExceededError(
                f"a transaction cannot have more than {SAVEPOINTS_MAX} savepoints",
                hint="RELEASE those that are no longer needed.",
            )
        self.savepoints_made += 1
        self._savepoints.append(
            _Savepoint(
                name=name,
                number=self.savepoints_made,
                settings=dict(self.settings),
                local=dict(self._local),
            )
        )

    def release_savepoint(self, name: str) -> None:
        """Forget a savepoint and those after it.

        Raises:
            TransactionError: there is none of that name (3B001).
        """
        del self._savepoints[self._find(name) :]

    def rollback_to(self, name: str) -> None:
        """Go back to a savepoint, which stays: the transaction goes on, failed or not.

        Raises:
            TransactionError: there is none of that name (3B001).
        """
        at = self._find(name)
        found = self._savepoints[at]
        del self._savepoints[at + 1 :]
        self.settings, self._local = dict(found.settings), dict(found.local)
        self._changed()
        self.transaction = TransactionStatus.ACTIVE

    @property
    def savepoint_number(self) -> int:
        """Of the innermost savepoint, counted from 1; 0 if there is none.

        What was made when `savepoints_made` was no less than this goes when it is gone back to.
        """
        return self._savepoints[-1].number if self._savepoints else 0

    def _find(self, name: str) -> int:
        for at in reversed(range(len(self._savepoints))):
            if self._savepoints[at].name == name:
                return at
        raise TransactionError(f'savepoint "{name}" does not exist', sqlstate="3B001")

    def _remember(self) -> None:
        if self.is_grouped and self._before is None:
            self._before = dict(self.settings)

    def _changed(self) -> None:
        self.options = None
        self.changes += 1

    def _release(self) -> None:
        held, self.snapshot = self.snapshot, None
        if held is not None:
            held.release()
