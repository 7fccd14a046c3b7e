"""The command line, mostly as a process: help, one sentence per error, a clean end."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from stategate.gateway.wiring import open_stores
from stategate.planner.errors import LimitExceededError
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.host import Host, HostState
from tests.support.command_line import stategate
from tests.support.process import (
    ROOT,
    ServerProcess,
    answers,
    blocked_signals,
    free_ports,
    plain_environment,
)
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.server


def run(*arguments: str, given: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stategate.gateway.main", *arguments],
        cwd=ROOT,
        env=plain_environment(COLUMNS="100", **environment),
        input=given,
        capture_output=True,
        text=True,
        timeout=3 * WAIT_S,
        check=False,
    )


def test_help_describes_the_program_and_its_commands() -> None:
    help_text = run("--help")
    assert help_text.returncode == 0
    for word in ("SQL", "Spark", "serve", "sql", "stores", "settings"):
        assert word in help_text.stdout
    of_serve = run("serve", "--help").stdout
    for option in ("--root", "--http", "--pg", "--data", "--config", "--set"):
        assert option in of_serve


def test_settings_are_listed_with_their_variables() -> None:
    listed = stategate("settings").stdout
    assert "poll_ms = 25 ms\n    STATEGATE_POLL_MS\n" in listed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve"], "no state log is given. Name one with --root."),
        (["serve", "--root", "x", "--set", "pol_ms=1"], 'Did you mean "poll_ms"?'),
        (["serve", "--root", "x", "--set", "poll_ms"], "Write --set NAME=VALUE."),
        (["serve", "--root", "x", "--http", "7420"], "Use HOST:PORT"),
        (["serve", "--root", "x", "--config", "/nowhere"], "No such file"),
        (["stores", "--url", "http://127.0.0.1:1"], "connection refused"),
        (["sql", "--url", "nowhere"], "Use http://HOST:PORT."),
    ],
)
def test_an_expected_error_is_one_sentence(arguments: list[str], said: str) -> None:
    ended = stategate(*arguments)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("stategate: ")
    assert said in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_setting_of_the_environment_is_checked() -> None:
    ended = stategate("serve", "--root", "x", STATEGATE_POLL_MS="never")
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1)


def test_statements_are_run_from_an_option_and_from_a_pipe(url: str) -> None:
    ended = run("sql", "--url", url, "-c", "SELECT 1; SELECT n, name FROM series(1)")
    assert (ended.returncode, ended.stdout, ended.stderr) == (
        0,
        "?column?\n1\nn\tname\n0\trow 0\n",
        "",
    )
    assert run("sql", STATEGATE_URL=url, given="SELECT 1;\n").stdout == "?column?\n1\n"


def test_a_statement_that_fails_gives_exit_status_1(url: str) -> None:
    ended = run("sql", "--url", url, "-c", "SELECT refuse('42P01')")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines() == [
        "ERROR 42P01: it was refused",
        "LINE 1: SELECT refuse('42P01')",
        "               ^",
        "DETAIL: As asked.",
        "HINT: Ask less.",
    ]


def test_stores_are_listed(url: str) -> None:
    assert run("stores", "--url", url).stdout == (
        "name\tkind\tkey\tpartitions\trunning\tepoch\nclicks\tkeyvalue\tuser\t2\t1\t7\n"
    )


def test_a_missing_log_is_waited_for(tmp_path: Path) -> None:
    """The gateway also stops where its starter has blocked the signals for that."""
    http, pg = free_ports(2)
    command = [
        sys.executable,
        "-m",
        "stategate.gateway.main",
        "serve",
        "--root",
        str(tmp_path / "later"),
    ]
    command += ["--http", f"127.0.0.1:{http}", "--pg", f"127.0.0.1:{pg}"]
    base = f"http://127.0.0.1:{http}"
    server = ServerProcess(
        command, output=tmp_path / "log", ready=lambda: answers(f"{base}/healthz")
    )
    with blocked_signals(signal.SIGTERM, signal.SIGINT, signal.SIGHUP), server as process:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{base}/readyz", timeout=WAIT_S)
        with refused.value:
            assert refused.value.code == 503
            assert b'"55S04"' in refused.value.read()
        assert process.stop() == 0
    assert "Traceback" not in process.printed()


def test_a_failed_warm_up_does_not_stop_the_gateway(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: SqlEngine) -> None:
        raise LimitExceededError("out of memory")

    monkeypatch.setattr(SqlEngine, "warm_up", fail)
    with contextlib.closing(Host(str(tmp_path / "log"))) as host:
        engine = SqlEngine(host)
        open_stores(host, engine)
        assert host.state is HostState.RESTORING, "its log is still missing"
        engine.close()
    assert "out of memory" in caplog.text
