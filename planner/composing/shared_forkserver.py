"""A fork server for several gateway processes, which share its composing processes.

It has one thread and waits for no one: whoever does not read, or sends half a frame, is dropped.

A gateway process that ends leaves the shared processes that it has joined. Its statements in them
are interrupted. If one of them does not end soon, the fork server kills that process, and the
statements of the others begin again, as if one of them had been cancelled. Processes of its own are
killed at once.
"""

from __future__ import annotations

import itertools
import os
import pickle
import selectors
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from planner.composing import forkserver_main, frames, process_main, shared_process
from planner.composing.forking import Children
from planner.composing.messages import NUMBERS, ForkKind, Kind, Start

LEAVE_S = 1.0
"""How long the statements of a gateway process that has ended may go on."""
_ENDED_MAX = 4_096
"""Processes that failed by themselves, of which the fork server knows; some die in a day."""
_SEND_S = 1.0
"""How long a frame of some bytes may take."""
_CHILDREN, _OTHERS = 0, 1
"""What is served first: a process that is spent must not get another gateway process."""


@dataclass(slots=True, eq=False)
class _Gateway:
    """A gateway process."""

    control: socket.socket


@dataclass(slots=True, eq=False)
class _Composing:
    """A composing process."""

    pid: int
    owner: _Gateway | None
    """The only gateway process that uses it; None if it is shared."""
    line: socket.socket | None = None
    """The line to a shared process."""
    place: int = -1
    """The place of a shared process."""
    joined: dict[int, _Gateway] = field(default_factory=dict)
    """The gateway processes that use it, by the number of their stay."""
    leaving: dict[int, float] = field(default_factory=dict)
    """When those that have ended must have left, by the number of their stay."""
    is_innocent: bool = False
    """Whether it ends for another reason than a fault of its statements."""


def main() -> NoReturn:
    """Serve gateway processes until they and the owner are gone; then end all processes.

    The arguments are two file descriptors: of the socket to which gateway processes connect, and of
    one whose other end is the owner's.
    """
    forkserver_main.prepare()
    listener, owner = (socket.socket(fileno=int(number)) for number in sys.argv[1:])
    _Forking(listener, owner).serve()
    os._exit(0)


