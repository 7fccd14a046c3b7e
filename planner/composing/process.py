"""The gateway's end of one composing process: lanes for statements, and how to kill it."""

from __future__ import annotations

import itertools
import logging
import pickle
import socket
import threading
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import msgspec
import pyarrow as pa

from stategate.planner.composing import frames
from stategate.planner.composing.database import DatabaseError, Definition
from stategate.planner.composing.forkserver import FORK_SERVER, ForkServer
from stategate.planner.composing.messages import (
    NUMBERS,
    RETIRED,
    Failed,
    Kind,
    Open,
    ProcessLimits,
    Reply,
    SentRelation,
    decode_reply,
)
from stategate.planner.errors import out_of_files

logger = logging.getLogger(__name__)

START_S = 30.0
"""How long a process may take to start; it takes some milliseconds, the first one a second."""


class ProcessEndedError(Exception):
    """The process ended, or was killed, before it replied."""


class ProcessSpentError(ProcessEndedError):
    """The process begins nothing more; what it has begun goes on."""


def connected() -> tuple[socket.socket, socket.socket]:
    """Return a pair of connected sockets.

    Raises:
        UnavailableError: the gateway has reached its limit of open files.
    """
    try:
        return socket.socketpair()
    except OSError as error:
        logger.error("a socket could not be made error=%s", error)
        raise out_of_files(f"A socket could not be made: {error.strerror}.") from error


class Lane:
    """A socket that serves one statement at a time."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        self._sock, self.number = sock, number
        self._statements = itertools.count(1)

    def statement(self) -> int:
        """Return a number for the next statement."""
        return next(self._statements)

    def call(
        self,
        kind: Kind,
        head: bytes = b"",
        body: Sequence[pa.Buffer] = (),
        *,
        fds: Sequence[int] = (),
    ) -> tuple[Reply, pa.Buffer | None]:
        """Send a request, with these file descriptors, and wait for the reply.

        Raises:
            ProcessEndedError: the process ended first.
        """
        try:
            frames.send(self._sock, kind, head, body, fds=fds)
            frame = frames.receive(self._sock, is_alone=True)
            if frame is None or frame.kind != Kind.REPLY:
                raise ProcessEndedError
            return decode_reply(frame.head), frame.body
        except (OSError, msgspec.MsgspecError) as error:
            raise ProcessEndedError from error

    def shut(self) -> None:
        """Wake the thread that waits for a reply; it fails."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket."""
        self._sock.close()


