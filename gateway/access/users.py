"""The users file, which is read again when it changes.

A line is a name and a secret, both in double quotes, a quote inside doubled; `;` and `#` begin a
comment. This is the format of PgBouncer's `auth_file`. A secret is one of

    SCRAM-SHA-256$4096:salt$stored:server   a password's verifier, in PostgreSQL's form
    TOKEN-SHA256$digest                     a bearer token's SHA-256 in hex; a user may have several
    MOCK-SHA256$secret                      under the empty name: makes the salts of unknown users

The file does not contain usable credentials, but keep it private anyway.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import secrets
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from gateway.access.private_files import Signature, require_private, signature_of, write_private
from gateway.access.verifiers import (
    PASSWORD_CHARACTERS_MAX,
    Shape,
    Verifier,
    make_verifier,
    parse_verifier,
    shape_of,
)
from gateway.errors import GatewayError, SettingsError

logger = logging.getLogger(__name__)

FILE_BYTES_MAX = 16 << 20
"""Longest users file: some hundred thousand users."""
NAME_BYTES_MAX = 63
"""Longest name, as in PostgreSQL, whose clients truncate longer ones."""
TOKEN_PREFIX = "sgt_"
"""Prefix of a token, by which scanners for leaked secrets can recognise it."""
_TOKEN_BYTES = 32
_LINE = re.compile(r'"((?:[^"]|"")*)"[ \t]+"((?:[^"]|"")*)"')
_TOKEN = re.compile(r"TOKEN-SHA256\$([0-9a-f]{64})")
_MOCK = re.compile(r"MOCK-SHA256\$([0-9a-f]{64})")
_HEAD = "; Users of a stategate gateway. `stategate user` changes it.\n"

Entry: TypeAlias = tuple[str, str]
"""The name and the secret of a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTable:
    """The users in one version of the file."""

    verifiers: Mapping[str, Verifier] = field(repr=False)
    """The verifiers by name of the user; users without a password are missing."""
    tokens: Mapping[bytes, str] = field(repr=False)
    """User name by token digest."""
    mock_secret: bytes = field(repr=False)
    shapes: tuple[Shape, ...] = ()
    """The shapes of all verifiers, sorted; mock verifiers use them too."""


def shown_name(name: str) -> str:
    """Return a client's user name for messages: shortened, and without a token."""
    return f"{TOKEN_PREFIX}…" if name.startswith(TOKEN_PREFIX) else name[:100]


def token_digest(token: str) -> bytes:
    """Return the stored form of a token. A random token needs no salt and no iterations."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


class Users:
    """The users file of a running gateway.

    Args:
        path: the file; other users must not be able to read it.

    Raises:
        SettingsError: it cannot be read, others can read it, or a line is malformed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._signature: Signature | None = signature_of(path)
        self._spare_secret = secrets.token_bytes(32)
        self._table = self._read()

    def current(self) -> UserTable:
        """Return the users in the file, or those of its last good version if it cannot be read."""
        if signature_of(self._path) != self._signature:
            self.reload()
        return self._table

    def reload(self) -> None:
        """Read the file again; log an error and keep the last version if it is wrong."""
        self._signature = signature_of(self._path)
        try:
            self._table = self._read()
        except SettingsError as error:
            logger.error("users file not loaded, keeping the last one: %s", error.message)
        else:
            logger.info("users file read, users=%d", len(self._table.verifiers))

    def _read(self) -> UserTable:
        require_private(self._path, setting="users")
        return _table(read_entries(self._path), spare_secret=self._spare_secret)


def _table(entries: list[Entry], *, spare_secret: bytes) -> UserTable:
    verifiers: dict[str, Verifier] = {}
    tokens: dict[bytes, str] = {}
    mock_secret = spare_secret
    for name, secret in entries:
        if found := _TOKEN.fullmatch(secret):
            tokens[bytes.fromhex(found[1])] = name
        elif found := _MOCK.fullmatch(secret):
            mock_secret = bytes.fromhex(found[1])
        else:
            verifiers[name] = parse_verifier(secret)
    return UserTable(
        verifiers=verifiers,
        tokens=tokens,
        mock_secret=mock_secret,
        shapes=tuple(sorted(map(shape_of, verifiers.values()))),
    )


def read_entries(path: Path) -> list[Entry]:
    """Return the checked lines of a users file.

    Raises:
        SettingsError: the file cannot be read, or a line is malformed; the error has the line's
            number and never its content.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(FILE_BYTES_MAX + 1)
        text = raw.decode()
    except OSError as error:
        raise _wrong(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise _wrong(path, "is not UTF-8") from None
    if len(raw) > FILE_BYTES_MAX:
        raise _wrong(path, f"is longer than {FILE_BYTES_MAX} bytes")
    entries: list[Entry] = []
    seen: set[str] = set()
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped and stripped[0] not in ";#":
            entries.append(_entry(path, number, stripped, seen))
    return entries


def _entry(path: Path, number: int, line: str, seen: set[str]) -> Entry:
    found = _LINE.fullmatch(line)
    if found is None:
        raise _wrong(path, f'line {number} is not of the form "name" "secret"')
    name, secret = (found[group].replace('""', '"') for group in (1, 2))
    if (_MOCK if name == "" else _TOKEN).fullmatch(secret):
        return name, secret
    if name == "":
        raise _wrong(path, f"line {number} has no name")
    try:
        parse_verifier(secret)
    except ValueError as error:
        raise _wrong(path, f"line {number} has an invalid secret: {error}") from None
    if name in seen:
        raise _wrong(path, f'line {number} gives a second password to "{name}"')
    seen.add(name)
    return name, secret


def _wrong(path: Path, said: str) -> SettingsError:
    return SettingsError(
        f'the users file "{path}" {said}', hint="`stategate user` writes it; see gateway/README.md."
    )


# --- changing the file ---------------------------------------------------------------------------


class UsersError(GatewayError):
    """The users file cannot be changed as requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSummary:
    """The facts about a user that are not secret."""

    name: str
    password: bool
    tokens: int


