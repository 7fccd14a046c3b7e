"""The users file, which is read again when it changes.

A line is a name and a secret, both in double quotes, a quote inside doubled; `;` and `#` begin a
comment. This is the format of PgBouncer's `auth_file`, which takes no notice of what follows. Here
this may be the stores that the user may read, quoted, too: `*` stands for any characters. A user
without them may read all stores. Then words without quotes may follow: `admin` for one who sees and
ends what others run, and limits such as `statements=4`. A secret is one of

    SCRAM-SHA-256$4096:salt$stored:server   a password's verifier, in PostgreSQL's form
    TOKEN-SHA256$digest                     a bearer token's SHA-256 in hex; a user may have several
    TOKEN-SHA256$000…                       no token: keeps the stores of a user without a secret
    MOCK-SHA256$secret                      under the empty name: makes the salts of unknown users

The file does not contain usable credentials, but keep it private anyway.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from stategate.gateway.access.private_files import Signature, require_private, signature_of
from stategate.gateway.access.verifiers import (
    Shape,
    Verifier,
    parse_verifier,
    shape_of,
)
from stategate.gateway.audit.log import Audit, NoAudit
from stategate.gateway.errors import SettingsError
from stategate.planner.engine import EVERY_STORE, NO_LIMITS, Readable, Rights, UserLimits

logger = logging.getLogger(__name__)

FILE_BYTES_MAX = 16 << 20
"""Longest users file: some hundred thousand users."""
TOKEN_PREFIX = "sgt_"
"""Prefix of a token, by which scanners for leaked secrets can recognise it."""
_LINE = re.compile(
    r'"((?:[^"]|"")*)"[ \t]+"((?:[^"]|"")*)"((?:[ \t]+"[^"]*")*)((?:[ \t]+[^"\s]+)*)'
)
_STORES = re.compile(r'"([^"]*)"')
PATTERN = re.compile(r"[\w.*-]{1,200}")
"""The characters of names of stores, and `*`."""
TOKEN = re.compile(r"TOKEN-SHA256\$([0-9a-f]{64})")
ADMIN = "admin"
LIMIT = re.compile(rf"({'|'.join(UserLimits._fields)})=([1-9][0-9]{{0,17}})")
"""A limit of a user."""
_MOCK = re.compile(r"MOCK-SHA256\$([0-9a-f]{64})")
NO_TOKEN = f"TOKEN-SHA256${'0' * 64}"
"""The secret of a user who has none, so that its stores outlive its secrets. No token is known to
have this digest, so that gateways which do not know the word admit no one by it either."""


class Grants(NamedTuple):
    """What all lines of a user say after the secret."""

    stores: tuple[str, ...] = ()
    """The stores that it may read; none for all stores."""
    is_admin: bool = False
    limits: UserLimits = NO_LIMITS

    def words(self) -> tuple[str, ...]:
        """Return the words that follow the stores."""
        limits = (f"{name}={most}" for name, most in self.limits._asdict().items() if most)
        return ((ADMIN,) if self.is_admin else ()) + tuple(limits)


NO_GRANTS = Grants()


class Entry(NamedTuple):
    """A line."""

    name: str
    secret: str
    grants: Grants = NO_GRANTS


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTable:
    """The users in one version of the file."""

    verifiers: Mapping[str, Verifier] = field(repr=False)
    """The verifiers by name of the user; users without a password are missing."""
    tokens: Mapping[bytes, str] = field(repr=False)
    """User name by token digest."""
    mock_secret: bytes = field(repr=False)
    names: frozenset[str] = frozenset()
    """Those who have a password or a token."""
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
        rights: gets the stores, limits and administrators, whenever the file was read.
        audit: takes a line of each reading.
        processes: how many processes serve the same clients; each gives a user an equal share.

    Raises:
        SettingsError: it cannot be read, others can read it, or a line is malformed.
    """

    def __init__(
        self,
        path: Path,
        rights: Rights | None = None,
        *,
        audit: Audit | None = None,
        processes: int = 1,
    ) -> None:
        self._path, self._rights = path, rights or Rights()
        self._processes = processes
        self.on_read: Callable[[], None] = lambda: None
        """Called when the file was read again."""
        self._audit: Audit = NoAudit() if audit is None else audit
        self._signature: Signature | None = signature_of(path)
        self._spare_secret = secrets.token_bytes(32)
        self._table = self._read()

    def has(self, name: str) -> bool:
        """Whether a user has a password or a token, in the version that was read last."""
        return name in self._table.names

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
        except BaseException:
            self._signature = None  # it is read again, or a withdrawn right would stay
            raise
        else:
            logger.info("users file read, users=%d", len(self._table.verifiers))
            self._audit.note("users", users=len(self._table.verifiers))
            self.on_read()

    def _read(self) -> UserTable:
        require_private(self._path, setting="users")
        entries = read_entries(self._path)
        table = _table(entries, spare_secret=self._spare_secret)
        self._rights.admins = frozenset(each.name for each in entries if each.grants.is_admin)
        own = {each.name: each.grants.limits for each in entries if each.grants.limits != NO_LIMITS}
        self._rights.set_limits({name: _share(own[name], self._processes) for name in own})
        if limits_stores(entries) or self._rights.by_user is not None:
            # Once someone was limited, sessions may be open of users who are gone: were there no
            # limits again, these would read everything.
            self._rights.by_user = _readable(entries)
        return table


