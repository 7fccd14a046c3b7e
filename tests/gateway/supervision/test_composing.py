"""The supervisor's fork server of composing processes."""

from __future__ import annotations

import signal
import socket
import sys
from types import ModuleType
from typing import Any

import pytest

from gateway.supervision.composing import run_composing

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
    wiring = Wiring("gateway.wiring")
    monkeypatch.setitem(sys.modules, "gateway.wiring", wiring)
    before = [signal.getsignal(number) for number in STOPS]
    ours, theirs = socket.socketpair()
    try:
        with ours, theirs:
            run_composing(ours, theirs)
    finally:
        for number, handler in zip(STOPS, before, strict=True):
            signal.signal(number, handler)
    assert wiring.seen == (signal.SIG_IGN,) * len(STOPS)