class ComposingProcess:
    """One process. Safe to use from many threads.

    Args:
        limits: enforced by the operating system.
        forks: the fork server that starts it.
        place: the place of a process that several gateway processes share; None for one that only
            this gateway process uses.

    Raises:
        OSError: the process cannot be started.
        UnavailableError: its socket cannot be made.
    """

    def __init__(
        self,
        limits: ProcessLimits,
        forks: ForkServer = FORK_SERVER,
        *,
        place: int | None = None,
    ) -> None:
        self.load = 0
        """How many statements of this gateway process it runs; counted by the pool."""
        self._load_at_end = 0
        self.is_ended = False
        self.is_spent = False
        """Whether it gets no more statements."""
        self._was_killed: bool | None = None
        self._forks, self.place, self._is_shared = forks, place, place is not None
        self._asking = threading.Lock()
        self._lock = threading.RLock()  # garbage collection may take it again
        self._numbers = itertools.count(1)
        self._idle: list[Lane] = []
        self._lanes: dict[int, Lane] = {}
        self._open: dict[int, Definition] = {}
        self._opening: defaultdict[int, threading.Lock] = defaultdict(threading.Lock)
        self._control, theirs = connected()
        try:
            forks.start(theirs, limits, place=place)
        except BaseException:
            self._control.close()
            raise
        finally:
            theirs.close()
        self.pid = self._greeted()

    @property
    def was_killed(self) -> bool:
        """Whether it ended without a fault of its statements. Call it once it has ended."""
        with self._asking:
            if self._was_killed is None:
                self._was_killed = self._is_shared and self._forks.was_killed(self.pid)
            return self._was_killed

    @property
    def was_alone(self) -> bool:
        """Whether a statement of this gateway process was the only one as it ended."""
        return self._load_at_end <= 1 and not self._is_shared

    def take_lane(self) -> Lane:
        """Return a lane for a statement.

        Raises:
            ProcessEndedError: the process has ended.
            UnavailableError: its socket cannot be made.
        """
        with self._lock:
            if self.is_ended:
                raise ProcessEndedError
            if self._idle:
                return self._idle.pop()
            ours, theirs = connected()
            number = next(self._numbers)
            try:
                frames.send(
                    self._control, Kind.LANE, NUMBERS.pack(number, 0), fds=[theirs.fileno()]
                )
            except OSError as error:
                ours.close()
                raise ProcessEndedError from error
            finally:
                theirs.close()
            lane = self._lanes[number] = Lane(ours, number)
            return lane

    def give_lane(self, lane: Lane) -> None:
        """Take back a lane whose statement has ended."""
        with self._lock:
            if not self.is_ended:
                self._idle.append(lane)
                return
        lane.close()

    def open(self, number: int, definition: Definition) -> None:
        """Make a database, unless the process has it.

        Raises:
            ProcessEndedError: the process has ended, or is spent.
            DatabaseError: it cannot be made.
        """
        if number in self._open:
            return
        with self._lock:
            opening = self._opening[number]
        with opening:
            if number in self._open:
                return
            lane = self.take_lane()
            try:
                reply, _ = lane.call(Kind.OPEN, *_opening(number, definition))
                if isinstance(reply, Failed):
                    is_retired = reply.kind == RETIRED
                    self.is_spent = self.is_spent or reply.is_spent or is_retired
                    if is_retired:
                        raise ProcessSpentError
                    raise DatabaseError(reply.kind, reply.text)
                self._open[number] = definition
            finally:
                self.give_lane(lane)

    def open_as(self, other: ComposingProcess) -> None:
        """Make the databases that another process has.

        Raises:
            ProcessEndedError: the process has ended.
            DatabaseError: one cannot be made.
        """
        for number, definition in tuple(other._open.items()):
            self.open(number, definition)

    def drop(self, number: int) -> None:
        """Drop a database, if the process has it."""
        if number in self._open:
            self._open.pop(number, None)
            self._tell(Kind.DROP, number)

    def interrupt(self, lane: Lane, statement: int) -> None:
        """Ask a statement to end early. Does not block."""
        self._tell(Kind.INTERRUPT, lane.number, statement)

    def kill(self) -> None:
        """Kill the process to end a statement; calls that wait for it fail. Does not block."""
        if not self.is_ended:
            self._was_killed = True  # before a call that waits for it fails
            if self._close_lanes():
                self._forks.kill(self.pid)
                self._control.close()

    def end(self) -> None:
        """Give up the process, which has failed, and have it killed if it still runs."""
        if self._close_lanes():
            self._forks.end_failed(self.pid)
            self._control.close()

    def leave(self) -> None:
        """End the process, or leave it to the other gateway processes. Does not block."""
        if not self._is_shared:
            self.kill()
        elif not self.is_ended:
            self._was_killed = True
            if self._close_lanes():
                self._control.close()

    def _close_lanes(self) -> bool:
        """Close all lanes; return False if this has been done."""
        with self._lock:
            if self.is_ended:
                return False
            self.is_ended, self._load_at_end = True, self.load
            idle = set(map(id, self._idle))
            for lane in self._lanes.values():
                if id(lane) in idle:
                    lane.close()
                else:
                    lane.shut()
            self._lanes.clear()
            self._idle.clear()
            return True

    def _greeted(self) -> int:
        """Wait until the process is ready; return its id."""
        self._control.settimeout(START_S)
        try:
            frame = frames.receive(self._control)
            if frame is None:
                raise OSError("the composing process ended at its start")
        except TimeoutError:
            self._control.close()
            self._forks.close()  # it hangs; the next call starts another
            raise
        except OSError:
            self._control.close()
            raise
        self._control.settimeout(None)
        pid, _ = NUMBERS.unpack(frame.head)
        return int(pid)

    def _tell(self, kind: Kind, number: int, other: int = 0) -> None:
        parts = frames.parts_of(kind, NUMBERS.pack(number, other))
        with self._lock, suppress(OSError):
            self._control.sendmsg(parts, [], socket.MSG_DONTWAIT)


def _opening(number: int, definition: Definition) -> tuple[bytes, list[pa.Buffer]]:
    """Return head and body of the request that makes a database."""
    body: list[pa.Buffer] = []
    tables: list[SentRelation] = []
    for name, table in definition.tables.items():
        parts = [batch.serialize() for batch in table.to_batches()]
        schema = table.schema.serialize().to_pybytes()
        tables.append(SentRelation(name, schema, tuple(part.size for part in parts), True))
        body += parts
    rest = replace(definition, tables={})
    return pickle.dumps(Open(number, rest, tuple(tables))), body
