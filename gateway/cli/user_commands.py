"""`stategate user`: changes the users file.

The terminal prompts for a password; from a pipe it is read as one line. It is never an argument,
because every user of the machine sees arguments, and the shell keeps them in its history.
"""

from __future__ import annotations

import getpass
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from stategate.gateway.access.verifiers import PASSWORD_CHARACTERS_MAX
from stategate.gateway.audit.acts import note_act
from stategate.gateway.errors import GatewayError, SettingsError
from stategate.gateway.settings_sources import load_settings

app = typer.Typer(
    help="Add and remove the users of a gateway. A running gateway notices by itself.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Name = Annotated[str, typer.Argument(help="The user's name.")]
UsersFile = Annotated[
    Path | None,
    typer.Option(
        "--users",
        help="The users file. Default: the setting `users`, from STATEGATE_USERS or the file "
        "that STATEGATE_CONFIG names.",
    ),
]


Stores = Annotated[
    str | None,
    typer.Option(
        "--stores",
        metavar="STORE,…",
        help="Stores that the user may read, with commas between; `*` stands for any characters. "
        "Default: those of before, or every store for a new user.",
    ),
]


def _path(given: Path | None) -> Path:
    path = given or Path(load_settings().users)
    if path == Path():
        raise SettingsError("no users file is given", hint="Name one with --users.")
    return path


@app.command()
def add(name: Name, users: UsersFile = None, stores: Stores = None) -> None:
    """Add a user, or change its password. The password is prompted for, or read from a pipe."""
    from stategate.gateway.access.changing_users import set_password  # noqa: PLC0415 - it loads the engine

    path = _path(users)
    new = set_password(path, name=name, password=_password(), stores=_listed(stores))
    note_act("user_add" if new else "user_password", of=name)
    print(f'{"added" if new else "changed the password of"} user "{name}"')
    _note_stores(path, name)


@app.command()
def remove(name: Name, users: UsersFile = None) -> None:
    """Remove a user with its password, all its tokens, and its limits to stores."""
    from stategate.gateway.access.changing_users import remove_user  # noqa: PLC0415 - as in `add`

    forgotten = remove_user(_path(users), name=name)
    note_act("user_remove", of=name)
    print(f'removed user "{name}"')
    if forgotten.stores:
        print(
            f"forgot its limits: it might read {' '.join(forgotten.stores)} only; a new user of "
            "this name needs --stores"
        )
    if words := forgotten.words():
        print(f"forgot: {' '.join(words)}")


@app.command("list")
def list_(users: UsersFile = None) -> None:
    """List the users, tab-separated: name, password, number of tokens, stores, role and limits."""
    from stategate.gateway.access.changing_users import list_users  # noqa: PLC0415 - as in `add`

    found = list_users(_path(users))
    print("name\tpassword\ttokens\tstores\tlimits")
    for each in found:
        has_password, stores = "yes" if each.password else "no", " ".join(each.grants.stores) or "*"
        words = " ".join(each.grants.words()) or "-"
        print(f"{each.name}\t{has_password}\t{each.tokens}\t{stores}\t{words}")


@app.command()
def stores(
    name: Name,
    names: Annotated[
        list[str], typer.Argument(metavar="STORE…", help="Names; `*` stands for any characters.")
    ],
    users: UsersFile = None,
) -> None:
    """Let a user read these stores only; `'*'` for all stores. Sessions notice within a second."""
    from stategate.gateway.access.changing_users import set_stores  # noqa: PLC0415 - as in `add`

    set_stores(_path(users), name=name, stores=_every_or(names))
    note_act("user_stores", of=name, stores=names)
    print(f'user "{name}" may read: {" ".join(names)}')


@app.command()
def limits(
    name: Name,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LIMIT=NUMBER…]",
            help="statements, connections or subscribers at once; rows or bytes of a result. "
            "Without any: the limits of all users.",
        ),
    ] = None,
    users: UsersFile = None,
) -> None:
    """Give a user limits of its own, instead of those of before: `statements=4 rows=100000`."""
    from stategate.gateway.access.changing_users import set_limits  # noqa: PLC0415 - as in `add`

    grants = set_limits(_path(users), name=name, words=words or ())
    note_act("user_limits", of=name, limits=words or [])
    own = " ".join(grants._replace(is_admin=False).words())
    print(f'user "{name}" has the limits: {own or "those of all users"}')


@app.command()
def admin(
    name: Name,
    users: UsersFile = None,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Make it an ordinary user again.")
    ] = False,
) -> None:
    """Let a user see, cancel and end what others run; it may still read its own stores only."""
    from stategate.gateway.access.changing_users import set_admin  # noqa: PLC0415 - as in `add`

    set_admin(_path(users), name=name, is_admin=not revoke)
    note_act("user_admin", of=name, revoked=revoke)
    print(f'user "{name}" is {"no longer" if revoke else "now"} an administrator')


@app.command()
def token(
    name: Name,
    users: UsersFile = None,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Remove all tokens of the user instead.")
    ] = False,
    stores: Stores = None,
) -> None:
    """Make a bearer token for HTTP and print it, once: only its hash is stored."""
    from stategate.gateway.access.changing_users import add_token, revoke_tokens  # noqa: PLC0415 - as in `add`

    path = _path(users)
    if revoke:
        if stores is not None:
            raise GatewayError("--stores does not go with --revoke, which keeps the user's stores")
        revoke_tokens(path, name=name)
        note_act("user_revoke", of=name)
        print(f'revoked the tokens of user "{name}"')
    else:
        made = add_token(path, name=name, stores=_listed(stores))
        note_act("user_token", of=name)
        print(made)
        _note_stores(path, name)


def _listed(stores: str | None) -> Sequence[str] | None:
    return None if stores is None else _every_or(stores.split(","))


def _every_or(names: Sequence[str]) -> Sequence[str]:
    """Return names of stores as the users file has them: none for all stores."""
    return () if "*" in names else names


def _note_stores(path: Path, name: str) -> None:
    """Remind that a user has no limits where others have, as a new one: never silently."""
    from stategate.gateway.access.changing_users import list_users  # noqa: PLC0415 - as in `add`

    found = list_users(path)
    if any(each.grants.stores for each in found) and not any(
        each.grants.stores for each in found if each.name == name
    ):
        print(f'user "{name}" may read every store; --stores limits it', file=sys.stderr)


_NOT_UTF8 = "the password is not UTF-8"


def _is_text(line: str) -> bool:
    """Whether a line was UTF-8: in some locales Python decodes other bytes to surrogates."""
    return not any("\ud800" <= each <= "\udfff" for each in line)


def _password() -> str:
    if not sys.stdin.isatty():
        try:
            line = sys.stdin.readline(PASSWORD_CHARACTERS_MAX + 2)
        except UnicodeDecodeError:
            raise GatewayError(_NOT_UTF8) from None
        if not _is_text(line):
            raise GatewayError(_NOT_UTF8)
        return line.removesuffix("\n").removesuffix("\r")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != first:
        raise GatewayError("the passwords differ")
    return first
