"""What a worker learns of the others, also of one that is just dying."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stategate.gateway.workers.siblings import Siblings, WorkerPlace
from stategate.planner.errors import UnavailableError

Behave = Callable[[socket.socket, socket.socket], None]
"""What a worker does with its listener and the connection of who asks."""


def answers(_: socket.socket, asked: socket.socket) -> None:
    asked.recv(4_096)
    asked.sendall(b"7")


def fails(_: socket.socket, asked: socket.socket) -> None:
    """Close the connection without an answer, as after an error."""
    asked.recv(4_096)


def dies(listener: socket.socket, _: socket.socket) -> None:
    """Close everything before the question is read: the connection is reset."""
    listener.close()


def dies_late(listener: socket.socket, asked: socket.socket) -> None:
    asked.recv(4_096)
    listener.close()


@contextmanager
def worker(path: Path, *behaves: Behave) -> Iterator[None]:
    """Take one connection for each behaviour."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            for behave in behaves:
                with listener.accept()[0] as asked:
                    behave(listener, asked)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield
        thread.join(10)
        assert not thread.is_alive()


@pytest.fixture
def siblings(tmp_path: Path) -> Iterator[Siblings]:
    made = Siblings(WorkerPlace(number=0, count=2, directory=tmp_path, started_ms=0))
    yield made
    made.close()


def test_a_worker_that_does_not_run_is_left_out(siblings: Siblings) -> None:
    assert siblings.ask_all(int, "sessions") == {}


@pytest.mark.parametrize(
    ("behaves", "found"),
    [
        ((answers,), {1: 7}),
        ((dies,), {}),
        ((dies_late,), {}),
        ((fails, answers), {1: 7}),
    ],
)
def test_a_worker_whose_connection_is_lost_is_asked_again(
    siblings: Siblings, behaves: tuple[Behave, ...], found: dict[int, int]
) -> None:
    with worker(siblings.place.directory / "1.sock", *behaves):
        assert siblings.ask_all(int, "sessions") == found


def test_a_worker_that_runs_and_does_not_answer_is_an_error(siblings: Siblings) -> None:
    with (
        worker(siblings.place.directory / "1.sock", fails, fails),
        pytest.raises(UnavailableError, match="worker 1 did not answer"),
    ):
        siblings.ask_all(int, "sessions")
