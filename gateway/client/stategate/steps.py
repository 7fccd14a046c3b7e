"""What the client does, as steps that threads and event loops take in their own way.

A function that talks to a gateway is a generator. It yields a step and is sent the step's result,
or is thrown its error. `run` takes the steps in a thread, `run_async` on an event loop. So there is
one text of retries, bounds and answers for both.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """Send a request; the result is a `Reply`."""

    url: str
    """The base URL of the gateway."""
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    timeout_s: float
    """How long to wait for a connection, and for the head of the reply."""
    part_timeout_s: float
    """How long to wait for each part of the reply."""
    method: str = "POST"
    """GET has no body."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The head of an answer, and the source of its body."""

    url: str
    status: int
    retry_after: str
    """The header Retry-After; empty without it."""
    body: Any
    """The transport's own."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read the next part of a body; the result is empty at its end."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Close:
    """Give a reply up, which cancels its statement; without effect at the end of its body."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Pause:
    """Do nothing for a while."""

    seconds: float


Step: TypeAlias = Send | Read | Close | Pause
Steps: TypeAlias = Generator[Step, Any, T]


class Transport(Protocol):
    """Takes steps in a thread; several threads may use it at a time."""

    def take(self, step: Step) -> object:
        """Take a step and return its result.

        Raises:
            Error: no gateway answers, or not in time.
        """

    def close(self) -> None:
        """Close all connections."""


class AsyncTransport(Protocol):
    """Takes steps on an event loop."""

    async def take(self, step: Step) -> object:
        """Take a step and return its result.

        Raises:
            Error: no gateway answers, or not in time.
        """

    async def close(self) -> None:
        """Close all connections."""


def run(steps: Steps[T], transport: Transport) -> T:
    """Take all steps and return the result."""
    try:
        step = next(steps)
        while True:
            try:
                result = transport.take(step)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(result)
    except StopIteration as end:
        found: T = end.value
        return found


async def run_async(steps: Steps[T], transport: AsyncTransport) -> T:
    """Take all steps and return the result."""
    try:
        step = next(steps)
        while True:
            try:
                result = await transport.take(step)
            except BaseException as error:
                step = steps.throw(error)
            else:
                step = steps.send(result)
    except StopIteration as end:
        found: T = end.value
        return found
