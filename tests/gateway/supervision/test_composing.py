"""The supervisor's fork server of composing processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from stategate.gateway.supervision import composing
from stategate.gateway.supervision.composing import ComposingServer, run_composing
from tests.support.waiting import until

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Wiring(ModuleType):
    """Stands for the module that takes a second to import."""

    seen: tuple[Any, ...] = ()

    def __getattr__(self, name: str) -> Any:
        if name != "serve_composing":
            raise AttributeError(name)
        self.seen = tuple(map(signal.getsignal, STOPS))
        return lambda listener, owner: None


def test_signals_to_all_processes_do_not_end_it_while_it_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wiring = Wiring("stategate.gateway.wiring")
    monkeypatch.setitem(sys.modules, "stategate.gateway.wiring", wiring)
    before = [signal.getsignal(number) for number in STOPS]
    ours, theirs = socket.socketpair()
    try:
        with ours, theirs:
            run_composing(ours, theirs)
    finally:
        for number, handler in zip(STOPS, before, strict=True):
            signal.signal(number, handler)
    assert wiring.seen == (signal.SIG_IGN,) * len(STOPS)


def answering(listener: socket.socket, owner: socket.socket) -> None:
    """Answer the supervisor, as the fork server does."""
    del listener
    while asked := owner.recv(64):
        owner.send(asked)


async def replaced(server: ComposingServer, pid: int) -> int:
    """Wait until another process serves; return its id."""
    await asyncio.to_thread(until, lambda: server.pid not in {pid, None}, 20)
    assert server.pid is not None
    return server.pid


def test_a_fork_server_that_is_stopped_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(composing, "run_composing", answering)
    monkeypatch.setattr(composing, "_LOOK_S", 0.05)
    monkeypatch.setattr(composing, "_LOOKS_MAX", 40)  # a busy machine may take a second
    monkeypatch.setattr(composing, "_PAUSE_S", 0.05)
    monkeypatch.setattr(composing, "_END_S", 0.1)

    async def run() -> None:
        # A forked process needs no import, and none of its threads is needed.
        server = ComposingServer(cast(Any, multiprocessing.get_context("fork")), tmp_path / "s")
        server.start()
        try:
            first = server.pid
            assert first is not None
            await asyncio.sleep(0.5)
            assert server.pid == first, "one that answers stays"
            os.kill(first, signal.SIGSTOP)
            second = await replaced(server, first)
            os.kill(second, signal.SIGKILL)
            await replaced(server, second)
        finally:
            server.close()

    asyncio.run(run())


@pytest.mark.parametrize("closes", [False, True])
def test_a_fork_server_that_never_answers_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, closes: bool
) -> None:
    def hang(listener: socket.socket, owner: socket.socket) -> None:
        if closes:
            owner.close()
        signal.pause()

    monkeypatch.setattr(composing, "run_composing", hang)
    monkeypatch.setattr(composing, "_LOOK_S", 0.01)
    monkeypatch.setattr(composing, "_PAUSE_S", 0.05)
    monkeypatch.setattr(composing, "_FIRST_LOOKS_MAX", 10)
    monkeypatch.setattr(composing, "_END_S", 0.1)

    async def run() -> None:
        server = ComposingServer(cast(Any, multiprocessing.get_context("fork")), tmp_path / "s")
        server.start()
        try:
            assert server.pid is not None
            await replaced(server, server.pid)
        finally:
            server.close()

    asyncio.run(run())
