"""The questions of workers to each other: sessions, statements, cancels and metrics.

Each worker answers on a socket in a directory that only this user can read, one question a
connection, in JSON. Its event loop answers; for metrics, their own thread does.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from stategate.planner.errors import UnavailableError

logger = logging.getLogger(__name__)

T = TypeVar("T")

_TIMEOUT_S = 5.0
"""How long a worker may take to answer. Metrics wait for the log for a second."""
_QUESTION_BYTES_MAX = 1 << 16
_READ_BYTES = 1 << 16

Answer = Callable[..., Awaitable[Any]]
"""Takes the arguments of a question, and returns a value that JSON can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerPlace:
    """The number of a worker, and where it finds the others."""

    number: int
    """The number of this worker, from 0."""
    count: int
    """Number of workers of the gateway."""
    directory: Path
    """The directory of the sockets on which workers ask each other; only this user has access."""
    started_ms: int
    """When the gateway was started, in epoch milliseconds."""

    @property
    def composing_socket(self) -> Path:
        """The socket of the fork server of the processes that compose statements."""
        return composing_socket(self.directory)


def composing_socket(directory: Path) -> Path:
    """Return the socket on which workers ask for processes that compose statements."""
    return directory / "composing.sock"


class Siblings:
    """The other workers. `ask` and `ask_all` block, so the event loop uses `tell`.

    Args:
        place: the place of this worker in the gateway.
    """

    def __init__(self, place: WorkerPlace) -> None:
        self.place = place
        self._others = [number for number in range(place.count) if number != place.number]
        self._threads = ThreadPoolExecutor(
            max_workers=len(self._others), thread_name_prefix="siblings"
        )
        self._server: asyncio.Server | None = None

    async def answer(self, answers: Mapping[str, Answer]) -> None:
        """Answer the others from now on, in the running loop.

        Args:
            answers: for each question, the function that answers it.
        """

        async def on_asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                async with asyncio.timeout(_TIMEOUT_S):
                    name, *arguments = msgspec.json.decode(await reader.readline())
                    writer.write(msgspec.json.encode(await answers[name](*arguments)))
                    await writer.drain()
            except Exception:  # the asker gets no answer, and reports that
                logger.exception("question of a worker not answered")
            finally:
                writer.close()

        path = self._path(self.place.number)
        path.unlink(missing_ok=True)  # a killed worker may have left it
        self._server = await asyncio.start_unix_server(on_asked, path, limit=_QUESTION_BYTES_MAX)

    def ask(self, number: int, kind: type[T], name: str, *arguments: object) -> T:
        """Ask one worker.

        Args:
            number: the worker.
            kind: the type of the answer.
            name: the question.
            arguments: its arguments.

        Raises:
            UnavailableError: it did not answer in time (55000).
        """
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(_TIMEOUT_S)
                line.connect(str(self._path(number)))
                line.sendall(msgspec.json.encode([name, *arguments]) + b"\n")
                received = bytearray()
                while read := line.recv(_READ_BYTES):
                    received += read
            return msgspec.json.decode(received, type=kind)
        except (OSError, msgspec.MsgspecError) as error:
            raise UnavailableError(f"worker {number} did not answer: {error}") from error

    def ask_all(self, kind: type[T], name: str, *arguments: object) -> Mapping[int, T]:
        """Ask all other workers at once; return the answers by the number of the worker.

        A worker that does not run is left out: it has no sessions and no statements.

        Raises:
            UnavailableError: a worker that runs did not answer in time (55000).
        """
        asked = {
            number: self._threads.submit(self._ask_if_it_runs, number, kind, name, *arguments)
            for number in self._others
        }
        found: dict[int, T] = {}
        for number, answers in asked.items():
            for answer in answers.result():
                found[number] = answer
        return found

    def _ask_if_it_runs(
        self, number: int, kind: type[T], name: str, *arguments: object
    ) -> tuple[T, ...]:
        """Return a worker's answer; nothing if the worker does not run.

        A lost connection may be the first sign that the worker has died, so it is asked again.
        """
        for is_last in (False, True):
            try:
                return (self.ask(number, kind, name, *arguments),)
            except UnavailableError as error:
                if isinstance(error.__cause__, ConnectionRefusedError | FileNotFoundError):
                    break
                if is_last or isinstance(error.__cause__, TimeoutError):
                    raise
        return ()

    async def tell(self, number: int, name: str, *arguments: object) -> None:
        """Tell another worker, and wait until it has answered. A failure is only logged."""
        asked = self._threads.submit(self.ask, number, object, name, *arguments)
        try:
            await asyncio.wrap_future(asked)
        except UnavailableError as error:
            logger.warning("%s", error)

    def close(self) -> None:
        """Stop answering."""
        if self._server is not None:
            self._server.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        with suppress(OSError):
            self._path(self.place.number).unlink()

    def _path(self, number: int) -> Path:
        return self.place.directory / f"{number}.sock"
