"""Generated and damaged conversations of the Postgres wire with a gateway process."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.mutation import Chunks, fewest, mutated
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.watching import Watched, kind_of, watched_gateway
from tests.gateway.pgwire import wire

PART = "wire"
ANSWER_S = 15.0
"""Seconds that the gateway may take to close after a client's last byte."""
PROBED_EVERY = 8
_STATEMENTS = (
    "SELECT 1",
    "SELECT note FROM notes WHERE sample = 1 AND number = 2",
    "SELECT note FROM notes WHERE sample = $1 AND number = $2",
    "SELECT * FROM samples ORDER BY id",
    "SELECT t, count(*) FROM samples GROUP BY 1 ORDER BY 1",
    "SELECT i + $1 FROM samples WHERE t = $2",
    "SELECT 1; SELECT 1 / 0; SELECT 2",
    "BEGIN; SELECT id FROM r0; COMMIT",
    "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT id FROM r0",
    "DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT * FROM samples",
    "BEGIN; DECLARE c CURSOR FOR SELECT * FROM notes; FETCH 2 FROM c; ROLLBACK",
    "COPY samples TO STDOUT (FORMAT binary)",
    "COPY (SELECT * FROM notes) TO STDOUT (FORMAT csv, HEADER)",
    "COPY samples FROM STDIN",
    "PREPARE p (integer) AS SELECT * FROM r0 WHERE id = $1; EXECUTE p (2)",
    "SET statement_timeout = '5s'",
    "SHOW stategate.position",
    "SELECT relname FROM pg_class WHERE relkind = 'r'",
    "SELEC nonsense ' from",
    "",
    ";;;",
)
_VALUES = (b"1", b"-1", b"note 2", b"", b"\x00\x00\x00\x01", b"\xff\xfe", b"NaN", b"9" * 400, None)
_OIDS = (0, 16, 17, 20, 21, 23, 25, 700, 701, 1082, 1114, 1184, 1186, 1700, 2950, 3802, 1007, 7)
_KNOWN = frozenset("RSKZTDCEIntN123sHGAdcvV")
"""Type bytes of the messages that a server sends."""


def conversation(chance: random.Random) -> Chunks:
    """Draw a correct conversation of a client."""
    if chance.random() < 0.06:
        return [wire.cancel_request(chance.randrange(2**31), chance.randbytes(4))]
    chunks: Chunks = []
    if chance.random() < 0.1:
        chunks.append(chance.choice([wire.SSL_REQUEST, wire.GSSENC_REQUEST]))
    chunks.append(
        wire.startup(
            chance.choice([0, 0, 2, 9999]),
            user="fuzz",
            database="stategate",
            **chance.choice([{}, {"application_name": "fuzz"}, {"options": "-c wait=1"}]),
        )
    )
    for _ in range(chance.randint(1, 4)):
        chunks += _simple(chance) if chance.random() < 0.4 else _extended(chance)
    if chance.random() < 0.5:
        chunks.append(wire.TERMINATE)
    return chunks


def _simple(chance: random.Random) -> Chunks:
    return [wire.query(chance.choice(_STATEMENTS))]


def _extended(chance: random.Random) -> Chunks:
    name, portal = chance.choice(["", "s", "p"]), chance.choice(["", "c", "portal"])
    oids = [chance.choice(_OIDS) for _ in range(chance.choice([0, 0, 1, 2]))]
    chunks = [wire.parse(name, chance.choice(_STATEMENTS), oids)]
    values = [chance.choice(_VALUES) for _ in range(chance.choice([0, 0, 1, 2, 2]))]
    formats = chance.choice([[], [0], [1], [1] * len(values)])
    chunks += [
        wire.describe("S", name),
        wire.bind(
            portal,
            name,
            values,
            parameter_formats=formats,
            result_formats=chance.choice([[], [0], [1]]),
        ),
        wire.describe("P", portal),
    ]
    chunks += [wire.execute(portal, chance.choice([0, 1, 3]))] * chance.randint(1, 3)
    chunks += [wire.close(chance.choice("SP"), chance.choice([name, portal]))]
    chunks = [chunk for chunk in chunks if chance.random() < 0.93]
    return [*chunks, chance.choice([wire.SYNC, wire.SYNC, wire.SYNC, wire.FLUSH])]


