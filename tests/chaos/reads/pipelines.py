"""Lookups of keys: several at a time in a pipeline, in batches, by typed queries, by tokens."""

from __future__ import annotations

import http.client
import io
import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, cast

from tests.chaos.judging import Asked, Epochs, all_keys, keys
from tests.chaos.ledger import Id, Row, part_of
from tests.chaos.reads.asking import (
    LostError,
    RefusedError,
    by_partition,
    merged,
    refusal,
    token,
)
from tests.chaos.reads.questions import selected
from tests.chaos.reads.reader import CHANGED, Reader, Turn
from tests.chaos.reads.rows import milliseconds, named_row, rows_of
from tests.chaos.reads.statements import any_key, epochs_of

_TOGETHER = 6
"""Lookups of a pipeline."""
_BATCH = 12
_OTHER_KEY = frozenset({"22P02", "42804", "22023"})
"""SQLSTATEs of a key whose columns are in the order of an earlier definition."""


@dataclass(slots=True, kw_only=True)
class KeysReader(Reader):
    """Asks for several keys."""

    def some_keys(self, at: Turn, count: int) -> list[str]:
        """Draw keys, among them that of the record."""
        drawn = [any_key(self.chance) for _ in range(count - 1)]
        first = any_key(self.chance) if at.key is None else at.key.key
        return self.chance.sample(found := [*{first, *drawn}], len(found))


@dataclass(slots=True, kw_only=True)
class WirePipeline(KeysReader):
    """Sends several lookups on the wire before it reads an answer."""

    def read(self, at: Turn) -> None:
        """Ask for keys, and after each where the session is."""
        asked = self.some_keys(at, _TOGETHER)
        sql = selected(at.store, at.shape, by_key=True).encode()
        told = []
        with self.wire.asking(at.gateway) as connection:
            least = self.wire.session
            with connection.pipeline() as pipeline:
                cursors = []
                for key in asked:
                    found = connection.execute(sql, (key, part_of(key)))
                    cursors.append((found, connection.execute("SHOW stategate.position")))
                pipeline.sync()
                for found, shown in cursors:
                    where = shown.fetchone()
                    assert where is not None
                    told.append((found.fetchall(), by_partition(json.loads(str(where[0])))))
        for key, (rows, position) in zip(asked, told, strict=True):
            self.add(at, rows_of(rows), position, asked=keys(key), least=least)
            least = self.wire.session = position

    def drop(self, error: RefusedError | LostError) -> None:
        """End the session: psycopg takes what it wanted to prepare in a pipeline for prepared."""
        self.wire.close()


