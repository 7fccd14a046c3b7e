"""The state of a client between statements: settings, transaction, position.

Only the server of the clients knows their connections, and the cursors and statements that each
keeps by name: a session has its `Listing` and `Backends`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from stategate.planner.errors import InvalidValueError, LimitExceededError, TransactionError
from stategate.planner.values.advisory_locks import SessionLocks
from stategate.planner.values.listing import Backends, Listing
from stategate.planner.values.times.time_settings import TimeSettings, time_settings
from stategate.stores.spec.position import EMPTY, Position

SAVEPOINTS_MAX = 1000
"""Maximum savepoints of a transaction; each copies the settings, and some drivers make many."""
DEFAULT_ISOLATION = "default_transaction_isolation"
"""The setting with the isolation of new transactions."""


class TransactionStatus(Enum):
    """The state of a session's transaction; the value is the status byte of the protocol."""

    IDLE = "I"
    ACTIVE = "T"
    FAILED = "E"


class Isolation(Enum):
    """The isolation level of a transaction; the value is its name in SQL."""

    __hash__ = object.__hash__

    READ_UNCOMMITTED = "read uncommitted"
    READ_COMMITTED = "read committed"
    REPEATABLE_READ = "repeatable read"
    SERIALIZABLE = "serializable"

    @property
    def repeats_reads(self) -> bool:
        """Whether all statements see one epoch; a reader gets no more from SERIALIZABLE."""
        return self in _REPEATING


_REPEATING = frozenset({Isolation.REPEATABLE_READ, Isolation.SERIALIZABLE})


