"""Frames between gateway and process: whole, in pieces, torn and malformed."""

from __future__ import annotations

import os
import socket
import threading

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.composing import frames

kinds = st.integers(0, 255)
bodies = st.lists(st.binary(max_size=300), max_size=4)


def pair() -> tuple[socket.socket, socket.socket]:
    ours, theirs = socket.socketpair()
    ours.settimeout(10)
    theirs.settimeout(10)
    return ours, theirs


def encoded(kind: int, head: bytes, body: list[bytes]) -> bytes:
    return b"".join(frames.parts_of(kind, head, [pa.py_buffer(part) for part in body]))


@given(
    kind=kinds,
    head=st.binary(max_size=300),
    body=bodies,
    cut=st.integers(0, 900),
    is_alone=st.booleans(),
)
def test_a_frame_arrives_as_it_was_sent(
    kind: int, head: bytes, body: list[bytes], cut: int, *, is_alone: bool
) -> None:
    ours, theirs = pair()
    with ours, theirs:
        sent = encoded(kind, head, body)
        theirs.sendall(sent[:cut])
        writing = threading.Thread(target=theirs.sendall, args=(sent[cut:],))
        writing.start()
        found = frames.receive(ours, is_alone=is_alone)
        writing.join()
    assert found is not None
    assert (found.kind, found.head) == (kind, head)
    assert (b"" if found.body is None else found.body.to_pybytes()) == b"".join(body)


def test_a_second_frame_is_refused_where_only_one_may_come() -> None:
    ours, theirs = pair()
    with ours, theirs:
        theirs.sendall(encoded(1, b"head", [b"body"]) * 2)
        with pytest.raises(frames.TornFrameError):
            frames.receive(ours, is_alone=True)
        theirs.sendall(encoded(1, b"head", [b"body"]) * 2)
        for _ in range(2):
            found = frames.receive(ours)
            assert found is not None
            assert found.head == b"head"


@given(
    kind=kinds,
    head=st.binary(max_size=60),
    body=bodies,
    data=st.data(),
    is_alone=st.booleans(),
)
def test_a_frame_that_ends_early_is_torn(
    kind: int, head: bytes, body: list[bytes], data: st.DataObject, *, is_alone: bool
) -> None:
    sent = encoded(kind, head, body)
    cut = data.draw(st.integers(0, len(sent) - 1))
    ours, theirs = pair()
    with ours:
        with theirs:
            theirs.sendall(sent[:cut])
        if cut == 0:
            assert frames.receive(ours, is_alone=is_alone) is None
        else:
            with pytest.raises(frames.TornFrameError):
                frames.receive(ours, is_alone=is_alone)


@given(st.binary(min_size=1, max_size=100))
def test_malformed_bytes_are_a_torn_frame(sent: bytes) -> None:
    ours, theirs = pair()
    with ours:
        with theirs:
            theirs.sendall(b"\xff" * 8 + sent)
        with pytest.raises(frames.TornFrameError):
            frames.receive(ours)


def test_a_large_body_goes_through_a_small_socket() -> None:
    ours, theirs = pair()
    body = [pa.py_buffer(os.urandom(1 << 20)) for _ in range(5)]
    with ours, theirs:
        writing = threading.Thread(target=frames.send, args=(theirs, 7, b"head", body))
        writing.start()
        found = frames.receive(ours)
        writing.join()
    assert found is not None
    assert found.body is not None
    assert found.body.to_pybytes() == b"".join(part.to_pybytes() for part in body)


def test_a_file_descriptor_goes_with_a_frame() -> None:
    ours, theirs = pair()
    passed, kept = pair()
    with ours, theirs, kept:
        with passed:
            frames.send(theirs, 1, b"head", fds=[passed.fileno()])
        found = frames.receive(ours, fds_max=1)
        assert found is not None
        assert found.fd is not None
        with socket.socket(fileno=found.fd) as arrived:
            arrived.sendall(b"here")
            assert kept.recv(10) == b"here"


SCHEMA = pa.schema([("n", pa.int64()), ("t", pa.string())])


@given(st.binary(max_size=200))
def test_bytes_that_are_not_a_batch_are_torn_or_read(body: bytes) -> None:
    try:
        found = frames.batches_in(pa.py_buffer(body), [len(body)], SCHEMA)
    except frames.TornFrameError:
        return
    assert len(found) == 1


def test_batches_share_the_memory_of_their_frame() -> None:
    batch = pa.record_batch([pa.array([1, 2]), pa.array(["a", None])], schema=SCHEMA)
    body = pa.py_buffer(batch.serialize().to_pybytes() * 2)
    before = pa.total_allocated_bytes()
    found = frames.batches_in(body, [body.size // 2] * 2, SCHEMA)
    assert pa.total_allocated_bytes() == before
    assert found == [batch, batch]
