"""Changes the users file, as `stategate user` does; `access.users` has its format.

Law: only `set_stores`, `stores=`, `set_limits`, `set_admin` and `remove_user` change what a user
may do. Its grants outlive its secrets.
"""

from __future__ import annotations

import os
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from stategate.gateway.access.private_files import write_private
from stategate.gateway.access.users import (
    LIMIT,
    NO_GRANTS,
    NO_TOKEN,
    PATTERN,
    TOKEN,
    TOKEN_PREFIX,
    Entry,
    Grants,
    read_entries,
    token_digest,
)
from stategate.gateway.access.verifiers import PASSWORD_CHARACTERS_MAX, make_verifier
from stategate.gateway.errors import GatewayError
from stategate.planner.engine import UserLimits
from stategate.stores.log.files.locking import alone_in

NAME_BYTES_MAX = 63
"""Longest name, as in PostgreSQL, whose clients truncate longer ones."""
_TOKEN_BYTES = 32
_HEAD = "; Users of a stategate gateway. `stategate user` changes it.\n"


class UsersError(GatewayError):
    """The users file cannot be changed as requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSummary:
    """The facts about a user that are not secret."""

    name: str
    password: bool
    tokens: int
    grants: Grants


def list_users(path: Path) -> list[UserSummary]:
    """Return all users, by name.

    Raises:
        GatewayError: the file cannot be read.
    """
    tokens: Counter[str] = Counter()
    passwords: set[str] = set()
    grants: dict[str, Grants] = {}
    for name, secret, granted in read_entries(path):
        if name:
            grants[name] = granted
            if TOKEN.fullmatch(secret):
                tokens[name] += secret != NO_TOKEN
            else:
                passwords.add(name)
    return [
        UserSummary(name=name, password=name in passwords, tokens=tokens[name], grants=grants[name])
        for name in sorted(grants)
    ]


def set_password(
    path: Path, *, name: str, password: str, stores: Sequence[str] | None = None
) -> bool:
    """Add a user, or change its password; keep its tokens.

    Make the file if it is missing.

    Args:
        path: the users file.
        name: the user.
        password: its password from now on.
        stores: the stores that it may read, as for `set_stores`; None for those of before, or for
            all stores if the user is new.

    Returns:
        Whether the user is new.

    Raises:
        GatewayError: an argument is not allowed, or the file cannot be changed.
    """
    _check_name(name)
    _check_stores(stores or ())
    if not password:
        raise UsersError("the password is empty")
    if len(password) > PASSWORD_CHARACTERS_MAX:
        raise UsersError(f"the password is longer than {PASSWORD_CHARACTERS_MAX} characters")
    if "\0" in password:
        raise UsersError("the password contains a NUL, which the Postgres wire cannot send")
    secret = str(make_verifier(password))

    def change(entries: list[Entry]) -> list[Entry]:
        kept = [e for e in entries if e.name != name or TOKEN.fullmatch(e.secret)]
        return _with_secret(kept, name, secret, _grants_of(entries, name, stores))

    return name not in {each[0] for each in _changed(path, change, create=True)}


def remove_user(path: Path, *, name: str) -> Grants:
    """Remove a user with its password, its tokens and its grants.

    Returns:
        The grants, which are forgotten.

    Raises:
        GatewayError: there is no such user, or the file cannot be changed.
    """

    def change(entries: list[Entry]) -> list[Entry]:
        _require_user(entries, name)
        return [each for each in entries if each[0] != name]

    return _grants_of(_changed(path, change), name)


def add_token(path: Path, *, name: str, stores: Sequence[str] | None = None) -> str:
    """Make a bearer token, and the user if it is new; return the token, which is not stored.

    Args:
        path: the users file.
        name: the user.
        stores: the stores that it may read, as for `set_password`.

    Raises:
        GatewayError: an argument is not allowed, or the file cannot be changed.
    """
    _check_name(name)
    _check_stores(stores or ())
    token = TOKEN_PREFIX + secrets.token_urlsafe(_TOKEN_BYTES)
    secret = f"TOKEN-SHA256${token_digest(token).hex()}"

    def change(entries: list[Entry]) -> list[Entry]:
        return _with_secret(entries, name, secret, _grants_of(entries, name, stores))

    _changed(path, change, create=True)
    return token


def set_stores(path: Path, *, name: str, stores: Sequence[str]) -> None:
    """Let a user read these stores only.

    Args:
        path: the users file.
        name: the user.
        stores: names of stores, in which `*` stands for any characters; none for all stores.

    Raises:
        GatewayError: there is no such user, a name is not one of stores, or the file cannot be
            changed.
    """
    _check_stores(stores)

    def change(entries: list[Entry]) -> list[Entry]:
        _require_user(entries, name)
        return _with_grants(entries, name, _grants_of(entries, name, stores))

    _changed(path, change)


def set_limits(path: Path, *, name: str, words: Sequence[str]) -> Grants:
    """Give a user limits of its own instead of those of before.

    Args:
        path: the users file.
        name: the user.
        words: limits as the file has them, such as `statements=4`; none for those of all users.

    Returns:
        Its grants from now on.

    Raises:
        GatewayError: there is no such user, a word is not a limit, or the file cannot be changed.
    """
    limits: dict[str, int] = {}
    for word in words:
        found = LIMIT.fullmatch(word)
        if found is None or found[1] in limits:
            raise UsersError(
                f'"{word[:100]}" is not a limit, or is repeated',
                hint=f"Limits are {', '.join(UserLimits._fields)}, as in statements=4.",
            )
        limits[found[1]] = int(found[2])
    return _regranted(path, name, lambda had: had._replace(limits=UserLimits(**limits)))


def set_admin(path: Path, *, name: str, is_admin: bool) -> None:
    """Make a user an administrator, or no longer.

    Raises:
        GatewayError: there is no such user, or the file cannot be changed.
    """
    _regranted(path, name, lambda had: had._replace(is_admin=is_admin))


def _regranted(path: Path, name: str, change: Callable[[Grants], Grants]) -> Grants:
    """Change the grants of a user; return the new ones."""

    def changed(entries: list[Entry]) -> list[Entry]:
        _require_user(entries, name)
        return _with_grants(entries, name, change(_grants_of(entries, name)))

    return change(_grants_of(_changed(path, changed), name))


def revoke_tokens(path: Path, *, name: str) -> None:
    """Remove all tokens of a user, and keep its password and stores.

    A user without a password stays, too: it cannot log in until it gets another secret.

    Raises:
        GatewayError: there is no such user, or the file cannot be changed.
    """

    def change(entries: list[Entry]) -> list[Entry]:
        _require_user(entries, name)
        kept = [each for each in entries if each.name != name or not TOKEN.fullmatch(each.secret)]
        if any(each.name == name for each in kept):
            return kept
        return _with_secret(kept, name, NO_TOKEN, _grants_of(entries, name))

    _changed(path, change)


def _check_name(name: str) -> None:
    if not name or not name.isprintable() or len(name.encode()) > NAME_BYTES_MAX:
        raise UsersError(
            "the user name is not allowed",
            hint=f"Use 1 to {NAME_BYTES_MAX} bytes of printable characters.",
        )
    if ":" in name:
        raise UsersError("the name contains a colon", hint="HTTP ends the name with a colon.")


def _check_stores(stores: Sequence[str]) -> None:
    for each in stores:
        if not PATTERN.fullmatch(each):
            raise UsersError(
                f'"{each[:100]}" is not a name of stores',
                hint="Names have letters, digits, _, . and -; * stands for any of them.",
            )


def _grants_of(entries: list[Entry], name: str, stores: Sequence[str] | None = None) -> Grants:
    """Return the grants in a user's lines, with the stores that were given, if any."""
    had = next((each.grants for each in entries if each.name == name), NO_GRANTS)
    return had if stores is None else had._replace(stores=tuple(stores))


