"""BEGIN, COMMIT, ROLLBACK, savepoints and SET TRANSACTION: read once, run on a session.

Nothing is ever written, so a transaction decides which data its statements see (its isolation),
which settings ROLLBACK restores, and which statements can still run after an error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from stategate.planner.errors import NotSupportedError, TransactionError
from stategate.planner.syntax.parse import Parsed
from stategate.planner.syntax.token_reader import Words
from stategate.planner.values.session import (
    DEFAULT_ISOLATION,
    Isolation,
    Session,
    TransactionStatus,
    default_isolation,
)
from stategate.planner.values.statement import Notice, Result, StatementKind

DEFAULT_DEFERRABLE = "default_transaction_deferrable"
_LEVELS = {
    ("SERIALIZABLE",): Isolation.SERIALIZABLE,
    ("REPEATABLE", "READ"): Isolation.REPEATABLE_READ,
    ("READ", "COMMITTED"): Isolation.READ_COMMITTED,
    ("READ", "UNCOMMITTED"): Isolation.READ_UNCOMMITTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """The modes of a transaction; None for one that is not given. READ WRITE is ignored."""

    isolation: Isolation | None = None
    deferrable: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """BEGIN, START TRANSACTION."""

    modes: Modes
    kind: StatementKind = StatementKind.BEGIN


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """COMMIT, ROLLBACK, END and ABORT."""

    commit: bool
    chain: bool = False
    """Whether another transaction with the same modes begins at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeSavepoint:
    """SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSavepoint:
    """RELEASE SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackTo:
    """ROLLBACK TO SAVEPOINT."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SetTransaction:
    """SET TRANSACTION; with `for_session`, SET SESSION CHARACTERISTICS AS TRANSACTION."""

    modes: Modes
    for_session: bool


TransactionCommand: TypeAlias = (
    Begin | End | MakeSavepoint | ReleaseSavepoint | RollbackTo | SetTransaction
)


# Reading


def read_transaction(parsed: Parsed) -> TransactionCommand | None:
    """Read a transaction command; return None for any other statement.

    Raises:
        InvalidSyntaxError: it is malformed.
        NotSupportedError: it asks for two-phase commit or the snapshot of another transaction.
    """
    words = Words(parsed.sql, parsed.tokens)
    match parsed.kind:
        case StatementKind.BEGIN:
            return _read_begin(words)
        case StatementKind.COMMIT | StatementKind.ROLLBACK:
            return _read_end(words, commit=parsed.kind is StatementKind.COMMIT)
        case StatementKind.SAVEPOINT:
            words.skip()
            return MakeSavepoint(name=_last_name(words))
        case StatementKind.RELEASE:
            words.skip()
            _skip_savepoint(words)
            return ReleaseSavepoint(name=_last_name(words))
        case StatementKind.SET:
            return _read_set(words)
        case _:
            return None


def _read_begin(words: Words) -> Begin:
    if words.take("START"):
        words.expect("TRANSACTION")
        return Begin(modes=_read_modes(words), kind=StatementKind.START)
    words.expect("BEGIN")
    _ = words.take("WORK") or words.take("TRANSACTION")
    return Begin(modes=_read_modes(words))


def _read_end(words: Words, *, commit: bool) -> End | RollbackTo:
    words.skip()
    if words.take("PREPARED"):
        raise two_phase()
    _ = words.take("WORK") or words.take("TRANSACTION")
    if not commit and words.take("TO"):
        _skip_savepoint(words)
        return RollbackTo(name=_last_name(words))
    chain = False
    if words.take("AND"):
        chain = not words.take("NO")
        words.expect("CHAIN")
    words.finish()
    return End(commit=commit, chain=chain)


def _read_set(words: Words) -> SetTransaction | None:
    words.skip()
    take_scope(words)
    if is_assigned(words):
        return None
    if words.take("SESSION", "CHARACTERISTICS"):
        words.expect("AS", "TRANSACTION")
        return SetTransaction(modes=_read_modes(words, needed=True), for_session=True)
    if not words.take("TRANSACTION"):
        return None
    if words.peek() == "SNAPSHOT":
        raise NotSupportedError(
            "a transaction cannot import the snapshot of another",
            hint="Bound both by the same position instead.",
            position=words.start + 1,
        )
    return SetTransaction(modes=_read_modes(words, needed=True), for_session=False)


def take_scope(words: Words) -> str:
    """Take LOCAL or SESSION after SET, unless it is part of what is set; return it."""
    is_part = words.peek(1) == "AUTHORIZATION" or (
        words.peek(1) == "CHARACTERISTICS" and words.peek(2) == "AS"
    )
    if is_assigned(words) or (is_part and words.peek() == "SESSION"):
        return ""
    return next((each for each in ("LOCAL", "SESSION") if words.take(each)), "")


def is_assigned(words: Words) -> bool:
    """Whether the next word is the name of a setting."""
    return words.peek(1) in {"=", "TO", ".", "FROM"}


def _read_modes(words: Words, *, needed: bool = False) -> Modes:
    """Read the modes up to the end, with or without commas between them."""
    modes = Modes()
    while words.left or needed:
        modes = _read_mode(words, modes)
        needed = words.take(",")
    return modes


def _read_mode(words: Words, modes: Modes) -> Modes:
    if words.take("ISOLATION", "LEVEL"):
        for level, isolation in _LEVELS.items():
            if words.take(*level):
                return replace(modes, isolation=isolation)
    elif words.take("READ", "ONLY") or words.take("READ", "WRITE"):
        return modes
    elif words.take("NOT", "DEFERRABLE"):
        return replace(modes, deferrable=False)
    elif words.take("DEFERRABLE"):
        return replace(modes, deferrable=True)
    raise words.problem()


def _skip_savepoint(words: Words) -> None:
    """Take SAVEPOINT, unless it is the name."""
    if words.left > 1:
        words.take("SAVEPOINT")


def _last_name(words: Words) -> str:
    name = words.name()
    words.finish()
    return name


def default_deferrable(session: Session) -> bool:
    """Return whether a transaction is deferrable if its BEGIN does not say."""
    return session.settings.get(DEFAULT_DEFERRABLE, "off") == "on"


def transaction_settings(session: Session) -> dict[str, str]:
    """Return the settings of the transaction, or of the one that would begin now."""
    idle = session.transaction is TransactionStatus.IDLE
    isolation = default_isolation(session) if idle else session.isolation
    deferrable = default_deferrable(session) if idle else session.deferrable
    return {
        "default_transaction_read_only": "on",
        "transaction_deferrable": on_off(deferrable),
        "transaction_isolation": isolation.value,
        "transaction_read_only": "on",
    }


def on_off(value: bool) -> str:
    """Return a boolean as SHOW writes it."""
    return "on" if value else "off"


# Running


def run_transaction(command: TransactionCommand, session: Session) -> Result:
    """Run a command.

    Raises:
        TransactionError: the command is not allowed in the session's state.
        LimitExceededError: the transaction has too many savepoints.
    """
    match command:
        case Begin():
            return _begin(command, session)
        case End():
            return _end(command, session)
        case MakeSavepoint():
            _require_block(session, "SAVEPOINT")
            session.savepoint(command.name)
            return Result(kind=StatementKind.SAVEPOINT)
        case ReleaseSavepoint():
            _require_block(session, "RELEASE SAVEPOINT")
            session.release_savepoint(command.name)
            return Result(kind=StatementKind.RELEASE)
        case RollbackTo():
            _require_block(session, "ROLLBACK TO SAVEPOINT")
            session.rollback_to(command.name)
            return Result(kind=StatementKind.ROLLBACK)
        case SetTransaction():
            return _set(command, session)


def _begin(command: Begin, session: Session) -> Result:
    result, modes = Result(kind=command.kind), command.modes
    if session.transaction is TransactionStatus.FAILED:
        raise aborted()
    if session.transaction is TransactionStatus.ACTIVE:
        message = "there is already a transaction in progress"
        result.notices.append(Notice(message=message, severity="WARNING", sqlstate="25001"))
        set_modes(modes, session)
        return result
    isolation, deferrable = default_isolation(session), default_deferrable(session)
    if session.has_queried and (session.in_script or session.in_pipeline):
        # The queries before it are part of the transaction.
        session.isolation = isolation
        set_modes(modes, session)
    session.begin(
        isolation=isolation if modes.isolation is None else modes.isolation,
        deferrable=deferrable if modes.deferrable is None else modes.deferrable,
    )
    return result


def _end(command: End, session: Session) -> Result:
    before = session.transaction
    commits = command.commit and before is not TransactionStatus.FAILED
    result = Result(kind=StatementKind.COMMIT if command.commit else StatementKind.ROLLBACK)
    if before is TransactionStatus.IDLE:
        if command.chain:
            _require_block(session, f"{result.kind.value} AND CHAIN")
        message = "there is no transaction in progress"
        result.notices.append(Notice(message=message, severity="WARNING", sqlstate="25P01"))
        # It also ends the group of statements that it was sent with.
        session.end(keep=command.commit)
        return result
    if not commits:
        result.kind = StatementKind.ROLLBACK
    session.end(keep=commits)
    if command.chain:
        session.begin(isolation=session.isolation, deferrable=session.deferrable)
    return result


def _set(command: SetTransaction, session: Session) -> Result:
    result = Result(kind=StatementKind.SET)
    if not command.for_session:
        if session.transaction is TransactionStatus.IDLE:
            result.notices.append(Notice.outside("SET TRANSACTION"))
        else:
            set_modes(command.modes, session)
        return result
    if command.modes.isolation is not None:
        session.set(DEFAULT_ISOLATION, command.modes.isolation.value)
    if command.modes.deferrable is not None:
        session.set(DEFAULT_DEFERRABLE, on_off(command.modes.deferrable))
    return result


def set_modes(modes: Modes, session: Session) -> None:
    """Change the modes of the open transaction.

    Raises:
        TransactionError: the transaction has run a query or has savepoints (25001).
    """
    if modes.isolation is not None and modes.isolation is not session.isolation:
        _require_beginning("ISOLATION LEVEL", session)
        session.isolation = modes.isolation
    if modes.deferrable is not None:
        _require_beginning("[NOT] DEFERRABLE", session)
        session.deferrable = modes.deferrable


def _require_beginning(mode: str, session: Session) -> None:
    if session.has_queried or session.in_subtransaction:
        rule = "before any query" if session.has_queried else "outside of savepoints"
        raise TransactionError(f"SET TRANSACTION {mode} must be called {rule}", sqlstate="25001")


def _require_block(session: Session, command: str) -> None:
    if session.transaction is TransactionStatus.IDLE:
        raise TransactionError(
            f"{command} can only be used in transaction blocks", sqlstate="25P01"
        )


def two_phase() -> NotSupportedError:
    """Return the error of PREPARE TRANSACTION and of what ends such a transaction."""
    return NotSupportedError("two-phase commit is not supported", hint="Use COMMIT or ROLLBACK.")


def aborted() -> TransactionError:
    """Return the error of every statement in a failed transaction."""
    return TransactionError(
        "current transaction is aborted, commands ignored until end of transaction block"
    )
