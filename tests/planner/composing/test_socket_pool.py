"""A pool of threads that serve sockets."""

from __future__ import annotations

import os
import socket
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from stategate.planner.composing.socket_pool import READ, SocketPool


def test_every_socket_is_served_while_other_threads_work() -> None:
    """As many sockets are served at once as there may be threads; the others wait."""
    pool = SocketPool("test", threads_max=3)
    inside, done = threading.Semaphore(0), threading.Semaphore(0)
    go_on = threading.Event()
    pairs = [socket.socketpair() for _ in range(6)]

    def serve(sock: socket.socket) -> int:
        sock.recv(1)
        inside.release()
        assert go_on.wait(10)
        done.release()
        return READ

    for ours, theirs in pairs:
        pool.add(ours, lambda sock=ours: serve(sock))  # type: ignore[misc]
        theirs.sendall(b"x")
    for _ in range(3):
        assert inside.acquire(timeout=10)
    assert not inside.acquire(blocking=False)
    go_on.set()
    for _ in range(6):
        assert done.acquire(timeout=10)
    pairs[0][1].sendall(b"y")  # the socket is watched again
    assert done.acquire(timeout=10)
    for ours, theirs in pairs:
        pool.drop(ours)
        ours.close()
        theirs.close()


def test_without_memory_for_another_thread_the_running_ones_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = SocketPool("test", threads_max=3)
    ours, theirs = socket.socketpair()
    heard = threading.Semaphore(0)

    def serve() -> int:
        ours.recv(1)
        heard.release()
        return READ

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError):  # no thread would watch the socket
            pool.add(ours, serve)
    pool.drop(ours)
    pool.add(ours, serve)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        for _ in range(3):
            theirs.sendall(b"x")
            assert heard.acquire(timeout=10)
    theirs.sendall(b"x")
    assert heard.acquire(timeout=10)
    pool.drop(ours)
    ours.close()
    theirs.close()


def test_the_number_of_a_dropped_socket_can_be_used_again() -> None:
    pool = SocketPool("test", threads_max=1)
    for _ in range(3):
        ours, theirs = socket.socketpair()
        heard = threading.Event()

        def serve(sock: socket.socket = ours, heard: threading.Event = heard) -> int:
            sock.recv(1)
            heard.set()
            return READ

        pool.add(ours, serve)
        theirs.sendall(b"x")
        assert heard.wait(10)
        pool.drop(ours)
        ours.close()
        theirs.close()


def test_a_failing_socket_is_logged_and_shut_and_the_others_are_served(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = SocketPool("test", threads_max=1)
    (broken, asks), (ours, theirs) = socket.socketpair(), socket.socketpair()
    asks.settimeout(10)
    heard = threading.Event()

    def serve() -> int:
        heard.set()
        return 0

    def fail() -> int:
        broken.recv(1)
        raise KeyError("missing")

    pool.add(broken, fail)
    asks.sendall(b"x")
    pool.add(ours, serve)
    theirs.sendall(b"x")
    assert heard.wait(10)
    assert "could not be served" in caplog.text
    assert asks.recv(1) == b"", "whoever waits at the other end learns of it"
    for each in (broken, asks, ours, theirs):
        pool.drop(each)
        each.close()


class Short:
    """Stands for memory that is short once."""

    def __init__(self, plain: Callable[..., object]) -> None:
        self._plain, self.is_short = plain, True

    def __call__(self, *given: object) -> object:
        """Fail, or do what there is memory for."""
        if self.is_short:
            self.is_short = False
            raise MemoryError
        return self._plain(*given)


def test_a_socket_that_cannot_be_watched_again_is_shut(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = SocketPool("test", threads_max=1)
    (broken, asks), (ours, theirs) = socket.socketpair(), socket.socketpair()
    asks.settimeout(10)
    heard = threading.Event()

    def serve() -> int:
        broken.recv(1)
        monkeypatch.setattr(pool._selector, "register", Short(pool._selector.register))
        return READ

    def hear() -> int:
        heard.set()
        return 0

    pool.add(broken, serve)
    asks.sendall(b"x")
    assert asks.recv(1) == b""
    pool.add(ours, hear)
    theirs.sendall(b"x")
    assert heard.wait(10), "the thread goes on"
    for each in (broken, asks, ours, theirs):
        pool.drop(each)
        each.close()


def test_a_socket_for_which_memory_is_short_is_served_later() -> None:
    pool = SocketPool("test", threads_max=1)
    ours, theirs = socket.socketpair()
    heard = threading.Event()

    class Ready(deque[Any]):
        is_short = True

        def append(self, each: Any) -> None:
            if self.is_short:
                self.is_short = False
                raise MemoryError
            super().append(each)

    def hear() -> int:
        heard.set()
        return 0

    pool._ready = Ready()
    pool.add(ours, hear)
    theirs.sendall(b"x")
    assert heard.wait(10)
    for each in (ours, theirs):
        pool.drop(each)
        each.close()


class Reused(socket.socket):
    """A socket that another thread closes while its number is looked up to unregister it."""

    on_lookup: Callable[[], None] | None = None

    def fileno(self) -> int:
        number = super().fileno()
        meanwhile, self.on_lookup = self.on_lookup, None
        if meanwhile is not None:
            meanwhile()
        return number


def test_a_socket_with_the_number_of_one_just_closed_is_served() -> None:
    pool = SocketPool("test", threads_max=2)
    served = threading.Event()
    plain, theirs = socket.socketpair()
    first = Reused(fileno=plain.detach())
    later: list[socket.socket] = []
    closers: list[threading.Thread] = []

    def close_and_reuse() -> None:
        number = socket.socket.fileno(first)
        fresh, peer = socket.socketpair()
        pool.drop(first)
        first.close()
        os.dup2(fresh.fileno(), number)
        reused = socket.socket(fileno=number)
        later.extend((fresh, peer, reused))
        pool.add(reused, lambda: served.set() or 0)  # type: ignore[func-returns-value]
        peer.sendall(b"x")

    def meanwhile() -> None:
        closers.append(threading.Thread(target=close_and_reuse))
        closers[0].start()
        closers[0].join(0.5)  # the thread may have to wait for the lookup to end

    def serve() -> int:
        return 0

    pool.add(first, serve)
    first.on_lookup = meanwhile
    theirs.sendall(b"x")
    assert served.wait(10)
    closers[0].join()
    for each in (theirs, *later):
        each.close()
