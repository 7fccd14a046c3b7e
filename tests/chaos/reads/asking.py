"""Asks a gateway over HTTP or the Postgres wire; an error is refused or lost, nothing else."""

from __future__ import annotations

import http.client
import io
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import psycopg
from psycopg.rows import TupleRow

from tests.chaos.ledger import TOPIC, Position
from tests.chaos.processes import Gateway

WAIT_MS = 5_000
ANSWER_S = 60.0
"""A statement that takes longer hangs: its timeout is half of it."""


_Life: TypeAlias = tuple[str, float | None]


def _life_of(gateway: Gateway) -> _Life:
    """Return whose connections end together: those of a gateway between two of its starts.

    A reader that asks seldom would learn of a restart by a connection that was lost before.
    """
    return gateway.name, gateway.up_since_s


class RefusedError(Exception):
    """An answer that is an error, with its SQLSTATE."""

    @property
    def sqlstate(self) -> str:
        """The first word."""
        return str(self)[:5]


class LostError(Exception):
    """The connection was lost, or could not be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """An answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    document: dict[str, Any]


@dataclass(slots=True)
class HttpClient:
    """One connection at a time, which is kept."""

    _connection: http.client.HTTPConnection | None = None
    _life: _Life | None = None
    _raw: tuple[socket.socket, io.BufferedReader] | None = None

    def post(self, gateway: Gateway, path: str, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Send JSON, and return what comes.

        Raises:
            RefusedError: the answer is an error.
            LostError: there is none.
        """
        headers = {"Content-Type": "application/json"}
        return self.ask(gateway, "POST", path, json.dumps(asked), headers).document

    def ask(
        self, gateway: Gateway, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> Told:
        """Send a request, and return the answer; see `post`."""
        try:
            response = self.opened(gateway, method, path, body, headers)
            text = response.read()
            document = json.loads(text) if text else {}
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise LostError(repr(error)) from error
        if "error" in document:
            raise refusal(document["error"])
        lower = {name.lower(): value for name, value in response.getheaders()}
        return Told(status=response.status, headers=lower, document=document)

    def opened(
        self, gateway: Gateway, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        """Send a request, and return the answer before its body."""
        connection = self._connected(gateway)
        connection.request(method, path, body, dict(headers))
        return connection.getresponse()

    def sent(self, gateway: Gateway, requests: bytes) -> io.BufferedReader:
        """Send requests on a connection of their own, and return what comes back."""
        if self._life != _life_of(gateway):
            self.close()
        if self._raw is None:
            made = socket.create_connection(("127.0.0.1", gateway.http_port), 2 * ANSWER_S)
            self._raw, self._life = (made, made.makefile("rb")), _life_of(gateway)
        self._raw[0].sendall(requests)
        return self._raw[1]

    def _connected(self, gateway: Gateway) -> http.client.HTTPConnection:
        if self._life != _life_of(gateway):
            self.close()
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                "127.0.0.1", gateway.http_port, timeout=2 * ANSWER_S
            )
            self._life = _life_of(gateway)
        return self._connection

    def wait_at_most(self, seconds: float) -> None:
        """Raise `TimeoutError` if nothing comes for so long from now on; close it then."""
        if self._connection is not None and self._connection.sock is not None:
            self._connection.sock.settimeout(seconds)

    def wake(self) -> None:
        """End what another thread waits for."""
        connection = self._connection
        if connection is not None and connection.sock is not None:
            with suppress(OSError):
                connection.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._raw is not None:
            for each in self._raw:
                each.close()
            self._raw = None


def refusal(error: Mapping[str, Any]) -> RefusedError:
    """Return what the JSON of an error says."""
    return RefusedError(f"{error['sqlstate']} {error['message']}")


@dataclass(slots=True)
class WireClient:
    """A monotonic session; it ends with its connection."""

    session: dict[int, int] = field(default_factory=dict)
    """The position that it has read."""
    _connection: psycopg.Connection[TupleRow] | None = None
    _life: _Life | None = None

    @contextmanager
    def asking(self, gateway: Gateway) -> Iterator[psycopg.Connection[TupleRow]]:
        """Give the session's connection, and turn its errors into ours.

        Raises:
            RefusedError: the answer is an error.
            LostError: there is none.
        """
        if self._life != _life_of(gateway):
            self.close()
        try:
            if self._connection is None:
                self._connection = psycopg.connect(
                    gateway.dsn, autocommit=True, cursor_factory=psycopg.RawCursor
                )
                self._life = _life_of(gateway)
                self._connection.execute("SET stategate.consistency = 'monotonic'")
            yield self._connection
        except psycopg.Error as error:
            if error.sqlstate is None or (self._connection is not None and self._connection.broken):
                raise LostError(f"{error.sqlstate}: {error}") from error
            if self._connection is not None and self._connection.info.transaction_status:
                self.close()  # it would refuse all else
            raise RefusedError(f"{error.sqlstate} {error}") from error

    def position(self, connection: psycopg.Connection[TupleRow]) -> dict[int, int]:
        """Return where the session is: as new as its answers, and no newer."""
        shown = connection.execute("SHOW stategate.position").fetchone()
        assert shown is not None
        return by_partition(json.loads(str(shown[0])))

    def close(self) -> None:
        """End the session."""
        self.session = {}
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def clause(bound: Position, *, is_snapshot: bool, wait_ms: int) -> str:
    """Return the end of a statement on the wire.

    A bound in the clause replaces that of the session.
    """
    parts = [f"{TOPIC}[{p}] >= {offset}" for p, offset in bound.items()]
    parts += ["SNAPSHOT"] if is_snapshot else []
    if not parts:
        return ""
    return f" WITH BOUND ({', '.join(parts)})" + (f", WAIT '{wait_ms} ms'" if wait_ms else "")


def token(position: Position) -> dict[str, dict[str, int]]:
    """Return a position as gateways write it."""
    return {TOPIC: {str(p): offset for p, offset in position.items()}}


def by_partition(position: Mapping[str, Mapping[str, int]]) -> dict[int, int]:
    """Return our topic's part of a position as gateways write it."""
    return {int(partition): offset for partition, offset in position.get(TOPIC, {}).items()}


def merged(*positions: Position) -> dict[int, int]:
    """Return the greatest offset of each partition."""
    partitions = {partition for position in positions for partition in position}
    return {p: max(position.get(p, -1) for position in positions) for p in partitions}