def _table(entries: list[Entry], *, spare_secret: bytes) -> UserTable:
    verifiers: dict[str, Verifier] = {}
    tokens: dict[bytes, str] = {}
    mock_secret = spare_secret
    for name, secret, *_ in entries:
        if secret == NO_TOKEN:
            continue
        if found := TOKEN.fullmatch(secret):
            tokens[bytes.fromhex(found[1])] = name
        elif found := _MOCK.fullmatch(secret):
            mock_secret = bytes.fromhex(found[1])
        else:
            verifiers[name] = parse_verifier(secret)
    return UserTable(
        verifiers=verifiers,
        tokens=tokens,
        mock_secret=mock_secret,
        names=frozenset((*verifiers, *tokens.values())),
        shapes=tuple(sorted(map(shape_of, verifiers.values()))),
    )


def _readable(entries: list[Entry]) -> Mapping[str, Readable]:
    """Return the stores of each user; the empty name of a mock is no user.

    A user whose last secret was revoked has none: its sessions read nothing more.
    """
    return {
        name: Readable(grants.stores) if grants.stores else EVERY_STORE
        for name, secret, grants in entries
        if name and secret != NO_TOKEN
    }


def _share(limits: UserLimits, processes: int) -> UserLimits:
    """Return what one of several processes lets a user take, at least one of each."""
    return limits._replace(
        statements=-(-limits.statements // processes),
        connections=-(-limits.connections // processes),
        subscribers=-(-limits.subscribers // processes),
    )


def limits_stores(entries: list[Entry]) -> bool:
    """Whether a user may not read all stores."""
    return any(each.grants.stores for each in entries)


def grants_anything(entries: list[Entry]) -> bool:
    """Whether users differ in more than their secrets."""
    return any(each.grants != NO_GRANTS for each in entries)


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
    grants: dict[str, Grants] = {}
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.strip()
        if stripped and stripped[0] not in ";#":
            entry = _entry(path, number, stripped, seen)
            if grants.setdefault(entry.name, entry.grants) != entry.grants:
                raise _wrong(
                    path,
                    f'line {number} gives "{entry.name}" other stores, limits or rights than a '
                    "line before it",
                )
            entries.append(entry)
    return entries


def _entry(path: Path, number: int, line: str, seen: set[str]) -> Entry:
    found = _LINE.fullmatch(line)
    if found is None:
        raise _wrong(path, f'line {number} is not of the form "name" "secret" "store" … word …')
    name, secret = (found[group].replace('""', '"') for group in (1, 2))
    stores = tuple(_STORES.findall(found[3]))
    if not all(map(PATTERN.fullmatch, stores)):
        raise _wrong(path, f"line {number} has a store that is not allowed")
    grants = _grants(path, number, stores, found[4].split())
    if name == "" and grants != NO_GRANTS:
        raise _wrong(path, f"line {number} has no name")
    if (_MOCK if name == "" else TOKEN).fullmatch(secret):
        return Entry(name, secret, grants)
    if name == "":
        raise _wrong(path, f"line {number} has no name")
    try:
        parse_verifier(secret)
    except ValueError as error:
        raise _wrong(path, f"line {number} has an invalid secret: {error}") from None
    if name in seen:
        raise _wrong(path, f'line {number} gives a second password to "{name}"')
    seen.add(name)
    return Entry(name, secret, grants)


def _grants(path: Path, number: int, stores: tuple[str, ...], words: list[str]) -> Grants:
    limits: dict[str, int] = {}
    for word in words:
        limit = LIMIT.fullmatch(word)
        name = ADMIN if word == ADMIN else limit and limit[1]
        if name is None or name in limits:
            raise _wrong(path, f"line {number} has a word that is unknown or repeated")
        limits[name] = int(limit[2]) if limit else 1
    is_admin = bool(limits.pop(ADMIN, 0))
    return Grants(stores, is_admin, UserLimits(**limits))


def _wrong(path: Path, said: str) -> SettingsError:
    return SettingsError(
        f'the users file "{path}" {said}', hint="`stategate user` writes it; see gateway/README.md."
    )
