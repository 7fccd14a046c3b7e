"""Generated and damaged HTTP requests, sent to a gateway process."""

from __future__ import annotations

import json
import random
import re
import socket
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.mutation import Chunks, fewest, mutated
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.watching import Watched, kind_of, watched_gateway

PART = "http"
ANSWER_S = 20.0
"""Seconds that the gateway may take to close after a client's last byte."""
PROBED_EVERY = 8
LEAVING = "http leaving"
"""The feature of clients that leave before their answer."""
_LAST = "Connection: close"
_PATHS = (
    *("/v1/query", "/v1/stores", "/v1/stores/notes", "/v1/stores/nothing", "/healthz", "/readyz"),
    *("/metrics", "/", "/openapi.json", "/v1/stores/notes/1/2", "/v1/stores/samples/1?wait_ms=x"),
    *("/v1/stores/notes/query", "/v1/stores/notes/%00/%ff", "/../../etc/passwd", "/v1//query"),
    "/v1/stores/r0/1?bound=%7B%22events%22%3A%7B%220%22%3A1%7D%7D&consistency=latest",
)
_STATEMENTS = (
    "SELECT * FROM samples ORDER BY id",
    "SELECT note FROM notes WHERE sample = $1 AND number = $2",
    "SELECT d, j, a, tz FROM samples",
    "SELECT 1/0",
    "SELEC",
    "",
    "EXPLAIN ANALYZE SELECT count(*) FROM r0",
    "SET statement_timeout = 5",
    "SELECT $1::text, $2",
)
_VALUES: tuple[object, ...] = (
    *(1, -1, 1.5, 1e308, True, None, "x", "", "\x00", "ä😀", 10**30, 2**63, "NaN", [], [1, None]),
    *({}, {"a": 1}, [[[[1]]]], "2020-02-30", "\\xzz"),
)
_ACCEPTS = (
    *("application/json", "application/x-ndjson", "text/csv", "*/*", "text/html;q=0.9", "a/b", ""),
    "application/vnd.apache.arrow.stream",
)
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3}) ")
_BROKEN = frozenset({500, 502})
"""Statuses that no request may cause; 501, 503 and 504 are intended."""


def request(chance: random.Random) -> Chunks:
    """Draw head and body of a well-formed request, sensible or not."""
    method = chance.choice(["POST", "POST", "POST", "GET", "GET", "HEAD", "PUT", "OPTIONS", "X"])
    path = "/v1/query" if method == "POST" and chance.random() < 0.7 else chance.choice(_PATHS)
    body = b""
    if method in {"POST", "PUT"}:
        body = _body(chance)
    head = [f"{method} {path} HTTP/1.{chance.choice('1110')}"]
    head.append(chance.choice(["Host: localhost", "Host: 127.0.0.1:1", "Host: evil.example"]))
    head.append(f"Accept: {chance.choice(_ACCEPTS)}")
    if body or method == "POST":
        head.append(f"Content-Type: {chance.choice(['application/json'] * 5 + ['text/plain', ''])}")
    extra = ["Authorization: Basic ====", "Authorization: Bearer sgt_x", "Expect: 100-continue"]
    extra += ["Connection: close", "Upgrade: websocket", "Range: bytes=0-1", "Cookie: " + "a" * 900]
    head += chance.sample(extra, chance.choice([0, 0, 1, 2]))
    if chance.random() < 0.2 and body:
        head.append("Transfer-Encoding: chunked")
        half = len(body) // 2
        pieces = [b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:half], body[half:])]
        pieces = [piece for piece in pieces if not piece.startswith(b"0\r\n")]
        return [_ended(head), *pieces, b"0\r\n\r\n"]
    if body or chance.random() < 0.8:
        head.append(f"Content-Length: {len(body)}")
    return [_ended(head), body] if body else [_ended(head)]


def _ended(head: Sequence[str]) -> bytes:
    return ("\r\n".join(head) + "\r\n\r\n").encode()


def _body(chance: random.Random) -> bytes:
    if chance.random() < 0.05:
        deep = chance.choice(['{"sql":', "["]) * chance.choice([100, 50_000])
        return deep.encode()
    fields: dict[str, object] = {"sql": chance.choice(_STATEMENTS)}
    more: dict[str, object] = {
        "params": [chance.choice(_VALUES) for _ in range(chance.randint(0, 3))],
        "bound": chance.choice([{}, {"events": {"0": 41}}, {"events": {"0": -1}}, "x", [1]]),
        "wait_ms": chance.choice([0, 1, -1, 1e9, "1", None]),
        "consistency": chance.choice(["latest", "snapshot", "monotonic", "none", 1]),
        "partial": chance.choice([True, False, 1, "true"]),
        "info": chance.choice([True, None]),
        "unknown": 1,
        "type": "greatest",
        "args": {"key": [1]},
    }
    for name in chance.sample(sorted(more), chance.choice([0, 1, 1, 2, 3])):
        fields[name] = more[name]
    if chance.random() < 0.1:
        fields[chance.choice(sorted(fields))] = chance.choice(_VALUES)
    return json.dumps(fields).encode()


