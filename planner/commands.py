"""Statements about the session: SET, SHOW, RESET, BEGIN and their kin, read word by word."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot.tokenizer_core import Token, TokenType

from planner.errors import NameProblem, SyntaxProblem, TransactionProblem
from planner.options import SETTINGS, check_setting
from planner.session import Session, TransactionStatus
from planner.statement import Result, StatementKind
from stores.schema import TEXT, Column

_POSTGRES_SETTINGS = {
    "application_name": "",
    "bytea_output": "hex",
    "client_encoding": "UTF8",
    "client_min_messages": "notice",
    "datestyle": "ISO, MDY",
    "default_transaction_isolation": "read committed",
    "default_transaction_read_only": "on",
    "enable_seqscan": "on",
    "extra_float_digits": "1",
    "geqo": "on",
    "idle_in_transaction_session_timeout": "0",
    "intervalstyle": "postgres",
    "jit": "off",
    "lock_timeout": "0",
    "max_identifier_length": "63",
    "row_security": "on",
    "search_path": '"$user", public',
    "server_encoding": "UTF8",
    "standard_conforming_strings": "on",
    "statement_timeout": "0",
    "synchronize_seqscans": "on",
    "timezone": "UTC",
    "transaction_isolation": "read committed",
    "transaction_read_only": "on",
}
"""Settings of Postgres that clients set and ask for, with what they get."""
_READ_ONLY = {"server_version", "server_version_num", "server_encoding", "max_identifier_length"}
_FIXED = {"timezone": "UTC", "client_encoding": "UTF8"}
"""Settings that clients may name but that stay as they are."""


class Commands:
    """Runs the commands.

    Args:
        server_version: what SHOW server_version says.
    """

    def __init__(self, *, server_version: str) -> None:
        self._defaults = {**_POSTGRES_SETTINGS, **SETTINGS, "server_version": server_version}
        major = server_version.split(".", maxsplit=1)[0]
        self._defaults["server_version_num"] = f"{int(major) * 10_000}"

    def columns(self, tokens: Sequence[Token]) -> tuple[Column, ...]:
        """The result columns of SHOW."""
        name = self._shown_name(tokens)
        if name == "all":
            names = ("name", "setting", "description")
            return tuple(Column(name=each, type=TEXT) for each in names)
        return (Column(name=_SPELLED.get(name, name), type=TEXT),)

    def check(self, kind: StatementKind, tokens: Sequence[Token]) -> None:
        """Refuse, before it runs, a command that cannot.

        Raises:
            QueryError: it is malformed or names an unknown setting.
        """
        if kind is StatementKind.SHOW:
            name = self._shown_name(tokens)
            if name not in {"all", "stategate.position"}:
                self._known(name, tokens)
        if kind is StatementKind.CLOSE and [t.text.upper() for t in tokens[1:]] != ["ALL"]:
            # Connection pools close all cursors before they hand a connection on; there are none.
            name = _joined(tokens[1:])
            raise NameProblem(f'cursor "{name}" does not exist', sqlstate="34000")

    def run(self, kind: StatementKind, tokens: Sequence[Token], session: Session) -> Result:
        """Run a command.

        Raises:
            QueryError: it is malformed, or the session's state does not allow it.
        """
        match kind:
            case StatementKind.SHOW:
                return self._show(tokens, session)
            case StatementKind.SET:
                return self._set(tokens, session)
            case StatementKind.RESET:
                return self._reset(tokens, session)
            case StatementKind.BEGIN | StatementKind.COMMIT | StatementKind.ROLLBACK:
                return _transaction(kind, tokens, session)
            case StatementKind.DISCARD:
                if session.transaction is not TransactionStatus.IDLE:
                    raise TransactionProblem(
                        "DISCARD ALL cannot run inside a transaction block", sqlstate="25001"
                    )
                session.reset()
        return Result(kind=kind)

    def _show(self, tokens: Sequence[Token], session: Session) -> Result:
        name = self._shown_name(tokens)
        columns = self.columns(tokens)
        if name == "all":
            every = [(n, self._value(n, session), "") for n in sorted(self._defaults)]
            return Result(kind=StatementKind.SHOW, columns=columns, rows=every)
        if name == "stategate.position":
            rows = [(session.seen.token(),)]
            return Result(kind=StatementKind.SHOW, columns=columns, rows=rows)
        self._known(name, tokens)
        value = self._value(name, session)
        return Result(kind=StatementKind.SHOW, columns=columns, rows=[(value,)])

    def _value(self, name: str, session: Session) -> str:
        return _FIXED.get(name) or session.settings.get(name, self._defaults.get(name, ""))

    def _shown_name(self, tokens: Sequence[Token]) -> str:
        words = [token.text.lower() for token in tokens[1:]]
        if words == ["transaction", "isolation", "level"]:
            return "transaction_isolation"
        if words == ["time", "zone"]:
            return "timezone"
        if words[:2] == ["session", "authorization"]:
            return "session_authorization"
        return _joined(tokens[1:])

    def _known(self, name: str, tokens: Sequence[Token]) -> None:
        if name not in self._defaults:
            hint = "SHOW ALL lists the settings there are."
            raise NameProblem(
                f'unrecognized configuration parameter "{name}"',
                hint=hint,
                position=tokens[1].start + 1 if len(tokens) > 1 else None,
                sqlstate="42704",
            )

    def _set(self, tokens: Sequence[Token], session: Session) -> Result:
        rest = list(tokens[1:])
        if rest and rest[0].text.upper() in {"SESSION", "LOCAL"}:
            rest = rest[1:]
        words = [token.text.upper() for token in rest]
        result = Result(kind=StatementKind.SET)
        if words[:1] == ["TRANSACTION"] or words[:2] == ["CHARACTERISTICS", "AS"]:
            return result
        if words[:2] == ["TIME", "ZONE"]:
            name, values = "timezone", rest[2:]
        else:
            at = next((i for i, word in enumerate(words) if word in {"=", "TO"}), None)
            if at is None or at == 0:
                raise _syntax(rest)
            name, values = _joined(rest[:at]), rest[at + 1 :]
        if not values:
            raise _syntax([])
        self._assign(name, values, tokens, session, result)
        return result

    def _assign(
        self,
        name: str,
        values: Sequence[Token],
        tokens: Sequence[Token],
        session: Session,
        result: Result,
    ) -> None:
        self._known(name, tokens)
        if name in _READ_ONLY:
            raise TransactionProblem(f'parameter "{name}" cannot be changed', sqlstate="55P02")
        if len(values) == 1 and values[0].text.upper() == "DEFAULT":
            session.reset(name)
            return
        value = "".join(_setting_text(token) for token in values)
        if name in SETTINGS:
            check_setting(name, value)
        if name in _FIXED and value.upper().replace("-", "") not in {_FIXED[name], "UTF8", "UTC"}:
            result.notices.append(f"{name} stays {_FIXED[name]}")
            return
        session.set(name, value)

    def _reset(self, tokens: Sequence[Token], session: Session) -> Result:
        name = _joined(tokens[1:])
        if name == "all":
            session.reset()
        else:
            self._known(name, tokens)
            session.reset(name)
        return Result(kind=StatementKind.RESET)


_SPELLED = {"timezone": "TimeZone", "datestyle": "DateStyle", "intervalstyle": "IntervalStyle"}


def _setting_text(token: Token) -> str:
    return ", " if token.text == "," else token.text


def _joined(tokens: Sequence[Token]) -> str:
    """A setting's name out of its words and dots."""
    if not tokens:
        raise SyntaxProblem("syntax error at end of input")
    for token in tokens:
        if token.token_type in {TokenType.L_PAREN, TokenType.COMMA, TokenType.EQ}:
            raise _syntax([token])
    return "".join(token.text for token in tokens).lower()