class Held(Protocol):
    """The epochs that a transaction reads, kept until it ends; only the planner looks inside."""

    def release(self) -> None:
        """Stop keeping them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Savepoint:
    name: str
    number: int
    settings: Mapping[str, str]
    local: Mapping[str, str | None]


class Session:
    """The state of one client, for one statement at a time.

    Args:
        settings: initial values by lower-case name, such as `stategate.consistency`.
        user: the client's user, which `current_user` returns.
    """

    __slots__ = (
        *("_before", "_initial", "_local", "_locks", "_noted", "_savepoints", "backends"),
        *("changes", "client"),
        *("deferrable", "has_queried", "in_pipeline", "in_script", "is_grouped", "isolation"),
        *(
            "listed_as",
            "listing",
            "node_answers",
            "options",
            "pid",
            "savepoints_made",
            "seen",
            "settings",
        ),
        *("snapshot", "spelled", "times", "trace", "transaction", "user"),
    )

    def __init__(self, *, settings: Mapping[str, str] | None = None, user: str = "stategate"):
        self._initial = dict(settings or {})
        self.settings: dict[str, str] = dict(self._initial)
        self.spelled = {
            name.lower(): name
            for name in self.settings
            if "." in name and not name.startswith("stategate.")
        }
        """The settings that the client has defined, which stay until it leaves: their names in
        lower case, and as they were first written."""
        self.changes = 0
        """How often the settings may have changed, so that the server knows when to report them."""
        self.times: TimeSettings = _times_of(self.settings)
        """What TimeZone and DateStyle mean now."""
        self.user = user
        self.seen: Position = EMPTY
        """The merged positions of all answers to this session."""
        self._noted: Position = EMPTY
        self.options: object | None = None
        """Read options parsed from the settings; None if they must be parsed again."""
        self.transaction = TransactionStatus.IDLE
        self.isolation = Isolation.READ_COMMITTED
        """The isolation of the transaction; without one, it has no meaning."""
        self.deferrable = False
        """Whether the transaction is DEFERRABLE; it has no effect, as readers never wait here."""
        self.has_queried = False
        """Whether the transaction has run a query, after which its isolation cannot change."""
        self.snapshot: Held | None = None
        """The epochs that a transaction with repeatable reads keeps from its first query on."""
        self.in_script = False
        """Whether the statement came with others in one message: they are one transaction to the
        client, though none was begun."""
        self.in_pipeline = False
        """Whether others ran before the statement in the same pipeline, which is not closed yet:
        they are one transaction to the client, too."""
        self.is_grouped = False
        """Whether `end_group` is called after such an implicit transaction."""
        self.listing: Listing | None = None
        """Lists what the connection keeps by name; None if it keeps nothing, as over HTTP."""
        self.backends: Backends | None = None
        """Lists all clients; None if they are not known, as over HTTP."""
        self.node_answers: object | None = None
        """The answers of other nodes for a lookup on the event loop; only the planner reads it."""
        self.trace: object | None = None
        """The trace that the next statement belongs to; only what traces statements reads it."""
        self.client: tuple[str, str | None] = "", None
        """The protocol and the address of the client, for the audit."""
        self.pid = self.listed_as = 0
        """The client's number for a CancelRequest, 0 over HTTP; and that of its first statement
        in the list of running statements."""
        self.savepoints_made = 0
        """Number of savepoints made in this transaction so far; other objects are dated by it."""
        self._savepoints: list[_Savepoint] = []
        self._before: Mapping[str, str] | None = None
        """The settings that ROLLBACK restores; None if it restores none."""
        self._locks: SessionLocks | None = None
        self._local: dict[str, str | None] = {}
        """The former values of LOCAL settings, which COMMIT restores; None is unset."""

    def note(self, position: Position) -> None:
        """Add the position of an answer to those that the session has seen."""
        # Answers of one epoch share one position object, and most answers are of the same epoch.
        if position is not self._noted:
            self._noted = position
            self.seen = self.seen.merge(position)

    def set(self, name: str, value: str, *, local: bool = False) -> None:
        """Change one setting; if `local`, until the transaction ends."""
        self._remember()
        if local:
            self._local.setdefault(name, self.settings.get(name))
        else:
            self._local.pop(name, None)
        self.settings[name] = value
        self._changed()

    def reset(self, name: str | None = None, *, local: bool = False) -> None:
        """Restore the initial value of one setting, or of all; if `local`, until the end."""
        if local and name is not None and name in self._initial:
            self.set(name, self._initial[name], local=True)
            return
        self._remember()
        names = [name] if name is not None else [*self.settings]
        for each in names:
            if local:
                self._local.setdefault(each, self.settings.get(each))
            else:
                self._local.pop(each, None)
            self.settings.pop(each, None)
            if each in self._initial:
                self.settings[each] = self._initial[each]
        self._changed()

    def advisory_locks(self) -> SessionLocks | None:
        """Return its advisory locks; None if it cannot hold any."""
        table = None if self.backends is None else self.backends.locks
        if self._locks is None and table is not None:
            self._locks = SessionLocks(table, self.pid)
        return self._locks

    def discard(self) -> None:
        """Forget what DISCARD ALL ends: settings, and advisory locks."""
        self.reset()
        if self._locks is not None:
            self._locks.unlock_all()

    # Transactions

    def begin(self, *, isolation: Isolation, deferrable: bool) -> None:
        """Begin a transaction."""
        self.transaction = TransactionStatus.ACTIVE
        self.isolation, self.deferrable = isolation, deferrable
        self.has_queried = self.has_queried and (self.in_script or self.in_pipeline)
        # Settings that were changed earlier in the same group belong to it.
        if self._before is None:
            self._before = dict(self.settings)

    def end(self, *, keep: bool) -> None:
        """End the transaction.

        Args:
            keep: whether the settings that were changed in it stay, except LOCAL ones.
        """
        self._release()
        if keep:
            self._end_local()
        elif self._before is not None:
            self.settings = dict(self._before)
        self._before = None
        self.has_queried = False
        self._local.clear()
        self._savepoints.clear()
        self.savepoints_made = 0
        self._changed()
        self._unlock()
        self.transaction = TransactionStatus.IDLE

    def fail(self) -> None:
        """Record an error: an open transaction refuses all statements until it ends.

        Settings become what they were before the transaction, or at its innermost savepoint.
        Without an open transaction, those that the same group has changed are restored.
        """
        if self.transaction is TransactionStatus.ACTIVE:
            self.transaction = TransactionStatus.FAILED
            if self._savepoints:
                self._restore(self._savepoints[-1])
            elif self._before is not None:
                self.settings = dict(self._before)
                self._local.clear()
                self._changed()
            self._unlock(self.savepoint_number)
            if not self._savepoints:
                self._release()
        elif self.transaction is TransactionStatus.IDLE:
            self._unlock()
            if self._before is not None:
                self.end(keep=False)

    def end_group(self) -> None:
        """End an implicit transaction; its settings stay, except LOCAL ones."""
        if self.transaction is TransactionStatus.IDLE:
            if self._local:
                self._end_local()
                self._changed()
            self._before = None
            self.has_queried = False
            self._unlock()

    @property
    def is_outside(self) -> bool:
        """Whether the statement is a transaction of its own, so that nothing is LOCAL to it."""
        return self.transaction is TransactionStatus.IDLE and not self.in_script

    def close(self) -> None:
        """Release everything that the session holds, because the client is gone."""
        self._release()
        if self._locks is not None:
            self._locks.close()

    @property
    def in_subtransaction(self) -> bool:
        """Whether there is a savepoint."""
        return bool(self._savepoints)

    def savepoint(self, name: str) -> None:
        """Make a savepoint; it hides others of the same name.

        Raises:
            LimitExceededError: there are too many (54000).
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
            TransactionError: no savepoint has that name (3B001).
        """
        del self._savepoints[self._find(name) :]

    def rollback_to(self, name: str) -> None:
        """Go back to a savepoint, which stays; a failed transaction is active again.

        Raises:
            TransactionError: no savepoint has that name (3B001).
        """
        at = self._find(name)
        found = self._savepoints[at]
        del self._savepoints[at + 1 :]
        self._restore(found)
        self._unlock(found.number)
        self.transaction = TransactionStatus.ACTIVE

    def _restore(self, savepoint: _Savepoint) -> None:
        """Restore the settings as of a savepoint."""
        self.settings, self._local = dict(savepoint.settings), dict(savepoint.local)
        self._changed()

    @property
    def savepoint_number(self) -> int:
        """The number of the innermost savepoint, counted from 1; 0 outside of savepoints.

        ROLLBACK TO it drops objects that were made when `savepoints_made` was at least this.
        """
        return self._savepoints[-1].number if self._savepoints else 0

    def _find(self, name: str) -> int:
        for at in reversed(range(len(self._savepoints))):
            if self._savepoints[at].name == name:
                return at
        raise TransactionError(f'savepoint "{name}" does not exist', sqlstate="3B001")

    def _end_local(self) -> None:
        """Restore the former values of LOCAL settings."""
        for name, value in self._local.items():
            if value is None:
                self.settings.pop(name, None)
            else:
                self.settings[name] = value
        self._local.clear()

    def _remember(self) -> None:
        if self.is_grouped and self._before is None:
            self._before = dict(self.settings)

    def _changed(self) -> None:
        self.options = None
        self.changes += 1
        self.times = _times_of(self.settings)

    def _unlock(self, since: int = 0) -> None:
        """Release the advisory locks of the transaction; see `SessionLocks.end_transaction`."""
        if self._locks is not None:
            self._locks.end_transaction(since)

    def _release(self) -> None:
        held, self.snapshot = self.snapshot, None
        if held is not None:
            held.release()


def _times_of(settings: Mapping[str, str]) -> TimeSettings:
    return time_settings(settings.get("timezone"), settings.get("datestyle"))


def read_isolation(setting: str, value: str) -> Isolation:
    """Return the isolation level that the value of a setting names.

    Raises:
        InvalidValueError: no level has that name (22023).
    """
    try:
        return Isolation(" ".join(value.lower().split()))
    except ValueError:
        raise InvalidValueError(
            f'invalid value for parameter "{setting}": "{value[:100]}"',
            hint="Use one of serializable, repeatable read, read committed, read uncommitted.",
        ) from None


def default_isolation(session: Session) -> Isolation:
    """Return the isolation of a transaction that does not choose one.

    Raises:
        InvalidValueError: the connection began with an invalid value.
    """
    value = session.settings.get(DEFAULT_ISOLATION)
    return Isolation.READ_COMMITTED if value is None else read_isolation(DEFAULT_ISOLATION, value)
