"""`stategate user`: changes the users file.

The terminal prompts for a password; from a pipe it is read as one line. It is never an argument,
because every user of the machine sees arguments, and the shell keeps them in its history.
"""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Annotated

import typer

from gateway.access.users import (
    UsersError,
    add_token,
    list_users,
    remove_user,
    revoke_tokens,
    set_password,
)
from gateway.access.verifiers import PASSWORD_CHARACTERS_MAX
from gateway.errors import SettingsError
from gateway.settings_sources import load_settings

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


def _path(given: Path | None) -> Path:
    path = given or Path(load_settings().users)
    if path == Path():
        raise SettingsError("no users file is given", hint="Name one with --users.")
    return path


@app.command()
def add(name: Name, users: UsersFile = None) -> None:
    """Add a user, or change its password. The password is prompted for, or read from a pipe."""
    path = _path(users)
    new = set_password(path, name=name, password=_password())
    print(f'{"added" if new else "changed the password of"} user "{name}"')


@app.command()
def remove(name: Name, users: UsersFile = None) -> None:
    """Remove a user with its password and all its tokens."""
    remove_user(_path(users), name=name)
    print(f'removed user "{name}"')


@app.command("list")
def list_(users: UsersFile = None) -> None:
    """List the users, tab-separated: name, password (yes or no), number of tokens."""
    found = list_users(_path(users))
    print("name\tpassword\ttokens")
    for each in found:
        print(f"{each.name}\t{'yes' if each.password else 'no'}\t{each.tokens}")


@app.command()
def token(
    name: Name,
    users: UsersFile = None,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Remove all tokens of the user instead.")
    ] = False,
) -> None:
    """Make a bearer token for HTTP and print it, once: only its hash is stored."""
    path = _path(users)
    if revoke:
        revoke_tokens(path, name=name)
        print(f'revoked the tokens of user "{name}"')
    else:
        print(add_token(path, name=name))


_NOT_UTF8 = "the password is not UTF-8"


def _is_text(line: str) -> bool:
    """Whether a line was UTF-8: in some locales Python decodes other bytes to surrogates."""
    return not any("\ud800" <= each <= "\udfff" for each in line)


def _password() -> str:
    if not sys.stdin.isatty():
        try:
            line = sys.stdin.readline(PASSWORD_CHARACTERS_MAX + 2)
        except UnicodeDecodeError:
            raise UsersError(_NOT_UTF8) from None
        if not _is_text(line):
            raise UsersError(_NOT_UTF8)
        return line.removesuffix("\n").removesuffix("\r")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != first:
        raise UsersError("the passwords differ")
    return first
