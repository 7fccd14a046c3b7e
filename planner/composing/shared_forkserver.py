"""A fork server for several gateway processes, which share its composing processes.

It has one thread and waits for no one: whoever does not read, or sends half a frame, is dropped.

A gateway process that ends leaves the shared processes that it has joined. Its statements in them
are interrupted. If one of them does not end soon, the fork server kills that process, and the
statements of the others begin again, as if one of them had been cancelled. Processes of its own are
killed sooner.

One that has only lost its connection to the fork server has left nothing. Whether it uses a
composing process is told by its socket to that process, of which the fork server keeps the other
end.
"""

from __future__ import annotations

import errno
import itertools
import os
import pickle
import select
import selectors
import socket
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NoReturn

from stategate.planner.composing import forkserver_main, frames, process_main, shared_process
from stategate.planner.composing.forking import Children
from stategate.planner.composing.messages import NUMBERS, ForkKind, Kind, Start

LEAVE_S = 1.0
"""How long the statements of a gateway process that has ended may go on."""
_LOOK_S = 0.05
"""How long the sockets of a gateway process that has ended take to close."""
_ENDED_MAX = 4_096
"""Processes that failed by themselves, of which the fork server knows; some die in a day."""
_ASKED_MAX = 64
"""Bytes of the owner that are answered at once; it sends one at a time."""
_ACCEPT_PAUSE_S = 0.05
"""Pause after a connection that could not be accepted, for want of open files."""
_SEND_S = 1.0
"""How long a frame of some bytes may take."""
_CHILDREN, _OTHERS = 0, 1
"""What is served first: a process that is spent must not get another gateway process."""


@dataclass(slots=True, eq=False)
class _Gateway:
    """A gateway process."""

    control: socket.socket


@dataclass(slots=True, eq=False)
class _Stay:
    """A gateway process uses a composing process."""

    gateway: _Gateway
    control: socket.socket
    """A copy of the composing process's end of its control socket."""
    look_s: float | None = None
    """When to look whether it is over; None while the gateway process is connected."""

    @property
    def is_over(self) -> bool:
        """Whether the gateway process has closed its end, or has ended."""
        hung_up = select.poll()
        hung_up.register(self.control, 0)
        return bool(hung_up.poll(0))


@dataclass(slots=True, eq=False)
class _Composing:
    """A composing process."""

    pid: int
    line: socket.socket | None = None
    """The line to a shared process."""
    place: int | None = None
    """The place of a shared process; None if only one gateway process uses it."""
    stays: dict[int, _Stay] = field(default_factory=dict)
    """The gateway processes that use it, by number."""
    is_innocent: bool = False
    """Whether it ends for another reason than a fault of its statements."""


