"""A fork server of composing processes for many engines, as the workers of a gateway have one."""

from __future__ import annotations

import gc
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakSet

import pytest

from stategate.planner.composing.compose import composing_definition
from stategate.planner.composing.process_pool import ProcessPool, SharedProcesses
from stategate.planner.composing.remote import RemoteDatabase
from stategate.planner.statements.engine_parts import EngineLimits, EngineParts, open_parts
from stategate.planner.values.cancel import Cancellation
from stategate.stores.spec.catalog import StoreCatalog
from tests.support.waiting import WAIT_S

_END_S = 30.0
ENGINES_MAX = 100
"""Engines that tests have not closed, and that have not been collected either; each has a thread in
the composing process, which has room for some hundreds."""
_SERVE = """
import socket, sys
from stategate.planner.composing.forkserver import become_shared
become_shared(*(socket.socket(fileno=int(number)) for number in sys.argv[1:]))
"""


class SharedForkServer:
    """A shared fork server in a process.

    Args:
        directory: for its socket.
    """

    def __init__(self, directory: Path) -> None:
        self.path = directory / "composing.sock"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(128)
        self.start()

    def start(self) -> None:
        """Start the process."""
        self.owner, theirs = socket.socketpair()
        with theirs:
            passed = (self._listener.fileno(), theirs.fileno())
            command = [sys.executable, "-c", _SERVE, *map(str, passed)]
            self.process = subprocess.Popen(command, pass_fds=passed)

    def lose(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        self.owner.close()

    def close(self) -> None:
        """Let it end, once all that use it have left."""
        self.owner.close()
        self._listener.close()
        assert self.process.wait(_END_S) == 0

    def end(self) -> None:
        """End it, whoever uses it."""
        self.lose()
        self._listener.close()


@contextmanager
def shared_composing(directory: Path) -> Iterator[None]:
    """Let all engines with the usual limits use one composing process.

    An engine starts its own otherwise, and makes DuckDB's functions in it. One database of this
    content is kept, so that no engine has to make it. Engines have one time of their start, so that
    those over the same stores share a catalog, which takes half a second to make.
    """
    begun_ms = int(time.time() * 1000)
    server = SharedForkServer(directory)
    shared = SharedProcesses(forks=server.path, first=0, count=1)
    usual = EngineLimits()
    usual_of_processes = (usual.memory_bytes_max, usual.compose_processes)
    keeping = ProcessPool(memory_bytes_max=usual.memory_bytes_max, shared=shared)
    definition = composing_definition(
        memory_bytes_max=usual.memory_bytes_max, threads=usual.composer_threads
    )
    kept = RemoteDatabase(keeping, definition)
    list(kept.run("SELECT 1", cancellation=Cancellation(WAIT_S)))

    alive: WeakSet[ProcessPool] = WeakSet()
    alive_max = ENGINES_MAX

    def opened(
        catalog: StoreCatalog, limits: EngineLimits, *, started_ms: int | None, **how: Any
    ) -> EngineParts:
        nonlocal alive_max
        if len(alive) > alive_max:
            gc.collect()
            alive_max = len(alive) + ENGINES_MAX
        if (limits.memory_bytes_max, limits.compose_processes) == usual_of_processes:
            limits = replace(limits, compose_shared=limits.compose_shared or shared)
            started_ms = begun_ms if started_ms is None else started_ms
        parts = open_parts(catalog, limits, started_ms=started_ms, **how)
        alive.add(parts.processes)
        return parts

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stategate.planner.sql.open_parts", opened)
        yield
    kept.close()
    keeping.close()
    server.end()  # not all tests close their engines