def _syntax(tokens: Sequence[Token]) -> SyntaxProblem:
    if not tokens:
        return SyntaxProblem("syntax error at end of input")
    return SyntaxProblem(
        f'syntax error at or near "{tokens[0].text}"', position=tokens[0].start + 1
    )


def _transaction(kind: StatementKind, tokens: Sequence[Token], session: Session) -> Result:
    result = Result(kind=kind)
    before = session.transaction
    if kind is StatementKind.BEGIN:
        if before is TransactionStatus.FAILED:
            raise aborted()
        if before is TransactionStatus.ACTIVE:
            result.notices.append("there is already a transaction in progress")
        session.transaction = TransactionStatus.ACTIVE
        return result
    if any(token.text.upper() == "TO" for token in tokens[1:]):
        raise SyntaxProblem("savepoints are not supported", sqlstate="0A000")
    if before is TransactionStatus.IDLE:
        result.notices.append("there is no transaction in progress")
    if before is TransactionStatus.FAILED and kind is StatementKind.COMMIT:
        result.kind = StatementKind.ROLLBACK
    session.transaction = TransactionStatus.IDLE
    return result


def aborted() -> TransactionProblem:
    """The error of every statement in a failed transaction."""
    return TransactionProblem(
        "current transaction is aborted, commands ignored until end of transaction block"
    )