def exchange(port: int, chunks: Sequence[bytes], chance: random.Random) -> str | None:
    """Send, read until the gateway closes, and return the fault in its answer, if any."""
    leaves = chance.random() < 0.1
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as client:
        try:
            for chunk in chunks:
                client.sendall(chunk)
                if len(chunks) < 12 and chance.random() < 0.3:
                    _wait_for_some(client, chance.choice([0.0, 0.002]))
            if leaves:
                return None
            client.shutdown(socket.SHUT_WR)
            answer = _read_all(client)
        except TimeoutError:
            return f"the connection is open {ANSWER_S:.0f} s after the client's last byte"
        except (ConnectionResetError, BrokenPipeError, OSError):
            # It may disconnect a client that breaks the protocol.
            return None
    return _malformed(answer)


def _wait_for_some(client: socket.socket, seconds: float) -> None:
    """Give the gateway time to take a message by itself."""
    client.settimeout(seconds or 0.0001)
    try:
        client.recv(1, socket.MSG_PEEK)
    except (TimeoutError, BlockingIOError):
        pass
    finally:
        client.settimeout(ANSWER_S)


def _read_all(client: socket.socket) -> bytes:
    pieces = []
    while piece := client.recv(1 << 16):
        pieces.append(piece)
    return b"".join(pieces)


def _malformed(answer: bytes) -> str | None:
    """Return the fault in a server's messages, if any; the last message may be cut off."""
    at = 0
    while at < len(answer) and answer[at : at + 1] in b"N" and answer[at + 1 : at + 2] != b"\0":
        at += 1  # answers to SSLRequest and GSSENCRequest are one byte
    while at + 5 <= len(answer):
        letter, (length,) = chr(answer[at]), struct.unpack_from(">I", answer, at + 1)
        if letter not in _KNOWN or length < 4:
            return f"byte {at} of the answer begins no message: {answer[at : at + 40]!r}"
        body = answer[at + 5 : at + 1 + length]
        if letter == "E" and b"CXX000" in body:
            return f"an internal error: {body!r}"
        at += 1 + length
    return None


def run(directory: Path, report: Report, budget: Budget) -> None:
    """Send conversations until the budget is spent."""
    with watched_gateway(directory) as watched:
        recent: list[tuple[int, Chunks]] = []
        for number in budget.cases():
            if budget.spent():
                break
            chance = report.random(PART, number)
            chunks = conversation(chance)
            if chance.random() < 0.95:
                chunks = mutated(chance, chunks, framed=True)
            recent = [*recent[-PROBED_EVERY:], (number, chunks)]
            wrong = exchange(watched.gateway.pg_port, chunks, chance)
            if wrong is None and (number % PROBED_EVERY == 0 or budget.only is not None):
                wrong = watched.wrong()
            if wrong is None:
                report.passed()
                continue
            report.failed(_failure(watched, recent, wrong))
            if watched.wrong() is not None and not _alive(watched):
                return
            recent = []
        if (kept := watched.left_behind() or watched.wrong()) is not None:
            report.failed(Failure(part=PART, case=0, kind="left behind", what=kept))


def _alive(watched: Watched) -> bool:
    return Path(f"/proc/{watched.pid}/stat").exists()


def _failure(watched: Watched, recent: Sequence[tuple[int, Chunks]], wrong: str) -> Failure:
    """Find the conversation that causes a failure among the last ones, and shrink it."""
    port = watched.gateway.pg_port
    for number, chunks in reversed(recent):

        def fails(some: Sequence[bytes]) -> bool:
            calm = random.Random(0)
            return (exchange(port, some, calm) or watched.wrong()) is not None

        if _alive(watched) and fails(chunks):
            small = fewest(chunks, fails) if len(chunks) < 200 else chunks
            shown = "\n".join(f"  {chunk[:300]!r}" for chunk in small[:40])
            return Failure(part=PART, case=number, kind=kind_of(wrong), what=f"{wrong}\n{shown}")
    number, chunks = recent[-1]
    shown = "\n".join(f"  {chunk[:200]!r}" for chunk in chunks[:40])
    return Failure(part=PART, case=number, kind=kind_of(wrong), what=f"{wrong}\n{shown}")
