"""Statements about the session: SET, SHOW, RESET, DISCARD, LISTEN and LOCK, word by word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot.tokenizer_core import Token

from planner.commands.postgres_settings import (
    OWN_SETTINGS,
    check_may_be_set,
    read_boolean,
    settings_of_user,
    version_number,
)
from planner.commands.setting_kinds import PostgresSetting
from planner.commands.setting_values import (
    assignment,
    is_name,
    setting_name,
    setting_value,
    syntax_error,
)
from planner.commands.transaction import Modes, set_modes, transaction_settings
from planner.errors import (
    LimitExceededError,
    NotSupportedError,
    QueryError,
    TransactionError,
    UnknownNameError,
)
from planner.syntax.options import SETTINGS, check_setting
from planner.values.session import Session, TransactionStatus, read_isolation
from planner.values.statement import Notice, Result, StatementKind
from planner.values.times.time_settings import read_date_style
from stores.spec.schema import TEXT, Column

_CUSTOM = re.compile(r"[a-z_][\w$]*(\.[a-z_][\w$]*)+")
_CUSTOM_MAX = 100
_CUSTOM_LENGTH_MAX = 65_536
"""Applications store their own user in one or two such settings, of a few kB at most."""


class SessionCommands:
    """Runs SET, SHOW, RESET, DISCARD, LISTEN and LOCK.

    Args:
        server_version: the value of `server_version`.
        postgres: the settings of `pg_settings`, by their name in lower case.
    """

    def __init__(self, *, server_version: str, postgres: Mapping[str, PostgresSetting]) -> None:
        self._postgres = postgres
        others = {name: setting.shown for name, setting in postgres.items()}
        own = {name: setting.default for name, setting in OWN_SETTINGS.items()}
        self._defaults = {**others, **own, **SETTINGS}
        self._defaults |= settings_of_user("")
        self._defaults["server_version"] = server_version
        self._defaults["server_version_num"] = str(version_number(server_version))

    def columns(self, tokens: Sequence[Token]) -> tuple[Column, ...]:
        """Return the result columns of SHOW."""
        name = self._named(tokens)
        if name == "all":
            names = ("name", "setting", "description")
            return tuple(Column(name=each, type=TEXT) for each in names)
        spelled = self._postgres[name].name if name in self._postgres else name
        return (Column(name=spelled, type=TEXT),)

    def check(self, kind: StatementKind, tokens: Sequence[Token]) -> None:
        """Refuse a command that cannot run, before it is run.

        Raises:
            QueryError: the command is malformed or names an unknown setting.
        """
        if kind is StatementKind.DISCARD:
            _discarded(tokens)
        if kind is StatementKind.LOCK:
            _check_lock(tokens)
        if kind in {StatementKind.LISTEN, StatementKind.UNLISTEN}:
            _check_channel(kind, tokens)
        if kind is StatementKind.SHOW:
            name = self._named(tokens)
            if name not in {"all", "stategate.position"} and not _is_custom(name):
                self._known(name, tokens)

    def run(self, kind: StatementKind, tokens: Sequence[Token], session: Session) -> Result:
        """Run a command.

        Raises:
            QueryError: the command is malformed, or not allowed in the session's state.
        """
        match kind:
            case StatementKind.SHOW:
                return self._show(tokens, session)
            case StatementKind.SET:
                return self._set(tokens, session)
            case StatementKind.RESET:
                return self._reset(tokens, session)
            case StatementKind.LISTEN:
                return Result(kind=kind, notices=[_SILENT])
            case StatementKind.LOCK if session.is_outside:
                raise TransactionError(
                    "LOCK TABLE can only be used in transaction blocks", sqlstate="25P01"
                )
            case StatementKind.DISCARD if (part := _discarded(tokens)) is not None:
                return Result(kind=part)
            case StatementKind.DISCARD:
                if session.transaction is not TransactionStatus.IDLE or session.in_script:
                    raise TransactionError(
                        "DISCARD ALL cannot run inside a transaction block", sqlstate="25001"
                    )
                if session.in_pipeline:
                    raise TransactionError(
                        "DISCARD ALL cannot be executed within a pipeline", sqlstate="25001"
                    )
                session.discard()
        return Result(kind=kind)

    def _show(self, tokens: Sequence[Token], session: Session) -> Result:
        name = self._named(tokens)
        columns = self.columns(tokens)
        if name == "all":
            every = [(n, self._value(n, session), "") for n in sorted(self._defaults)]
            return Result(kind=StatementKind.SHOW, columns=columns, rows=every)
        if name == "stategate.position":
            rows = [(session.seen.token(),)]
            return Result(kind=StatementKind.SHOW, columns=columns, rows=rows)
        if name not in session.settings:
            self._known(name, tokens)
        value = self._value(name, session)
        return Result(kind=StatementKind.SHOW, columns=columns, rows=[(value,)])

    def _value(self, name: str, session: Session) -> str:
        of_transaction = transaction_settings(session)
        if name in of_transaction:
            return of_transaction[name]
        of_user = settings_of_user(session.user)
        if name in of_user:
            return of_user[name]
        own = OWN_SETTINGS.get(name)
        if own is not None and own.is_fixed:
            return own.default
        return session.settings.get(name, self._defaults.get(name, ""))

    def _named(self, tokens: Sequence[Token]) -> str:
        """Return the name of the setting of a SHOW or RESET."""
        words = [token.text.lower() for token in tokens[1:]]
        if words == ["transaction", "isolation", "level"]:
            return "transaction_isolation"
        if words == ["time", "zone"]:
            return "timezone"
        if words[:2] == ["session", "authorization"]:
            return "session_authorization"
        return setting_name(tokens[1:])

    def _known(self, name: str, tokens: Sequence[Token]) -> None:
        if name not in self._defaults:
            hint = "SHOW ALL lists the settings."
            raise UnknownNameError(
                f'unrecognized configuration parameter "{name}"',
                hint=hint,
                position=tokens[1].start + 1 if len(tokens) > 1 else None,
                sqlstate="42704",
            )

    def _set(self, tokens: Sequence[Token], session: Session) -> Result:
        rest = list(tokens[1:])
        scope = rest[0].text.upper() if rest else ""
        if scope in {"SESSION", "LOCAL"}:
            rest = rest[1:]
        words = [token.text.upper() for token in rest]
        if words[:2] == ["SESSION", "AUTHORIZATION"]:  # after a scope
            words, rest = words[1:], rest[1:]
        result = Result(kind=StatementKind.SET)
        is_local = scope == "LOCAL"
        if is_local and session.is_outside:
            result.notices.append(Notice.outside("SET LOCAL"))
        if words[:1] in (["AUTHORIZATION"], ["ROLE"]):
            _check_user(rest, session)
            return result
        name, values = assignment(rest, words)
        if not _is_custom(name):
            self._known(name, tokens)
        value = setting_value(name, values) if values else None
        self._put(name, value, session, result, local=is_local)
        return result

    def set_config(self, name: str, value: str | None, session: Session, local: bool) -> str:
        """Set a setting as the function `set_config` does; None is the default.

        Returns:
            The value as SHOW writes it.

        Raises:
            QueryError: the setting does not exist, or does not accept the value.
        """
        if not _is_custom(name):
            self._known(name, ())
        own = OWN_SETTINGS.get(name)
        is_of_transaction = own is not None and own.of_transaction and value is not None
        if is_of_transaction and _mode(name, value or "") != self._value(name, session):
            message = f"{name} must be set before any query"
            raise TransactionError(message, sqlstate="25001")
        self._put(name, value, session, Result(kind=StatementKind.SET), local=local)
        if value is None:
            return ""
        if own is not None and (own.is_fixed or own.of_transaction):
            return self._value(name, session)
        return self._checked(name, value, session)

    def _checked(self, name: str, value: str, session: Session) -> str:
        """Return a value as SHOW writes it.

        Raises:
            QueryError: the setting does not accept it.
        """
        if name in self._postgres and name not in OWN_SETTINGS:
            value = self._postgres[name].read(value)
        return _checked(name, value, session)

    def _put(
        self, name: str, value: str | None, session: Session, result: Result, *, local: bool
    ) -> None:
        if name in settings_of_user(session.user):
            check_may_be_set(name, "internal")
        if name in self._postgres:
            check_may_be_set(name, self._postgres[name].context)
        own = OWN_SETTINGS.get(name)
        if value is None:
            _restore(name, session, result, local=local)
            return
        if own is not None and own.is_fixed:
            own.read(name, value)
            if value.upper().replace("-", "") not in own.spellings:
                result.notices.append(Notice(message=f"{name} stays {own.default}"))
            return
        if own is not None and own.of_transaction:
            _set_transaction(name, value, session)
            return
        checked = self._checked(name, value, session)
        if not (local and session.is_outside):
            session.set(name, checked, local=local)

    def _reset(self, tokens: Sequence[Token], session: Session) -> Result:
        name, result = self._named(tokens), Result(kind=StatementKind.RESET)
        if name == "all":
            session.reset()
        elif name not in {"role", "session_authorization"}:
            if not _is_custom(name):
                self._known(name, tokens)
            self._put(name, None, session, result, local=False)
        return result


_SILENT = Notice(message="there are no notifications; SUBSCRIBE tells of changes to stores")
_PARTS = {
    "PLANS": StatementKind.DISCARD_PLANS,
    "SEQUENCES": StatementKind.DISCARD_SEQUENCES,
    "TEMP": StatementKind.DISCARD_TEMP,
    "TEMPORARY": StatementKind.DISCARD_TEMP,
}


def _check_lock(tokens: Sequence[Token]) -> None:
    """Refuse every lock mode except ACCESS SHARE, which conflicts with nothing; pg_dump takes it.

    Raises:
        NotSupportedError: the lock has another mode (25006).
    """
    words = [token.text.upper() for token in tokens]
    if words[-1] == "NOWAIT":
        del words[-1]
    if len(words) < len(_READERS_LOCK) + 2 or tuple(words[-4:]) != _READERS_LOCK:
        raise NotSupportedError(
            "cannot execute LOCK TABLE in a read-only gateway",
            hint="Reading takes no lock; only IN ACCESS SHARE MODE is accepted.",
            position=tokens[0].start + 1,
            sqlstate="25006",
        )


_READERS_LOCK = ("IN", "ACCESS", "SHARE", "MODE")


def _check_channel(kind: StatementKind, tokens: Sequence[Token]) -> None:
    """Refuse what does not name one channel; UNLISTEN takes `*`, too.

    Raises:
        InvalidSyntaxError: it names none, or has more.
    """
    channel, *more = tokens[1:] or (None,)
    is_all = kind is StatementKind.UNLISTEN and channel is not None and channel.text == "*"
    if channel is None or more or not (is_all or is_name(channel)):
        raise syntax_error(more or tokens[1:])


def _discarded(tokens: Sequence[Token]) -> StatementKind | None:
    """Return the kind of a DISCARD that has nothing to discard here; None for DISCARD ALL."""
    words = [token.text.upper() for token in tokens[1:]]
    if words == ["ALL"]:
        return None
    if len(words) != 1 or words[0] not in _PARTS:
        raise syntax_error(tokens[1:])
    return _PARTS[words[0]]


def _check_user(words: Sequence[Token], session: Session) -> None:
    """Accept the user of the session; refuse any other."""
    values = [token.text for token in words[1:] if token.text.upper() not in {"=", "TO"}]
    if len(values) != 1:
        raise syntax_error(words[1:])
    if values[0].upper() not in {"DEFAULT", "NONE"} and values[0] != session.user:
        if values[0].startswith("pg_"):  # PostgreSQL's own roles
            raise QueryError(f'permission denied to set role "{values[0]}"', sqlstate="42501")
        raise UnknownNameError(f'role "{values[0]}" does not exist', sqlstate="22023")


def _checked(name: str, value: str, session: Session) -> str:
    """Return a value of a setting as SHOW writes it.

    Raises:
        QueryError: the setting does not accept it.
    """
    own = OWN_SETTINGS.get(name)
    if name == "datestyle":
        return read_date_style(name, value, session.times.order)
    if own is not None:
        return own.read(name, value)
    if name in SETTINGS:
        check_setting(name, value)
    elif _is_custom(name):
        _check_custom(name, value, session)
    return value


def _is_custom(name: str) -> bool:
    """Whether a setting is defined by the client: such names have a dot."""
    return _CUSTOM.fullmatch(name) is not None and not name.startswith("stategate.")


def _check_custom(name: str, value: str, session: Session) -> None:
    custom = sum(map(_is_custom, session.settings))
    if len(value) > _CUSTOM_LENGTH_MAX or (custom >= _CUSTOM_MAX and name not in session.settings):
        raise LimitExceededError(
            f'setting "{name}" cannot be kept',
            detail=f"A session keeps {_CUSTOM_MAX} settings of its own, "
            f"of {_CUSTOM_LENGTH_MAX} characters each.",
        )


def _restore(name: str, session: Session, result: Result, *, local: bool) -> None:
    own = OWN_SETTINGS.get(name)
    if own is not None and own.of_transaction:
        if session.transaction is TransactionStatus.IDLE and name == "transaction_isolation":
            result.notices.append(Notice.outside("RESET TRANSACTION"))
        _set_transaction(name, own.default, session)
    elif not (local and session.is_outside):
        session.reset(name, local=local)


def _mode(name: str, value: str) -> str:
    """Return a mode of the transaction as SHOW writes it."""
    if name == "transaction_isolation":
        return read_isolation(name, value).value
    return read_boolean(name, value)


def _set_transaction(name: str, value: str, session: Session) -> None:
    if name == "transaction_isolation":
        modes = Modes(isolation=read_isolation(name, value))
    else:
        modes = Modes(deferrable=read_boolean(name, value) == "on")
    if session.transaction is not TransactionStatus.IDLE:
        set_modes(modes, session)