class _Forking:
    def __init__(self, listener: socket.socket, owner: socket.socket) -> None:
        self._listener, self._owner = listener, owner
        listener.setblocking(False)
        self._children = Children()
        self._composing: dict[int, _Composing] = {}
        self._gateways: set[_Gateway] = set()
        self._places: dict[int, _Composing] = {}
        """The shared processes that gateway processes may join."""
        self._stays = itertools.count(1)
        self._failed: OrderedDict[int, None] = OrderedDict()
        self._alone: _Gateway | None = None
        self._has_owner = True
        self._selector = selectors.DefaultSelector()
        self._watch(owner, _OTHERS, self._lose_owner)
        self._watch(listener, _OTHERS, self._accept)
        self._watch(self._children.woken, _OTHERS, self._reap)

    def serve(self) -> None:
        while self._has_owner or self._gateways:
            ready = [key for key, _ in self._selector.select(self._wait_s())]
            for key in sorted(ready, key=lambda key: key.data[0]):
                if key.fileobj.fileno() >= 0:  # type: ignore[union-attr]  # open until now
                    key.data[1]()
            self._kill_late()
        self._children.kill_all()

    def _watch(self, sock: socket.socket, order: int, serve: Callable[[], None]) -> None:
        self._selector.register(sock, selectors.EVENT_READ, (order, serve))

    def _lose_owner(self) -> None:
        """Accept no more, and end with the last gateway process, whose statements go on."""
        self._has_owner = False
        for each in (self._owner, self._listener):
            self._selector.unregister(each)
            each.close()

    # --- gateway processes -----------------------------------------------------------------------

    def _accept(self) -> None:
        try:
            control, _ = self._listener.accept()
        except OSError:  # it has gone already, or there are too many open files
            return
        control.settimeout(_SEND_S)
        gateway = _Gateway(control)
        self._gateways.add(gateway)
        self._watch(control, _OTHERS, lambda: self._serve_gateway(gateway))

    def _serve_gateway(self, gateway: _Gateway) -> None:
        try:
            frame = frames.receive(gateway.control, with_fd=True)
            if frame is None:
                self._forget(gateway)
            elif frame.fd is not None:
                with socket.socket(fileno=frame.fd) as control:
                    self._start(gateway, control, pickle.loads(frame.head))
            else:
                number, _ = NUMBERS.unpack(frame.head)
                answer = self._serve_number(gateway, ForkKind(frame.kind), number)
                if answer is not None:
                    frames.send(gateway.control, ForkKind.ANSWER, NUMBERS.pack(number, answer))
        except Exception as error:  # the outermost loop: the others are served in any case
            print(f"a gateway process was dropped error={error}", file=sys.stderr)
            self._forget(gateway)

    def _serve_number(self, gateway: _Gateway, kind: ForkKind, number: int) -> int | None:
        if kind is ForkKind.KILL:
            self._kill(number)
        elif kind is ForkKind.FAILED:
            self._children.kill(number)
        elif kind is ForkKind.WAS_KILLED:
            return self._was_killed(number)
        elif kind is ForkKind.ALONE:
            self._alone = self._alone or gateway
            return self._alone is gateway
        elif kind is ForkKind.NOT_ALONE and self._alone is gateway:
            self._alone = None
        return None

    def _forget(self, gateway: _Gateway) -> None:
        """Take everything back from a gateway process that has ended."""
        self._selector.unregister(gateway.control)
        gateway.control.close()
        self._gateways.discard(gateway)
        if self._alone is gateway:
            self._alone = None
        until = time.monotonic() + LEAVE_S
        for each in self._composing.values():
            if each.owner is gateway:
                self._children.kill(each.pid)
            for stay, joined in each.joined.items():
                if joined is gateway:
                    each.leaving[stay] = until

    # --- composing processes ---------------------------------------------------------------------

    def _start(self, gateway: _Gateway, control: socket.socket, asked: Start) -> None:
        try:
            if asked.place is None:
                pid = self._fork(lambda parent: process_main.main(control, asked.limits, parent))
                self._composing[pid] = _Composing(pid, owner=gateway)
                return
            shared = self._places.get(asked.place)
            if shared is None or not self._join(shared, gateway, control):
                made = self._start_shared(asked, asked.place, control)
                self._join(made, gateway, control)
        except OSError as error:  # the gateway process sees that the socket closes
            print(f"a composing process cannot be started: {error}", file=sys.stderr)

    def _start_shared(self, asked: Start, place: int, control: socket.socket) -> _Composing:
        ours, theirs = socket.socketpair()
        with theirs:

            def run(parent: int) -> NoReturn:
                ours.close()
                control.close()  # it comes by the line, as all others
                shared_process.main(theirs, asked.limits, parent)

            try:
                pid = self._fork(run)
            except BaseException:
                ours.close()
                raise
        ours.settimeout(_SEND_S)
        made = _Composing(pid, owner=None, line=ours, place=place)
        self._composing[pid] = self._places[place] = made
        self._watch(ours, _CHILDREN, lambda: self._serve_composing(made, ours))
        return made

    def _fork(self, run: Callable[[int], NoReturn]) -> int:
        lines = [each.line for each in self._composing.values() if each.line is not None]
        controls = [each.control for each in self._gateways]
        own = (self._selector, self._listener, self._owner)
        pid = self._children.fork(run, (*own, *lines, *controls))
        self._failed.pop(pid, None)
        return pid

    def _join(self, shared: _Composing, gateway: _Gateway, control: socket.socket) -> bool:
        """Give a shared process another gateway process; return whether it could take it."""
        assert shared.line is not None, "shared processes have a line"
        stay = next(self._stays)
        try:
            frames.send(shared.line, Kind.JOIN, NUMBERS.pack(stay, 0), fd=control.fileno())
        except OSError:
            self._retire(shared)
            return False
        shared.joined[stay] = gateway
        # In the name of the process, which may be busy.
        frames.send(control, Kind.HELLO, NUMBERS.pack(shared.pid, 0))
        return True

    def _serve_composing(self, composing: _Composing, line: socket.socket) -> None:
        try:
            frame = frames.receive(line)
        except OSError:
            frame = None
        if frame is None:
            self._close_line(composing)
        elif frame.kind == Kind.SPENT:
            composing.is_innocent = True
            self._retire(composing)
        elif frame.kind == Kind.LEFT:
            stay, _ = NUMBERS.unpack(frame.head)
            composing.joined.pop(stay, None)
            composing.leaving.pop(stay, None)

    def _close_line(self, composing: _Composing) -> None:
        if composing.line is not None:
            self._selector.unregister(composing.line)
            composing.line.close()
            composing.line = None
        self._retire(composing)

    def _retire(self, composing: _Composing) -> None:
        """Let no other gateway process join."""
        if self._places.get(composing.place) is composing:
            del self._places[composing.place]

    def _kill(self, pid: int) -> None:
        found = self._composing.get(pid)
        if found is not None:
            found.is_innocent = True
            self._retire(found)
            self._children.kill(pid)

    def _was_killed(self, pid: int) -> bool:
        """Return whether a process has ended, or is ending, without a fault of its statements.

        That holds for unknown processes: they have ended with an earlier fork server.
        """
        if pid in self._failed:
            return False
        found = self._composing.get(pid)
        return found is None or found.is_innocent

    def _reap(self) -> None:
        for pid in self._children.reap():
            ended = self._composing.pop(pid, None)
            if ended is None:
                continue
            self._close_line(ended)
            if not ended.is_innocent:
                self._failed[pid] = None
                if len(self._failed) > _ENDED_MAX:
                    self._failed.popitem(last=False)

    def _wait_s(self) -> float | None:
        times = [time_s for each in self._composing.values() for time_s in each.leaving.values()]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _kill_late(self) -> None:
        """Kill the processes in which a statement of a gateway process outlives it."""
        now = time.monotonic()
        for each in tuple(self._composing.values()):
            if each.leaving and min(each.leaving.values()) <= now:
                print(f"statements outlive their gateway process pid={each.pid}", file=sys.stderr)
                each.leaving.clear()
                with suppress(ProcessLookupError):
                    self._kill(each.pid)


if __name__ == "__main__":
    main()
