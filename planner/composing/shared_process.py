"""A composing process that several gateway processes use.

Databases of the same content are one, whoever opens them. A gateway process that leaves takes its
statements with it; those of the others go on. Once the process is spent, statements begin
elsewhere, and it ends with its last reply.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import NoReturn
from weakref import WeakValueDictionary

import pyarrow as pa

from stategate.planner.composing import frames
from stategate.planner.composing.local import LocalDatabase
from stategate.planner.composing.messages import NUMBERS, Kind, Open, ProcessLimits
from stategate.planner.composing.process_main import Guest, Lane, Process, settle

_INTERRUPT_S = 0.05
"""How often the statements of a gateway process that has left are interrupted."""


def main(line: socket.socket, limits: ProcessLimits, parent: int) -> NoReturn:
    """Serve until the fork server closes the line; never returns.

    Args:
        line: brings the control sockets of gateway processes.
        limits: enforced by the operating system.
        parent: the process id of the fork server.
    """
    settle(limits, parent)
    process = _SharedProcess(limits, line)
    with suppress(OSError):
        while (frame := frames.receive(line, fds_max=1)) is not None:
            if frame.kind == Kind.JOIN and frame.fd is not None:
                process.join(socket.socket(fileno=frame.fd), NUMBERS.unpack(frame.head)[0])
    os._exit(0)  # without waiting for running statements


class _SharedProcess(Process):
    def __init__(self, limits: ProcessLimits, line: socket.socket) -> None:
        super().__init__(limits)
        self._line, self._telling = line, threading.Lock()
        self._opening = threading.Lock()
        self._opened: WeakValueDictionary[bytes, LocalDatabase] = WeakValueDictionary()
        """The databases of all guests by a hash of their contents."""
        self._busy: set[int] = set()
        """The lanes that have a request or a statement."""

    def join(self, control: socket.socket, stay: int) -> None:
        """Serve a gateway process in a thread of its own."""
        guest = Guest(self)
        serve = threading.Thread(
            target=self._serve, args=(guest, control, stay), name="guest", daemon=True
        )
        try:
            serve.start()
        except Exception as error:  # no memory for its stack
            control.close()
            self.spend()
            self._tell(Kind.LEFT, stay)
            print(f"a gateway process cannot join error={error!r}", file=sys.stderr)

    def open(self, asked: Open, body: pa.Buffer | None) -> LocalDatabase:
        """Return the database of this content; make it if it is missing."""
        content = hashlib.sha256(repr((asked.definition, asked.tables)).encode())
        content.update(body or b"")
        key = content.digest()
        with self._opening:
            found = self._opened.get(key)
            if found is None:
                found = self._opened[key] = super().open(asked, body)
            return found

    def spend(self) -> None:
        """Let no statement begin and no gateway process join; end with the last reply."""
        if not self.is_spent:
            self.is_spent = True
            self._tell(Kind.SPENT)

    def begun(self, lane: Lane) -> None:
        """Note that a lane has a request."""
        self._busy.add(id(lane))

    def ended(self, lane: Lane) -> None:
        """Note that a lane has nothing to do; end with the last one if the process is spent."""
        self._busy.discard(id(lane))
        if self.is_spent and not self._busy:
            os._exit(0)

    def _serve(self, guest: Guest, control: socket.socket, stay: int) -> None:
        try:
            while (frame := frames.receive(control, fds_max=1)) is not None:
                guest.control(frame)
        except OSError:
            pass
        except Exception as error:  # no memory, as for the thread of a lane
            self.spend()
            print(f"a gateway process cannot be served error={error!r}", file=sys.stderr)
        finally:
            control.close()
            _end_lanes(guest)
            self._tell(Kind.LEFT, stay)

    def _tell(self, kind: Kind, number: int = 0) -> None:
        with self._telling, suppress(OSError, MemoryError):
            frames.send(self._line, kind, NUMBERS.pack(number, 0))


def _end_lanes(guest: Guest) -> None:
    """Wait until nothing of a gateway process runs."""
    while guest.lanes:
        with suppress(Exception):  # without memory it is tried again
            for lane in tuple(guest.lanes.values()):
                lane.abandon()
        time.sleep(_INTERRUPT_S)
