"""Statements about the session: SET, SHOW, RESET, DISCARD, LISTEN and LOCK."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stategate.planner.commands.postgres_settings import (
    OWN_SETTINGS,
    check_may_be_set,
    read_boolean,
    settings_of_user,
    version_number,
)
from stategate.planner.commands.session_reading import SessionCommand
from stategate.planner.commands.setting_kinds import PostgresSetting
from stategate.planner.commands.setting_values import setting_value
from stategate.planner.commands.transaction import Modes, set_modes, transaction_settings
from stategate.planner.errors import (
    LimitExceededError,
    QueryError,
    TransactionError,
    UnknownNameError,
)
from stategate.planner.syntax.options import SETTINGS, check_setting
from stategate.planner.values.session import Isolation, Session, TransactionStatus, read_isolation
from stategate.planner.values.statement import Notice, Result, StatementKind
from stategate.planner.values.times.time_settings import read_date_style
from stategate.stores.spec.schema import TEXT, Column, Row

_POSITION = "stategate.position"
_OF_USER = frozenset({"role", "session_authorization"})
_CUSTOM = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)+")
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

    def show_columns(self, command: SessionCommand, session: Session) -> tuple[Column, ...]:
        """Return the result columns of SHOW.

        Raises:
            UnknownNameError: there is no such setting.
        """
        if not command.name:
            names = ("name", "setting", "description")
            return tuple(Column(name=each, type=TEXT) for each in names)
        name = command.name.lower()
        if name != _POSITION and name not in session.settings:
            self._require(name, session)
        spelled = self._postgres[name].name if name in self._postgres else name
        return (Column(name=session.spelled.get(name, spelled), type=TEXT),)

    def run(self, command: SessionCommand, session: Session) -> Result:
        """Run a command.

        Raises:
            QueryError: the command is not allowed in the session's state.
        """
        match command.kind:
            case StatementKind.SHOW:
                return self._show(command, session)
            case StatementKind.SET:
                return self._set(command, session)
            case StatementKind.RESET:
                return self._reset(command, session)
            case StatementKind.LISTEN:
                return Result(kind=command.kind, notices=[_SILENT])
            case StatementKind.LOCK if session.is_outside:
                raise TransactionError(
                    "LOCK TABLE can only be used in transaction blocks", sqlstate="25P01"
                )
            case StatementKind.DISCARD:
                _discard(session)
        return Result(kind=command.kind)

    def _show(self, command: SessionCommand, session: Session) -> Result:
        columns, name = self.show_columns(command, session), command.name.lower()
        if not name:
            rows: list[Row] = [(n, self._value(n, session), "") for n in sorted(self._defaults)]
        elif name == _POSITION:
            rows = [(session.seen.token(),)]
        else:
            rows = [(self._value(name, session),)]
        return Result(kind=StatementKind.SHOW, columns=columns, rows=rows)

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

    def _require(self, name: str, session: Session) -> None:
        """Refuse a setting that does not exist.

        Raises:
            UnknownNameError: it does not (42704).
        """
        if name not in self._defaults and name not in session.spelled:
            raise UnknownNameError(
                f'unrecognized configuration parameter "{name}"',
                hint="SHOW ALL lists the settings.",
                sqlstate="42704",
            )

    def _settable(self, spelled: str, session: Session) -> str:
        """Return the name of a setting in lower case; the client defines those with a dot.

        Raises:
            QueryError: there is no such setting, and the client cannot define it.
        """
        name = spelled.lower()
        if _is_custom(name) and name not in session.spelled:
            _check_custom_name(spelled, session)
            session.spelled[name] = spelled
        self._require(name, session)
        return name

    def _set(self, command: SessionCommand, session: Session) -> Result:
        result = Result(kind=StatementKind.SET)
        if command.local and session.is_outside:
            result.notices.append(Notice.outside("SET LOCAL"))
        name = command.name.lower()
        if name in _OF_USER:
            _check_user(setting_value(name, command), session)
            return result
        name = self._settable(command.name, session)
        self._put(name, setting_value(name, command), session, result, local=command.local)
        return result

    def set_config(self, spelled: str, value: str | None, session: Session, local: bool) -> str:
        """Set a setting as the function `set_config` does; None is the default.

        Returns:
            The value as SHOW writes it.

        Raises:
            QueryError: the setting does not exist, or does not accept the value.
        """
        name = self._settable(spelled, session)
        own = OWN_SETTINGS.get(name)
        is_of_transaction = own is not None and own.of_transaction and value is not None
        if is_of_transaction and (
            _mode(name, value or "") != self._value(name, session)
            or name == "transaction_deferrable"
        ):
            message = f"{name} must be set before any query"
            raise TransactionError(message, sqlstate="25001")
        self._put(name, value, session, Result(kind=StatementKind.SET), local=local)
        if value is None or (own is not None and (own.is_fixed or own.of_transaction)):
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
            if own.read(own.name, value) != own.default:
                result.notices.append(Notice(message=f"{name} stays {own.default}"))
            return
        if own is not None and own.of_transaction:
            _set_transaction(name, value, session)
            return
        checked = self._checked(name, value, session)
        if not (local and session.is_outside):
            session.set(name, checked, local=local)

    def _reset(self, command: SessionCommand, session: Session) -> Result:
        result = Result(kind=StatementKind.RESET)
        if not command.name:
            session.reset()
        elif command.name.lower() not in _OF_USER:
            name = self._settable(command.name, session)
            self._put(name, None, session, result, local=False)
        return result


_SILENT = Notice(message="there are no notifications; SUBSCRIBE tells of changes to stores")


def _discard(session: Session) -> None:
    if session.transaction is not TransactionStatus.IDLE or session.in_script:
        raise TransactionError(
            "DISCARD ALL cannot run inside a transaction block", sqlstate="25001"
        )
    if session.in_pipeline:
        raise TransactionError("DISCARD ALL cannot be executed within a pipeline", sqlstate="25001")
    session.discard()


def _check_user(name: str | None, session: Session) -> None:
    """Accept the user of the session; refuse any other."""
    if name is None or name.lower() == "none" or name == session.user:
        return
    if name.startswith("pg_"):  # PostgreSQL's own roles
        raise QueryError(f'permission denied to set role "{name}"', sqlstate="42501")
    raise UnknownNameError(f'role "{name}" does not exist', sqlstate="22023")


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
    elif _is_custom(name) and len(value) > _CUSTOM_LENGTH_MAX:
        raise _not_kept(name)
    return value


def _is_custom(name: str) -> bool:
    """Whether a setting is defined by the client: such names have a dot."""
    return "." in name and not name.startswith("stategate.")


def _check_custom_name(name: str, session: Session) -> None:
    if _CUSTOM.fullmatch(name) is None:
        raise QueryError(
            f'invalid configuration parameter name "{name}"',
            detail="Custom parameter names must be two or more simple identifiers separated "
            "by dots.",
            sqlstate="42602",
        )
    if len(session.spelled) >= _CUSTOM_MAX:
        raise _not_kept(name)


def _not_kept(name: str) -> LimitExceededError:
    return LimitExceededError(
        f'setting "{name}" cannot be kept',
        detail=f"A session keeps {_CUSTOM_MAX} settings of its own, "
        f"of {_CUSTOM_LENGTH_MAX} characters each.",
    )


def _restore(name: str, session: Session, result: Result, *, local: bool) -> None:
    own = OWN_SETTINGS.get(name)
    if own is not None and own.of_transaction:
        if session.is_outside and name == "transaction_isolation":
            result.notices.append(Notice.outside("RESET TRANSACTION"))
        # Unlike SET, this is allowed after a query.
        if session.transaction is not TransactionStatus.IDLE:
            _reset_mode(name, session)
    elif not (local and session.is_outside):
        session.reset(name, local=local)


def _mode(name: str, value: str) -> str:
    """Return a mode of the transaction as SHOW writes it."""
    if name == "transaction_isolation":
        return read_isolation(name, value).value
    return read_boolean(name, value)


def _reset_mode(name: str, session: Session) -> None:
    if name == "transaction_isolation":
        session.isolation = Isolation.READ_COMMITTED
    else:
        session.deferrable = False


def _set_transaction(name: str, value: str, session: Session) -> None:
    if name == "transaction_isolation":
        modes = Modes(isolation=read_isolation(name, value))
    else:
        modes = Modes(deferrable=read_boolean(name, value) == "on")
    if session.transaction is not TransactionStatus.IDLE:
        set_modes(modes, session)
