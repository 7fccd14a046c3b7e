"""A failing server is reported with its own output, and none outlives its `with` block."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.process import (
    ServerError,
    ServerProcess,
    answers,
    blocked_signals,
    free_ports,
    plain_environment,
    start_children_with_plain_signals,
)

SLEEP = "import time; print('asleep', flush=True); time.sleep(60)"
DEAF = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    "print('deaf', flush=True); time.sleep(60)"
)


def server(output: Path, code: str, *, said: str, ready_timeout_s: float = 20.0) -> ServerProcess:
    """Run a Python program that is ready when it has printed `said`."""
    return ServerProcess(
        [sys.executable, "-c", code],
        output=output,
        ready=lambda: said in output.read_text(),
        ready_timeout_s=ready_timeout_s,
        stop_timeout_s=0.2,
    )


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize(("code", "said"), [(SLEEP, "asleep"), (DEAF, "deaf")])
def test_a_server_ends_with_its_block(tmp_path: Path, code: str, said: str) -> None:
    with server(tmp_path / "log", code, said=said) as running:
        assert not gone(running.pid)
        assert said in running.printed()
    assert gone(running.pid)


def test_a_server_that_dies_is_reported_with_its_output(tmp_path: Path) -> None:
    dying = server(tmp_path / "log", "import sys; sys.exit('port in use')", said="never")
    with pytest.raises(ServerError, match=r"(?s)ended with status 1 .*port in use"), dying:
        pass
    assert gone(dying.pid)


def test_a_server_that_hangs_is_killed(tmp_path: Path) -> None:
    hanging = server(tmp_path / "log", SLEEP, said="never", ready_timeout_s=0.3)
    with pytest.raises(ServerError, match="not ready after"), hanging:
        pass
    assert gone(hanging.pid)


def test_ports_are_free_and_different() -> None:
    ports = free_ports(5)
    assert len(set(ports)) == 5
    assert not any(answers(f"http://127.0.0.1:{port}/", timeout_s=0.5) for port in ports)


def test_settings_of_a_gateway_do_not_reach_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATEGATE_ROOT", "elsewhere")
    environment = plain_environment(MORE="1")
    assert "STATEGATE_ROOT" not in environment
    assert (environment["MORE"], environment["PATH"]) == ("1", os.environ["PATH"])


@pytest.fixture
def _term_and_hup_stay() -> Iterator[None]:
    held = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in held.items():
        signal.signal(number, handler)


def ended_by(number: signal.Signals) -> bool:
    """Whether a signal ends a program that does not handle it."""
    shell = ["/bin/sh", "-c", f"kill -{number:d} $$"]
    return subprocess.run(shell, check=False).returncode == -number


@pytest.mark.usefixtures("_term_and_hup_stay")
def test_children_inherit_no_signals_that_our_parent_ignores_or_blocks() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with blocked_signals(signal.SIGTERM):
        assert not ended_by(signal.SIGHUP)
        assert not ended_by(signal.SIGTERM)
        start_children_with_plain_signals()
        assert ended_by(signal.SIGHUP)
        assert ended_by(signal.SIGTERM)
        for number in (signal.SIGHUP, signal.SIGTERM):
            signal.raise_signal(number)  # it still does nothing here