def exchange(
    port: int, chunks: Sequence[bytes], chance: random.Random, *, leaves: bool
) -> str | None:
    """Send, read until the gateway closes, and return the fault in its answer, if any.

    Args:
        port: where it listens.
        chunks: the requests; the last asks to close, unless the client leaves.
        chance: source of randomness; decides when the client leaves.
        leaves: whether it leaves before its answer: at once, or by closing its side.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as client:
        try:
            for chunk in chunks:
                client.sendall(chunk)
            if leaves and chance.random() < 0.15:
                return None
            if leaves:
                client.shutdown(socket.SHUT_WR)
            pieces = []
            while piece := client.recv(1 << 16):
                pieces.append(piece)
        except TimeoutError:
            return f"the connection is open {ANSWER_S:.0f} s after the client's last byte"
        except OSError:
            # It may disconnect a client that breaks the protocol.
            return None
    return _malformed(b"".join(pieces))


def _malformed(answer: bytes) -> str | None:
    """Return the fault in an answer, if any."""
    if not answer:
        return None
    status = _STATUS.match(answer)
    if status is None:
        return f"the answer begins with {answer[:80]!r}"
    if int(status[1]) in _BROKEN or b'"XX000"' in answer:
        return f"an internal error: {answer[:400]!r}"
    head, _, body = answer.partition(b"\r\n\r\n")
    is_json = re.search(rb"(?i)^content-type: application/json", head, re.MULTILINE) is not None
    length = re.search(rb"(?i)^content-length: (\d+)", head, re.MULTILINE)
    is_whole = length is not None and len(body) == int(length[1]) > 0
    # An answer to HEAD has no body: the next answer follows, and can be as long.
    if is_json and is_whole and not body.startswith(b"HTTP/1."):
        try:
            json.loads(body)
        except ValueError as error:
            return f"the body is not JSON: {error}: {body[:200]!r}"
    return None


def run(
    directory: Path, report: Report, budget: Budget, without: frozenset[str] = frozenset()
) -> None:
    """Send requests until the budget is spent."""
    with watched_gateway(directory) as watched:
        recent: list[tuple[int, Chunks]] = []
        for number in budget.cases():
            if budget.spent():
                break
            chance = report.random(PART, number)
            chunks: Chunks = []
            for _ in range(chance.choice([1, 1, 1, 2, 5])):
                chunks += request(chance)
            leaves = LEAVING not in without and chance.random() < 0.7
            if leaves and chance.random() < 0.8:
                chunks = mutated(chance, chunks, framed=False)
            elif not leaves:
                chunks.append(_ended(["GET /healthz HTTP/1.1", "Host: localhost", _LAST]))
            recent = [*recent[-PROBED_EVERY:], (number, chunks)]
            wrong = exchange(watched.gateway.http_port, chunks, chance, leaves=leaves)
            if wrong is None and (number % PROBED_EVERY == 0 or budget.only is not None):
                wrong = watched.wrong()
            if wrong is None:
                report.passed()
                continue
            report.failed(_failure(watched, recent, wrong, leaves=leaves))
            if not Path(f"/proc/{watched.pid}/stat").exists():
                return
            recent = []
        if (kept := watched.left_behind() or watched.wrong()) is not None:
            report.failed(Failure(part=PART, case=0, kind="left behind", what=kept))


def _failure(
    watched: Watched, recent: Sequence[tuple[int, Chunks]], wrong: str, *, leaves: bool
) -> Failure:
    """Find the request that causes a failure among the last ones, and shrink it."""
    port = watched.gateway.http_port
    shown = recent[-1]
    for number, chunks in reversed(recent):

        def fails(some: Sequence[bytes]) -> bool:
            calm = random.Random(1)
            return (exchange(port, some, calm, leaves=leaves) or watched.wrong()) is not None

        if leaves and fails(chunks):
            shown = number, fewest(chunks, fails) if len(chunks) < 100 else chunks
            break
    lines = "\n".join(f"  {chunk[:400]!r}" for chunk in shown[1][:20])
    return Failure(part=PART, case=shown[0], kind=kind_of(wrong), what=f"{wrong[:3000]}\n{lines}")
