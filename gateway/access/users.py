"""Who may come in: a file of users, read again whenever it has changed.

A line is a name and a secret, both in double quotes, a quote inside doubled; `;` and `#` begin a
comment. It is the form of PgBouncer's `auth_file`. A secret is one of

    SCRAM-SHA-256$4096:salt$stored:server   the verifier of a password, as PostgreSQL keeps it
    TOKEN-SHA256$digest                     a bearer token's SHA-256 in hex; a user may have several
    MOCK-SHA256$secret                      under the empty name: what salts of strangers come from

Nothing in the file lets its reader in: passwords and tokens themselves are nowhere.
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
"""Longest name: that of PostgreSQL, whose clients cut longer ones."""
TOKEN_PREFIX = "sgt_"
"""How a token begins, so that scanners for leaked secrets can know one."""
_TOKEN_BYTES = 32
_LINE = re.compile(r'"((?:[^"]|"")*)"[ \t]+"((?:[^"]|"")*)"')
_TOKEN = re.compile(r"TOKEN-SHA256\$([0-9a-f]{64})")
_MOCK = re.compile(r"MOCK-SHA256\$([0-9a-f]{64})")
_HEAD = "; Users of a stategate gateway. `stategate user` changes it.\n"

Entry: TypeAlias = tuple[str, str]
"""A name and a secret, as a line has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTable:
    """The users of one reading of the file."""

    verifiers: Mapping[str, Verifier] = field(repr=False)
    """By name; a user that has only tokens is in none."""
    tokens: Mapping[bytes, str] = field(repr=False)
    """The name by the digest of each token."""
    mock_secret: bytes = field(repr=False)
    shapes: tuple[Shape, ...] = ()
    """Those of all verifiers, in order: strangers have the same."""


def shown_name(name: str) -> str:
    """A name that a client gave, as far as it may be repeated: no token, and no long text."""
    return f"{TOKEN_PREFIX}…" if name.startswith(TOKEN_PREFIX) else name[:100]


def token_digest(token: str) -> bytes:
    """What is kept of a token. It needs no salt and no iterations, for it cannot be guessed."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


class Users:
    """The users file of a running gateway.

    Args:
        path: the file; only its owner may be able to read it.

    Raises:
        SettingsError: it cannot be read, others can read it, or a line is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._signature: Signature | None = signature_of(path)
        self._spare_secret = secrets.token_bytes(32)
        self._table = self._read()

    def current(self) -> UserTable:
        """The users as the file has them now; as it had them last, if it cannot be read now."""
        if signature_of(self._path) != self._signature:
            self.reload()
        return self._table

    def reload(self) -> None:
        """Read the file again; what is wrong with it is logged and changes nothing."""
        self._signature = signature_of(self._path)
        try:
            self._table = self._read()
        except SettingsError as error:
            logger.error("users file is not taken, the last one stays: %s", error.message)
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
    """The lines of a users file, each checked.

    Raises:
        SettingsError: the file cannot be read, or a line is none; the error names the line and
            never what is in it.
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
        raise _wrong(path, f"line {number} names nobody")
    try:
        parse_verifier(secret)
    except ValueError as error:
        raise _wrong(path, f"line {number} holds no secret that is known: {error}") from None
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
    """A change of the users file that cannot be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSummary:
    """What may be shown of a user."""

    name: str
    password: bool
    tokens: int


def list_users(path: Path) -> list[UserSummary]:
    """All users, by name.

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
    """Add a user, or change its password; its tokens stay. The file is made if there is none.

    Returns:
        Whether the user is new.

    Raises:
        GatewayError: the name or password cannot be one, or the file cannot be changed.
    """
    _check_name(name)
    if not password:
        raise UsersError("the password is empty")
    if len(password) > PASSWORD_CHARACTERS_MAX:
        raise UsersError(f"the password is longer than {PASSWORD_CHARACTERS_MAX} characters")
    if "\0" in password:
        raise UsersError("the password holds a NUL, which the Postgres wire cannot send")
    secret = str(make_verifier(password))

    def change(entries: list[Entry]) -> list[Entry]:
        return [e for e in entries if e[0] != name or _TOKEN.fullmatch(e[1])] + [(name, secret)]

    return name not in {each[0] for each in _changed(path, change, create=True)}


def remove_user(path: Path, *, name: str) -> None:
    """Take away a user's password and tokens.

    Raises:
        GatewayError: there is no such user, or the file cannot be changed.
    """

    def change(entries: list[Entry]) -> list[Entry]:
        _require_user(entries, name)
        return [each for each in entries if each[0] != name]

    _changed(path, change)


def add_token(path: Path, *, name: str) -> str:
    """A new bearer token of a user, who is made if there is none: it is told here and never again.

    Raises:
        GatewayError: the name cannot be one, or the file cannot be changed.
    """
    _check_name(name)
    token = TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
    secret = f"TOKEN-SHA256${token_digest(token).hex()}"
    _changed(path, lambda entries: [*entries, (name, secret)], create=True)
    return token


def revoke_tokens(path: Path, *, name: str) -> None:
    """Take away all tokens of a user, whose password stays.

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
            "the name cannot be that of a user",
            hint=f"It takes 1 to {NAME_BYTES_MAX} bytes of printable characters.",
        )
    if ":" in name:
        raise UsersError("the name holds a colon", hint="HTTP could not tell it from a password.")


def _require_user(entries: list[Entry], name: str) -> None:
    if not name or all(each[0] != name for each in entries):
        raise UsersError(f'user "{name}" does not exist', hint="`stategate user list` lists all.")


def _changed(
    path: Path, change: Callable[[list[Entry]], list[Entry]], *, create: bool = False
) -> list[Entry]:
    """Change the file while nobody else does; gives the entries that it had before."""
    try:
        # A link stays one, and what it leads to is changed.
        real = Path(os.path.realpath(path))
        with _alone(real.parent):
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
    # In the file, so that a stranger's salt survives restarts as a user's does, on every node.
    return "", f"MOCK-SHA256${secrets.token_hex(32)}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@contextlib.contextmanager
def _alone(directory: Path) -> Iterator[None]:
    """Hold the directory, so that of two changes at once neither is lost."""
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
