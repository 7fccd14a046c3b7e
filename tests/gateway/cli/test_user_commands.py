"""`stategate user`, in this process, and with a terminal in another."""

from __future__ import annotations

import contextlib
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from stategate.gateway.access.users import Users, token_digest
from stategate.gateway.access.verifiers import matches_password
from tests.support.command_line import Ended, stategate
from tests.support.process import ROOT, plain_environment
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.server
HEAD = "name\tpassword\ttokens\tstores\tlimits\n"


def user(*arguments: str, given: str = "", **environment: str) -> Ended:
    return stategate("user", *arguments, given=given.encode(), **environment)


def test_adding_and_removing_the_first_user(tmp_path: Path) -> None:
    path = tmp_path / "users.txt"
    named = {"STATEGATE_USERS": str(path)}
    assert user("add", "joe", given="sesame\n", **named).stdout == 'added user "joe"\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert matches_password(Users(path).current().verifiers["joe"], "sesame")
    assert user("add", "joe", "--users", str(path), given="open").stdout == (
        'changed the password of user "joe"\n'
    )
    token = user("token", "joe", **named).stdout.strip()
    assert Users(path).current().tokens == {token_digest(token): "joe"}
    assert user("list", **named).stdout == (f"{HEAD}joe\tyes\t1\t*\t-\n")
    assert user("stores", "joe", "orders", "totals_*", **named).stdout == (
        'user "joe" may read: orders totals_*\n'
    )
    assert user("add", "joe", given="other\n", **named).returncode == 0
    assert user("list", **named).stdout.endswith("joe\tyes\t1\torders totals_*\t-\n")
    assert user("stores", "joe", "*", **named).returncode == 0
    assert user("list", **named).stdout.endswith("joe\tyes\t1\t*\t-\n")
    assert user("token", "joe", "--revoke", **named).returncode == 0
    assert user("remove", "joe", **named).stdout == 'removed user "joe"\n'
    assert user("list", **named).stdout == HEAD


def test_a_limited_user_keeps_its_limits(tmp_path: Path) -> None:
    named = {"STATEGATE_USERS": str(tmp_path / "users.txt")}
    made = user("token", "bot", "--stores", "orders,totals_*", **named)
    assert (made.stdout[:4], made.stderr) == ("sgt_", "")
    assert user("token", "bot", "--revoke", **named).returncode == 0
    listed = HEAD + "bot\tno\t{}\torders totals_*\t-\n"
    assert user("list", **named).stdout == listed.format(0)
    assert user("token", "bot", **named).stderr == ""
    assert user("list", **named).stdout == listed.format(1)
    added = user("add", "joe", given="x", **named)
    assert added.stdout == 'added user "joe"\n'
    assert added.stderr == 'user "joe" may read every store; --stores limits it\n'
    assert user("add", "joe", "--stores", "other", given="x", **named).stderr == ""
    assert user("list", **named).stdout.endswith("joe\tyes\t0\tother\t-\n")
    assert user("remove", "bot", **named).stdout == (
        'removed user "bot"\nforgot its limits: it might read orders totals_* only; '
        "a new user of this name needs --stores\n"
    )


def test_limits_and_administrators(tmp_path: Path) -> None:
    named = {"STATEGATE_USERS": str(tmp_path / "users.txt")}
    user("add", "joe", given="x", **named)
    limited = user("limits", "joe", "statements=2", "rows=100", **named)
    assert limited.stdout == 'user "joe" has the limits: statements=2 rows=100\n'
    assert user("admin", "joe", **named).stdout == 'user "joe" is now an administrator\n'
    joe = "joe\tyes\t0\t*\tadmin statements=2 rows=100\n"
    assert user("list", **named).stdout == HEAD + joe
    ordinary = user("admin", "joe", "--revoke", **named)
    assert ordinary.stdout == 'user "joe" is no longer an administrator\n'
    assert user("limits", "joe", **named).stdout == (
        'user "joe" has the limits: those of all users\n'
    )
    user("limits", "joe", "bytes=7", **named)
    assert user("remove", "joe", **named).stdout == 'removed user "joe"\nforgot: bytes=7\n'


@pytest.mark.parametrize(
    ("arguments", "given", "said"),
    [
        (["limits", "joe", "statements=x", "--users", "u"], "", '"statements=x" is not a limit'),
        (["add", "joe"], "x", "no users file is given. Name one with --users."),
        (["add", "joe", "--users", "u"], "", "the password is empty"),
        (["add", "joe", "--users", "u"], "\n", "the password is empty"),
        (["add", "a:b", "--users", "u"], "x", "the name contains a colon"),
        (["list", "--users", "u"], "", 'the users file "u" cannot be read'),
        (["remove", "joe", "--users", "u"], "", 'the users file "u" does not exist'),
        (["stores", "joe", "a b", "--users", "u"], "", '"a b" is not a name of stores'),
        (["add", "joe", "--stores", "", "--users", "u"], "x", '"" is not a name of stores'),
        (["token", "joe", "--stores", "a, b", "--users", "u"], "", '" b" is not a name'),
        (["token", "joe", "--stores", "a", "--revoke", "--users", "u"], "", "does not go with"),
        (["token", "joe", "--users", "/nowhere/u"], "", "No such file or directory"),
    ],
)
def test_an_error_is_one_sentence(arguments: list[str], given: str, said: str) -> None:
    done = user(*arguments, given=given)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("stategate: ")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (ROOT / "u").exists()


@pytest.mark.parametrize(("second", "status"), [("sesame", 0), ("other", 2)])
def test_a_terminal_prompts_twice_and_shows_nothing(
    tmp_path: Path, second: str, status: int
) -> None:
    path = tmp_path / "users.txt"
    command = [
        sys.executable,
        "-m",
        "stategate.gateway.main",
        "user",
        "add",
        "joe",
        "--users",
        str(path),
    ]
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execve(command[0], command, plain_environment())
    shown = read_until(terminal, b"Password: ")
    os.write(terminal, b"sesame\n")
    shown += read_until(terminal, b"Again: ")
    os.write(terminal, second.encode() + b"\n")
    shown += read_to_end(terminal)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == status
    assert b"sesame" not in shown
    assert path.exists() == (status == 0)


def read_until(terminal: int, end: bytes) -> bytes:
    shown = b""
    while end not in shown:
        shown += os.read(terminal, 1000)
    return shown


def read_to_end(terminal: int) -> bytes:
    shown = b""
    with contextlib.suppress(OSError):  # how Linux reports that the other end is closed
        while read := os.read(terminal, 1000):
            shown += read
    return shown


@pytest.mark.parametrize("reading", [{"PYTHONUTF8": "1"}, {"PYTHONIOENCODING": "utf-8:strict"}])
def test_the_error_of_a_password_that_is_not_utf8_is_one_sentence(
    tmp_path: Path, reading: dict[str, str]
) -> None:
    path = tmp_path / "users.txt"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "stategate.gateway.main",
            "user",
            "add",
            "joe",
            "--users",
            str(path),
        ],
        cwd=ROOT,
        env=plain_environment(**reading),
        input=b"sesame\xff\n",
        capture_output=True,
        timeout=3 * WAIT_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"stategate: the password is not UTF-8.\n"
    assert not path.exists()
