"""The interface of a client's socket that its session needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """A call that `ClientSocket.call_later` has scheduled."""

    def cancel(self) -> None:
        """Cancel the call."""


class ClientSocket(Protocol):
    """The interface of the client's socket that a session needs."""

    @property
    def name(self) -> str:
        """The client's name in logs."""

    def write(self, encoded: bytes) -> None:
        """Send bytes soon."""

    async def drained(self) -> None:
        """Wait until the client has read most of the output.

        Raises:
            ConnectionError: the client is gone.
        """

    def call_later(self, delay_s: float, callback: Callable[[], object]) -> Timer:
        """Call back after a delay."""

    def answer_later(self, answer: bytes | None) -> None:
        """Take the answer to the bytes that were received last; None for the slow path."""