class _Shared(io.RawIOBase):
    """What answers of one connection are read from: it stays open after each."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file

    def makefile(self, *_: object) -> io.BufferedReader:
        """Return what an answer is read from."""
        return cast("io.BufferedReader", self)

    def read(self, size: int | None = -1) -> bytes:
        """Read at most so many bytes."""
        return self._file.read(size)

    def readinto(self, into: Any) -> int:
        """Read into a buffer."""
        return self._file.readinto(into)

    def readline(self, size: int | None = -1) -> bytes:
        """Read a line."""
        return self._file.readline(-1 if size is None else size)

    def close(self) -> None:
        """Leave the connection open."""


@dataclass(slots=True, kw_only=True)
class HttpPipeline(KeysReader):
    """Sends several lookups over HTTP before it reads an answer."""

    def read(self, at: Turn) -> None:
        """Ask for keys."""
        asked, least = self.some_keys(at, _TOGETHER), merged(at.least, self.session(at))
        sql = selected(at.store, at.shape, by_key=True)
        documents = [
            {
                "sql": sql,
                "params": [key, part_of(key)],
                "bound": token(least),
                "wait_ms": at.wait_ms,
            }
            for key in asked
        ]
        refused: RefusedError | None = None
        for key, told in zip(asked, self._pipelined(at, documents), strict=True):
            if "error" in told:
                refused = refusal(told["error"])
                continue
            position = by_partition(told["position"])
            self.add(at, rows_of(told["rows"]), position, asked=keys(key), least=least)
            self.reached(at, position)
        if refused is not None:
            raise refused

    def _pipelined(self, at: Turn, documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
        sent = []
        for each in documents:
            body = json.dumps(each).encode()
            head = (
                "POST /v1/query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            sent.append(head.encode() + body)
        try:
            file = self.http.sent(at.gateway, b"".join(sent))
            return [_answer(file) for _ in documents]
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise LostError(repr(error)) from error


def _answer(file: io.BufferedReader) -> dict[str, Any]:
    response = http.client.HTTPResponse(cast("Any", _Shared(file)))
    response.begin()
    document: dict[str, Any] = json.loads(response.read())
    return document


@dataclass(slots=True, kw_only=True)
class BatchReader(KeysReader):
    """Asks for keys in a batch, or for several statements at one epoch each."""

    def read(self, at: Turn) -> None:
        """Ask for one of both."""
        least = merged(at.least, self.session(at))
        asked: dict[str, Any] = {"bound": token(least), "wait_ms": at.wait_ms}
        if self.chance.random() < 0.3:
            self._several(at, asked, least)
            return
        some = self.some_keys(at, _BATCH)
        sql = selected(at.store, at.shape, by_key=True)
        runs = [[key, part_of(key)] for key in some]
        told = self.http.post(at.gateway, "/v1/batch", {**asked, "sql": sql, "params": runs})
        found: dict[Id, Row] = {}
        for each in told["results"]:
            if "error" in each:
                raise refusal(each["error"])
            found |= rows_of(each["rows"])
        position = by_partition(told["position"])
        # One epoch for all partitions is one of all rows.
        are_same = len(epochs_of(told)[at.store]) == 1
        epochs = Epochs.SAME if are_same else Epochs.SEVERAL
        self.add(at, found, position, asked=keys(*some), least=least, epochs=epochs)
        self.reached(at, position)

    def _several(self, at: Turn, asked: dict[str, Any], least: Mapping[int, int]) -> None:
        first, second = ("latest", "totals") if self.chance.random() < 0.5 else ("totals", "latest")
        at.store, at.others, at.shape = first, (second,), self.shape(first)
        at.made_anew = self.answers.changes.made_anew(first)
        at.floor = at.gateway.floor.get(first, {})
        statements = [{"sql": self.shape(store).rows(store)} for store in (first, second)]
        asked |= {"statements": statements, "consistency": "snapshot"}
        told = self.http.post(at.gateway, "/v1/batch", asked)
        for store, each in zip((first, second), told["results"], strict=True):
            if "error" in each:
                raise refusal(each["error"])
            position, rows = by_partition(each["position"]), rows_of(each["rows"])
            self.add(at, rows, position, asked=all_keys, least=least, store=store)


@dataclass(slots=True, kw_only=True)
class TypedReader(KeysReader):
    """Asks by typed queries, which say of each partition where it is."""

    changed: Set[str] = CHANGED | _OTHER_KEY

    def read(self, at: Turn) -> None:
        """Ask for a key, for keys, or for all."""
        least = merged(at.least, self.session(at))
        asked: dict[str, Any] = {"bound": token(least), "wait_ms": at.wait_ms}
        if at.store == "windows":
            key = any_key(self.chance) if at.key is None else at.key.key
            asked |= {"type": "window_key", "args": {"key": self._key(at, key)}}
            self._ask(at, asked, least, lambda ledger: ledger.windows([key]))
        elif self.chance.random() < 0.4:
            self._ask(at, asked | {"type": "range", "args": {}}, least, all_keys)
        else:
            some = self.some_keys(at, 4)
            asked |= {"type": "keys", "args": {"keys": [self._key(at, key) for key in some]}}
            if self.chance.random() < 0.5:
                asked |= {"type": "key", "args": {"key": self._key(at, some[0])}}
                some = some[:1]
            self._ask(at, asked, least, keys(*some))

    def _key(self, at: Turn, key: str) -> list[Any]:
        # A rebuild may have changed the order of the columns.
        return [part_of(key), key] if at.shape.is_turned else [key, part_of(key)]

    def _ask(self, at: Turn, asked: dict[str, Any], least: Mapping[int, int], scope: Asked) -> None:
        told = self.http.post(at.gateway, f"/v1/stores/{at.store}/query", asked)
        found: dict[Id, Row] = {}
        merged_position = by_partition(told["position"])
        positions = []
        for partition in told["partitions"]:
            position = by_partition(partition["position"])
            positions.append(position)
            rows = _named(partition["result"], is_windowed=at.store == "windows")
            # Those of this partition, exactly.
            self.add(at, rows, position, asked=keys(*rows), least=least)
            found |= rows
        are_same = all(each == merged_position for each in positions)
        epochs = Epochs.SAME if are_same else Epochs.SEVERAL
        self.add(at, found, merged_position, asked=scope, least=least, epochs=epochs)
        self.reached(at, merged_position)


def _named(result: Mapping[str, Any] | None, *, is_windowed: bool) -> dict[Id, Row]:
    found: dict[Id, Row] = {}
    if result is None:
        return found
    names = [column["name"] for column in result["columns"]]
    for row in result["rows"]:
        named = dict(zip(names, row, strict=True))
        key = str(named["key"])
        found[(key, milliseconds(named["window_start"])) if is_windowed else key] = named_row(named)
    return found


@dataclass(slots=True, kw_only=True)
class TokenReader(Reader):
    """Asks one gateway, and carries the position of its answer to another one."""

    def read(self, at: Turn) -> None:
        """Ask two gateways for a key, over HTTP or the wire each."""
        key = any_key(self.chance) if at.key is None else at.key.key
        given = (key, part_of(key))
        sql = selected(at.store, at.shape, by_key=True)
        asked: dict[str, Any] = {"sql": sql, "params": given, "wait_ms": at.wait_ms}
        first = self.http.post(at.gateway, "/v1/query", asked | {"bound": token(at.least)})
        position = by_partition(first["position"])
        self.add(at, rows_of(first["rows"]), position, asked=keys(key), least=at.least)
        other = self.gateways[-1]
        at.gateway, at.up_since_s = other, other.up_since_s
        at.floor = other.floor.get(at.store, {})
        carried = json.dumps(first["position"])
        if self.chance.random() < 0.5:
            with self.wire.asking(other) as connection:
                end = f" WITH BOUND ('{carried}'), WAIT '{at.wait_ms} ms'"
                rows: Any = connection.execute((sql + end).encode(), given).fetchall()
                later = self.wire.position(connection)
                self.wire.close()  # or the session would be a bound, too
        else:
            with_token = asked | {"bound": first["position"]}
            told = self.http.post(other, "/v1/query", with_token)
            rows, later = told["rows"], by_partition(told["position"])
        self.add(at, rows_of(rows), later, asked=keys(key), least=position)