def _with_grants(entries: list[Entry], name: str, grants: Grants) -> list[Entry]:
    return [each._replace(grants=grants) if each.name == name else each for each in entries]


def _with_secret(entries: list[Entry], name: str, secret: str, grants: Grants) -> list[Entry]:
    """Add a secret of a user, and give all of its lines the same grants."""
    kept = [each for each in entries if (each.name, each.secret) != (name, NO_TOKEN)]
    return [*_with_grants(kept, name, grants), Entry(name, secret, grants)]


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
        with alone_in(real.parent):
            exists = real.exists()
            if not exists and not create:
                raise UsersError(f'the users file "{path}" does not exist')
            before = read_entries(real) if exists else []
            if all(each.name for each in before):
                before.insert(0, _new_mock())
            write_private(real, _HEAD + "".join(map(_line, change(before))))
            return before
    except OSError as error:
        raise UsersError(f'cannot change the users file "{path}": {error.strerror}') from error


def _new_mock() -> Entry:
    # In the file, so that an unknown user's salt is the same after restarts and on every node.
    return Entry("", f"MOCK-SHA256${secrets.token_hex(32)}")


def _line(entry: Entry) -> str:
    quoted = map(_quoted, (entry.name, entry.secret, *entry.grants.stores))
    return " ".join((*quoted, *entry.grants.words())) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