def list_users(path: Path) -> list[UserSummary]:
    """Return all users, by name.

    Raises:
        GatewayError: the file cannot be read.
    """
    tokens: Counter[str] = Counter()
    passwords: set[str] = set()
    for name, secret in read_entries(path):
        if _TOKEN.fullmatch(secret):
            tokens[name] += 1
        elif name:
            passwords.add(name)
    return [
        UserSummary(name=name, password=name in passwords, tokens=tokens[name])
        for name in sorted(passwords | set(tokens))
    ]


def set_password(path: Path, *, name: str, password: str) -> bool:
    """Add a user, or change its password and keep its tokens. Make the file if it is missing.

    Returns:
        Whether the user is new.

    Raises:
        GatewayError: the name or password is not allowed, or the file cannot be changed.
    """
    _check_name(name)
    if not password:
        raise UsersError("the password is empty")
    if len(password) > PASSWORD_CHARACTERS_MAX:
        raise UsersError(f"the password is longer than {PASSWORD_CHARACTERS_MAX} characters")
    if "\0" in password:
        raise UsersError("the password contains a NUL, which the Postgres wire cannot send")
    secret = str(make_verifier(password))

    def change(entries: list[Entry]) -> list[Entry]:
        return [e for e in entries if e[0] != name or _TOKEN.fullmatch(e[1])] + [(name, secret)]

    return name not in {each[0] for each in _changed(path, change, create=True)}


def remove_user(path: Path, *, name: str) -> None:
    """Remove a user's password and tokens.

    Raises:
        GatewayError: there is no such user, or the file cannot be changed.
    """

    def change(entries: list[Entry]) -> list[Entry]:
        _require_user(entries, name)
        return [each for each in entries if each[0] != name]

    _changed(path, change)


def add_token(path: Path, *, name: str) -> str:
    """Make a bearer token, and the user if it is new; return the token, which is not stored.

    Raises:
        GatewayError: the name is not allowed, or the file cannot be changed.
    """
    _check_name(name)
    token = TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
    secret = f"TOKEN-SHA256${token_digest(token).hex()}"
    _changed(path, lambda entries: [*entries, (name, secret)], create=True)
    return token


def revoke_tokens(path: Path, *, name: str) -> None:
    """Remove all tokens of a user, and keep its password.

    Raises:
        GatewayError: there is no such user, or the file cannot be changed.
    """

    def change(entries: list[Entry]) -> list[Entry]:
        _require_user(entries, name)
        return [each for each in entries if each[0] != name or not _TOKEN.fullmatch(each[1])]

    _changed(path, change)


def _check_name(name: str) -> None:
    if not name or not name.isprintable() or len(name.encode()) > NAME_BYTES_MAX:
        raise UsersError(
            "the user name is not allowed",
            hint=f"Use 1 to {NAME_BYTES_MAX} bytes of printable characters.",
        )
    if ":" in name:
        raise UsersError("the name contains a colon", hint="HTTP ends the name with a colon.")


def _require_user(entries: list[Entry], name: str) -> None:
    if not name or all(each[0] != name for each in entries):
        raise UsersError(f'user "{name}" does not exist', hint="`stategate user list` lists all.")


def _changed(
    path: Path, change: Callable[[list[Entry]], list[Entry]], *, create: bool = False
) -> list[Entry]:
    """Change the file under a lock; return its entries from before the change."""
    try:
        # A link stays a link; its target is changed.
        real = Path(os.path.realpath(path))
        with _locked(real.parent):
            exists = real.exists()
            if not exists and not create:
                raise UsersError(f'the users file "{path}" does not exist')
            before = read_entries(real) if exists else []
            if all(name for name, _ in before):
                before.insert(0, _new_mock())
            lines = [f"{_quoted(name)} {_quoted(secret)}\n" for name, secret in change(before)]
            write_private(real, _HEAD + "".join(lines))
            return before
    except OSError as error:
        raise UsersError(f'cannot change the users file "{path}": {error.strerror}') from error


def _new_mock() -> Entry:
    # In the file, so that an unknown user's salt is the same after restarts and on every node.
    return "", f"MOCK-SHA256${secrets.token_hex(32)}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Lock the directory, so that no change is lost to another at the same time."""
    if sys.platform == "win32":
        yield
        return
    import fcntl  # noqa: PLC0415 - not there on Windows

    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
