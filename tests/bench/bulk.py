"""Read all rows of a store: by SELECT as text, and by COPY in binary.

Each is measured with two clients: psql, which also prints the rows, and a socket that only reads,
so that the server sets the pace. The gateway sends columns that it keeps decoded, even in the first
read after a start; a gateway that keeps none has lines of its own.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import TypeAlias

from tests.bench import data
from tests.bench.clients import PgTarget, program
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import Setting

SELECT = f"SELECT * FROM {data.STORE}"
COPY = f"COPY (SELECT id, visits, score, seen, city FROM {data.STORE}) TO STDOUT (FORMAT binary)"
Read: TypeAlias = Callable[[], tuple[float, int]]
"""Reads all rows; returns milliseconds and bytes."""
_READY = b"Z\0\0\0\x05I"
_RECEIVE_BYTES = 1 << 20
_TIMEOUT_S = 300.0


def select_psql(setting: Setting) -> Line:
    """SELECT as text by psql, unaligned."""
    return _measured(setting, "SELECT * by psql", SELECT, by_psql=True)


def copy_psql(setting: Setting) -> Line:
    """COPY in binary by psql."""
    return _measured(setting, "COPY binary by psql", COPY, by_psql=True)


def select_read(setting: Setting) -> Line:
    """SELECT as text, rows dropped."""
    return _measured(setting, "SELECT * read from a socket", SELECT, by_psql=False)


def copy_read(setting: Setting) -> Line:
    """COPY in binary, rows dropped."""
    return _measured(setting, "COPY binary read from a socket", COPY, by_psql=False)


def select_first(setting: Setting) -> Line:
    """SELECT as text, rows dropped, as the first statement after a start."""
    return _measured_first(setting, "first SELECT * after a start", SELECT)


def copy_first(setting: Setting) -> Line:
    """COPY in binary, rows dropped, as the first statement after a start."""
    return _measured_first(setting, "first COPY binary after a start", COPY)


def select_decoded(setting: Setting) -> Line:
    """SELECT as text, rows dropped, decoded anew each time."""
    return _measured_decoded(setting, "SELECT * without kept columns", SELECT)


def copy_decoded(setting: Setting) -> Line:
    """COPY in binary, rows dropped, decoded anew each time."""
    return _measured_decoded(setting, "COPY binary without kept columns", COPY)


def _measured(setting: Setting, work: str, sql: str, *, by_psql: bool) -> Line:
    ours, rival = setting.pair
    read = _psql_ms if by_psql else _socket_ms
    return _compared(
        setting, work, lambda: read(ours, sql), lambda: read(rival, sql), ratio_least=1.0
    )


def _measured_first(setting: Setting, work: str, sql: str) -> Line:
    _, rival = setting.pair

    def first() -> tuple[float, int]:
        with setting.fresh() as ours:
            return _socket_ms(ours, sql)

    return _compared(setting, work, first, lambda: _socket_ms(rival, sql), ratio_least=1.0)


def _measured_decoded(setting: Setting, work: str, sql: str) -> Line:
    """There is no bar: this shows what kept columns (`columns_bytes`) are worth."""
    _, rival = setting.pair
    ours = setting.forgetful
    return _compared(setting, work, lambda: _socket_ms(ours, sql), lambda: _socket_ms(rival, sql))


def _compared(
    setting: Setting, work: str, ours: Read, rival: Read, *, ratio_least: float | None = None
) -> Line:
    sizes = [read()[1] for read in (ours, rival)]
    # The order differs; the bytes differ only by fractions that end in zeros.
    if sizes[0] != sizes[1]:
        raise BenchError(f"the servers sent different numbers of bytes: {sizes}")
    ours_ms, rival_ms = by_turns(
        lambda: ours()[0], lambda: rival()[0], rounds=max(5, setting.rounds)
    )
    return Measured(
        work=f"{work}, {setting.keys:,} rows",
        unit="ms",
        ours=ours_ms,
        rival=rival_ms,
        rival_name="PostgreSQL",
        better=Better.LOWER,
        ratio_least=ratio_least,
    )


def _psql_ms(target: PgTarget, sql: str) -> tuple[float, int]:
    command = [program("psql"), target.dsn, "-X", "-At", "-c", sql]
    size = 0
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        while chunk := running.stdout.read(_RECEIVE_BYTES):
            size += len(chunk)
    if running.returncode:
        raise BenchError(f"psql failed with status {running.returncode}")
    return (time.perf_counter() - start) * 1000, size


def _socket_ms(target: PgTarget, sql: str) -> tuple[float, int]:
    with open_wire(target) as connection:
        start = time.perf_counter()
        say(connection, b"Q", sql.encode() + b"\0")
        size = drain(connection)
        return (time.perf_counter() - start) * 1000, size


@contextlib.contextmanager
def open_wire(target: PgTarget) -> Iterator[socket.socket]:
    """Open a connection that has logged in and is idle."""
    with socket.create_connection(("127.0.0.1", target.port), _TIMEOUT_S) as connection:
        say(connection, b"", _startup(target))
        drain(connection)
        yield connection


def _startup(target: PgTarget) -> bytes:
    settings = (b"user", target.user.encode(), b"database", target.database.encode(), b"", b"")
    return struct.pack(">I", 3 << 16) + b"\0".join(settings)


def say(connection: socket.socket, type_byte: bytes, body: bytes) -> None:
    """Send one message."""
    connection.sendall(type_byte + struct.pack(">I", len(body) + 4) + body)


def drain(connection: socket.socket) -> int:
    """Read up to ReadyForQuery, a server's last message; return the number of bytes."""
    size, end, buffer = 0, b"", bytearray(_RECEIVE_BYTES)
    while not end.endswith(_READY):
        got = connection.recv_into(buffer)
        if not got:
            raise BenchError("the server closed the connection")
        size += got
        end = (end + buffer[max(0, got - len(_READY)) : got])[-len(_READY) :]
    return size