def main() -> NoReturn:
    """Serve gateway processes until they and the owner are gone; then end all processes.

    The arguments are two file descriptors: of the socket to which gateway processes connect, and of
    one whose other end is the owner's. What the owner sends is sent back: it replaces a fork server
    that hangs.
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
        self._watch(owner, _OTHERS, self._serve_owner)
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

    def _serve_owner(self) -> None:
        """Answer the owner, which asks whether this process still serves."""
        try:
            asked = self._owner.recv(_ASKED_MAX)
            if asked:
                self._owner.send(asked, socket.MSG_DONTWAIT)
        except BlockingIOError:  # it does not read
            return
        except OSError:
            asked = b""
        if not asked:
            self._lose_owner()

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
        except OSError as error:  # it has gone already, or there are too many open files
            if error.errno in {errno.EMFILE, errno.ENFILE}:
                time.sleep(_ACCEPT_PAUSE_S)  # it would be tried again at once, and again
            return
        control.settimeout(_SEND_S)
        gateway = _Gateway(control)
        self._gateways.add(gateway)
        self._watch(control, _OTHERS, lambda: self._serve_gateway(gateway))

    def _serve_gateway(self, gateway: _Gateway) -> None:
        try:
            frame = frames.receive(gateway.control, fds_max=1)
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
        """Take everything back from a gateway process that has ended or lost its connection."""
        self._selector.unregister(gateway.control)
        gateway.control.close()
        self._gateways.discard(gateway)
        if self._alone is gateway:
            self._alone = None
        now = time.monotonic()
        for each in self._composing.values():
            for stay in each.stays.values():
                if stay.gateway is gateway:
                    stay.look_s = now + (_LOOK_S if each.place is None else LEAVE_S)

    # --- composing processes ---------------------------------------------------------------------

    def _start(self, gateway: _Gateway, control: socket.socket, asked: Start) -> None:
        try:
            if asked.place is None:
                self._start_own(asked, gateway, control)
                return
            shared = self._places.get(asked.place)
            if shared is None or not self._join(shared, gateway, control):
                made = self._start_shared(asked, asked.place, control)
                self._join(made, gateway, control)
        except OSError as error:  # the gateway process sees that the socket closes
            print(f"a composing process cannot be started: {error}", file=sys.stderr)

    def _start_own(self, asked: Start, gateway: _Gateway, control: socket.socket) -> None:
        kept = control.dup()
        try:
            pid = self._fork(lambda parent: process_main.main(control, asked.limits, parent))
        except BaseException:
            kept.close()
            raise
        stays = {next(self._stays): _Stay(gateway, kept)}
        self._composing[pid] = _Composing(pid, stays=stays)

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
        made = _Composing(pid, line=ours, place=place)
        self._composing[pid] = self._places[place] = made
        self._watch(ours, _CHILDREN, lambda: self._serve_composing(made, ours))
        return made

    def _fork(self, run: Callable[[int], NoReturn]) -> int:
        lines = [each.line for each in self._composing.values() if each.line is not None]
        controls = [each.control for each in self._gateways]
        stays = [stay.control for each in self._composing.values() for stay in each.stays.values()]
        own = (self._selector, self._listener, self._owner)
        pid = self._children.fork(run, (*own, *lines, *controls, *stays))
        self._failed.pop(pid, None)
        return pid

    def _join(self, shared: _Composing, gateway: _Gateway, control: socket.socket) -> bool:
        """Give a shared process another gateway process; return whether it could take it."""
        assert shared.line is not None, "shared processes have a line"
        number, kept = next(self._stays), control.dup()
        try:
            frames.send(shared.line, Kind.JOIN, NUMBERS.pack(number, 0), fds=[control.fileno()])
        except OSError:
            kept.close()
            self._retire(shared)
            return False
        shared.stays[number] = _Stay(gateway, kept)
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
            number, _ = NUMBERS.unpack(frame.head)
            left = composing.stays.pop(number, None)
            if left is not None:
                left.control.close()

    def _close_line(self, composing: _Composing) -> None:
        if composing.line is not None:
            self._selector.unregister(composing.line)
            composing.line.close()
            composing.line = None
        self._retire(composing)

    def _retire(self, composing: _Composing) -> None:
        """Let no other gateway process join."""
        if composing.place is not None and self._places.get(composing.place) is composing:
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
            for stay in ended.stays.values():
                stay.control.close()
            if not ended.is_innocent:
                self._failed[pid] = None
                if len(self._failed) > _ENDED_MAX:
                    self._failed.popitem(last=False)

    def _wait_s(self) -> float | None:
        stays = [stay for each in self._composing.values() for stay in each.stays.values()]
        times = [stay.look_s for stay in stays if stay.look_s is not None]
        return max(0.0, min(times) - time.monotonic()) if times else None

    def _kill_late(self) -> None:
        """Kill the processes in which a statement of a gateway process outlives it."""
        now = time.monotonic()
        for each in tuple(self._composing.values()):
            stays = each.stays.values()
            late = [stay for stay in stays if stay.look_s is not None and stay.look_s <= now]
            for stay in late:
                stay.look_s = now + LEAVE_S
            if any(stay.is_over for stay in late):
                print(f"statements outlive their gateway process pid={each.pid}", file=sys.stderr)
                with suppress(ProcessLookupError):
                    self._kill(each.pid)


if __name__ == "__main__":
    main()
