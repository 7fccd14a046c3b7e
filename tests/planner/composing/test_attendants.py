"""Threads that take turns at watching sockets."""

from __future__ import annotations

import socket
import threading

import pytest

from planner.composing.attendants import READ, Attendants


def test_every_socket_is_attended_to_while_others_work() -> None:
    """As many at once as there are threads for; the rest when one is done."""
    attendants = Attendants("test", threads_max=3)
    inside, done = threading.Semaphore(0), threading.Semaphore(0)
    go_on = threading.Event()
    pairs = [socket.socketpair() for _ in range(6)]

    def attend(sock: socket.socket) -> int:
        sock.recv(1)
        inside.release()
        assert go_on.wait(10)
        done.release()
        return READ

    for ours, theirs in pairs:
        attendants.add(ours, lambda sock=ours: attend(sock))  # type: ignore[misc]
        theirs.sendall(b"x")
    for _ in range(3):
        assert inside.acquire(timeout=10)
    assert not inside.acquire(blocking=False)
    go_on.set()
    for _ in range(6):
        assert done.acquire(timeout=10)
    pairs[0][1].sendall(b"y")  # it is watched again
    assert done.acquire(timeout=10)
    for ours, theirs in pairs:
        attendants.drop(ours)
        ours.close()
        theirs.close()


def test_without_memory_for_a_thread_those_that_there_are_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attendants = Attendants("test", threads_max=3)
    ours, theirs = socket.socketpair()
    heard = threading.Semaphore(0)

    def attend() -> int:
        ours.recv(1)
        heard.release()
        return READ

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError):  # no one would watch it
            attendants.add(ours, attend)
    attendants.drop(ours)
    attendants.add(ours, attend)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        for _ in range(3):
            theirs.sendall(b"x")
            assert heard.acquire(timeout=10)
    theirs.sendall(b"x")
    assert heard.acquire(timeout=10)
    attendants.drop(ours)
    ours.close()
    theirs.close()


def test_a_socket_that_is_dropped_leaves_its_number_to_others() -> None:
    attendants = Attendants("test", threads_max=1)
    for _ in range(3):
        ours, theirs = socket.socketpair()
        heard = threading.Event()

        def attend(sock: socket.socket = ours, heard: threading.Event = heard) -> int:
            sock.recv(1)
            heard.set()
            return READ

        attendants.add(ours, attend)
        theirs.sendall(b"x")
        assert heard.wait(10)
        attendants.drop(ours)
        ours.close()
        theirs.close()


def test_one_that_fails_is_logged_and_the_others_are_attended_to(
    caplog: pytest.LogCaptureFixture,
) -> None:
    attendants = Attendants("test", threads_max=1)
    (broken, asks), (ours, theirs) = socket.socketpair(), socket.socketpair()
    heard = threading.Event()

    def attend() -> int:
        heard.set()
        return 0

    def fail() -> int:
        raise KeyError("missing")

    attendants.add(broken, fail)
    asks.sendall(b"x")
    attendants.add(ours, attend)
    theirs.sendall(b"x")
    assert heard.wait(10)
    assert "could not be attended to" in caplog.text
    for each in (broken, asks, ours, theirs):
        attendants.drop(each)
        each.close()
