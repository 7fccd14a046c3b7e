"""Read SET, SHOW, RESET, DISCARD, LISTEN and LOCK word by word, as PostgreSQL's grammar has them.

Source: `VariableSetStmt`, `VariableResetStmt`, `VariableShowStmt`, `LockStmt` and their neighbours
in `src/backend/parser/gram.y`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stategate.planner.commands.transaction import is_assigned, take_scope
from stategate.planner.errors import InvalidSyntaxError, NotSupportedError
from stategate.planner.syntax.token_reader import Words
from stategate.planner.values.statement import StatementKind

_ZONE_UNITS = (("HOUR", "TO", "MINUTE"), ("HOUR",), ("MINUTE",))
_UNITS = frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"})
_LOCK_MODES = (
    *(("ACCESS", "SHARE"), ("ACCESS", "EXCLUSIVE"), ("ROW", "SHARE"), ("ROW", "EXCLUSIVE")),
    *(("SHARE", "UPDATE", "EXCLUSIVE"), ("SHARE", "ROW", "EXCLUSIVE"), ("SHARE",)),
    ("EXCLUSIVE",),
)
_READERS_LOCK = ("ACCESS", "SHARE")
_DISCARDED = {
    "ALL": StatementKind.DISCARD,
    "PLANS": StatementKind.DISCARD_PLANS,
    "SEQUENCES": StatementKind.DISCARD_SEQUENCES,
    "TEMP": StatementKind.DISCARD_TEMP,
    "TEMPORARY": StatementKind.DISCARD_TEMP,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCommand:
    """SET, SHOW, RESET, DISCARD, LISTEN, UNLISTEN or LOCK."""

    kind: StatementKind
    """What the tag of its answer names."""
    name: str = ""
    """The setting of SET, SHOW and RESET as it is written; empty for ALL."""
    values: tuple[str, ...] | None = None
    """What SET sets it to; None for its default."""
    interval: str | None = None
    """The interval that SET TIME ZONE takes instead."""
    local: bool = False


def read_session_command(kind: StatementKind, words: Words) -> SessionCommand:
    """Read a command of this kind.

    Raises:
        InvalidSyntaxError: it is malformed.
        NotSupportedError: it is a LOCK in a mode that conflicts with others (25006), or not run.
    """
    words.skip()
    command = _READERS[kind](words)
    words.finish()
    return command


# SET, SHOW and RESET


def _read_set(words: Words) -> SessionCommand:
    scope = take_scope(words)
    local = scope == "LOCAL"
    special = None if is_assigned(words) else _special(words)
    if special is None:
        return _read_assignment(words, local=local)
    name, values, interval = special
    return SessionCommand(
        kind=StatementKind.SET, name=name, values=values, interval=interval, local=local
    )


_Special = tuple[str, tuple[str, ...] | None, str | None]
"""The name of a setting, its values and its interval."""


def _special(words: Words) -> _Special | None:
    """Read a setting with syntax of its own; return None if it has none."""
    found = next((word for word in _SPECIAL if words.take(*word.split())), None)
    return None if found is None else _SPECIAL[found](words)


def _read_encoding(words: Words) -> _Special:
    given = None if words.take("DEFAULT") or not words.left else (words.string(),)
    return "client_encoding", given, None


def _read_user(words: Words) -> _Special:
    given = None if words.take("DEFAULT") else (words.value(),)
    return "session_authorization", given, None


def _read_xml_option(words: Words) -> _Special:
    if words.peek() not in {"DOCUMENT", "CONTENT"}:
        raise words.problem()
    return "xmloption", (words.label(),), None


def _read_catalog(words: Words) -> _Special:
    words.string()
    raise NotSupportedError("current database cannot be changed")


def _read_zone(words: Words) -> _Special:
    if words.take("LOCAL") or words.take("DEFAULT"):
        return "timezone", None, None
    if words.take("INTERVAL"):
        return "timezone", None, _read_interval(words)
    if words.is_string:
        return "timezone", (words.string(),), None
    number = words.number()
    return "timezone", (words.name() if number is None else number,), None


_SPECIAL: Mapping[str, Callable[[Words], _Special]] = {
    "TIME ZONE": _read_zone,
    "SCHEMA": lambda words: ("search_path", (words.string(),), None),
    "NAMES": _read_encoding,
    "ROLE": lambda words: ("role", (words.value(),), None),
    "SESSION AUTHORIZATION": _read_user,
    "XML OPTION": _read_xml_option,
    "CATALOG": _read_catalog,
}


def _read_interval(words: Words) -> str:
    """Read an interval; a unit says what a bare number counts."""
    if words.take("("):
        if words.peek() in {"+", "-"} or words.integer() is None:
            raise words.problem()
        words.expect(")")
        return words.string()
    text, position = words.string(), words.start + 1
    unit = next((units[-1] for units in _ZONE_UNITS if words.take(*units)), "")
    if (not unit and words.peek() in _UNITS) or (unit and words.left):
        raise InvalidSyntaxError(
            "time zone interval must be HOUR or HOUR TO MINUTE", position=position
        )
    is_bare = text.strip().lstrip("+-").replace(".", "", 1).isdigit()
    return f"{text} {unit}" if is_bare and unit else text


def _read_assignment(words: Words, *, local: bool) -> SessionCommand:
    name = words.dotted_name()
    if words.take("FROM", "CURRENT"):
        raise NotSupportedError("SET … FROM CURRENT is not supported")
    if not words.take("="):
        words.expect("TO")
    values: tuple[str, ...] | None = None
    if not words.take("DEFAULT"):
        values = _read_values(words)
    return SessionCommand(kind=StatementKind.SET, name=name, values=values, local=local)


def _read_values(words: Words) -> tuple[str, ...]:
    values: list[str] = []
    while not values or words.take(","):
        number = words.number()
        values.append(words.value() if number is None else number)
    return tuple(values)


def _read_named(words: Words) -> str:
    """Read the setting of a SHOW or RESET."""
    if words.peek(1) != ".":
        if words.take("TRANSACTION", "ISOLATION"):
            words.expect("LEVEL")
            return "transaction_isolation"
        if words.take("TIME", "ZONE"):
            return "timezone"
        if words.take("SESSION", "AUTHORIZATION"):
            return "session_authorization"
        if words.take("ALL"):
            return ""
    return words.dotted_name()


def _read_show(words: Words) -> SessionCommand:
    return SessionCommand(kind=StatementKind.SHOW, name=_read_named(words))


def _read_reset(words: Words) -> SessionCommand:
    return SessionCommand(kind=StatementKind.RESET, name=_read_named(words))


# Others


def _read_discard(words: Words) -> SessionCommand:
    if words.peek() not in _DISCARDED:
        raise words.problem()
    return SessionCommand(kind=_DISCARDED[words.label().upper()])


def _read_listen(words: Words) -> SessionCommand:
    words.name()
    return SessionCommand(kind=StatementKind.LISTEN)


def _read_unlisten(words: Words) -> SessionCommand:
    if not words.take("*"):
        words.name()
    return SessionCommand(kind=StatementKind.UNLISTEN)


def _read_lock(words: Words) -> SessionCommand:
    """Refuse every mode except ACCESS SHARE, which conflicts with nothing; pg_dump takes it."""
    words.take("TABLE")
    _read_locked(words)
    while words.take(","):
        _read_locked(words)
    mode: tuple[str, ...] | None = None
    if words.take("IN"):
        mode = next((each for each in _LOCK_MODES if words.take(*each)), None)
        words.expect("MODE")
    words.take("NOWAIT")
    words.finish()
    if mode != _READERS_LOCK:
        raise NotSupportedError(
            "cannot execute LOCK TABLE in a read-only gateway",
            hint="Reading takes no lock; only IN ACCESS SHARE MODE is accepted.",
            sqlstate="25006",
        )
    return SessionCommand(kind=StatementKind.LOCK)


def _read_locked(words: Words) -> None:
    """Read a relation with or without those that inherit from it."""
    if words.take("ONLY"):
        if words.take("("):
            words.relation()
            words.expect(")")
        else:
            words.relation()
        return
    words.relation()
    words.take("*")


_READERS: Mapping[StatementKind, Callable[[Words], SessionCommand]] = {
    StatementKind.SET: _read_set,
    StatementKind.SHOW: _read_show,
    StatementKind.RESET: _read_reset,
    StatementKind.DISCARD: _read_discard,
    StatementKind.LISTEN: _read_listen,
    StatementKind.UNLISTEN: _read_unlisten,
    StatementKind.LOCK: _read_lock,
}
