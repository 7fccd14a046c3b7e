"""Live queries over server-sent events and the wire: each event gives the rows of its position."""

from __future__ import annotations

import http.client
import json
import math
import time
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.chaos.judging import all_of
from tests.chaos.reads.asking import LostError, RefusedError, by_partition, refusal
from tests.chaos.reads.reader import BEGIN_AGAIN, Reader, Turn
from tests.chaos.reads.rows import rows_of
from tests.chaos.reads.statements import summed, sums_of
from tests.chaos.shapes import Shape

_EVENTS_MAX = 15
"""Events before a client goes away, mostly to come back with its token."""
_FETCHED_S = (1.0, 8.0)
_STILL_MAX_S = 5.0
"""How long a client waits for an event before it goes away."""
_AWAY_S = (0.0, 0.0, 2.0)
"""How long a client is away before it comes back."""
_ANEW = 0.25
"""Share of subscriptions that begin with first rows, perhaps of another store."""
_SUMMED = 0.3
"""Share of subscriptions whose whole result is compared for each epoch."""
_STILL_S = 60.0
"""How long a live query may stand still while a gateway that is up has newer rows."""


@dataclass(slots=True)
class _Client:
    """What a subscriber holds between two connections."""

    store: str
    shape: Shape
    made_anew: int
    since_ms: int
    is_summed: bool
    """Whether it follows sums by part, and not all rows."""
    rows: dict[Any, Any] = field(default_factory=dict)
    token: str | None = None
    position: dict[int, int] = field(default_factory=dict)


class UnknownRowError(Exception):
    """A change is of a row that the client does not have as it was, or has already."""


@dataclass(slots=True, kw_only=True)
class LiveReader(Reader):
    """Follows a store, comes and goes, at the same gateway or at another one."""

    answer_max_s: float = math.inf
    _client: _Client | None = None
    _seen: tuple[float, dict[int, int]] | None = None
    """When it was last looked which rows others have, and their position."""

    def drawn(self) -> Turn:
        """Go on with the store that is followed."""
        self.stopped.wait(self.chance.choice(_AWAY_S))
        at = Reader.drawn(self)
        at.least, at.wait_ms, at.floor = {}, 0, {}
        if self._client is None or self.chance.random() < _ANEW:
            is_summed = self.chance.random() < _SUMMED
            self._client = _Client(at.store, at.shape, at.made_anew, at.since_ms, is_summed)
            self._seen = None
        client = self._client
        at.store, at.shape, at.made_anew = client.store, client.shape, client.made_anew
        at.since_ms = client.since_ms
        return at

    def client(self) -> _Client:
        """Return what is held."""
        assert self._client is not None
        return self._client

    def begin(self) -> None:
        """Forget all rows: they come again."""
        client = self.client()
        client.rows, client.position = {}, {}
        client.made_anew = self.answers.changes.made_anew(client.store)

    def take(self, row: Sequence[Any]) -> None:
        """Take a row that is new."""
        of, found = self._read(row)
        rows = self.client().rows
        if of in rows:
            raise UnknownRowError(f"{of} is there already, as {rows[of]}, not {found}")
        rows[of] = found

    def lose(self, row: Sequence[Any]) -> None:
        """Lose a row that is as given."""
        of, found = self._read(row)
        had = self.client().rows.pop(of, None)
        if had != found:
            raise UnknownRowError(f"{of} was {had}, not {found}")

    def _read(self, row: Sequence[Any]) -> tuple[Any, Any]:
        is_windowed = self.client().store == "windows"
        read: Mapping[Any, Any] = (
            sums_of([row]) if self.client().is_summed else rows_of([row], windowed=is_windowed)
        )
        ((of, found),) = read.items()
        return of, found

    def sql(self, at: Turn) -> str:
        """Return the statement that is followed."""
        is_summed = self.client().is_summed
        return at.shape.sums(at.store) if is_summed else at.shape.rows(at.store) + at.condition

    def arrived(self, at: Turn, position: dict[int, int], token: str | None) -> None:
        """Note an event: the rows are now those of its position."""
        client = self.client()
        at.made_anew = client.made_anew
        self.add(
            at,
            dict(client.rows),
            position,
            asked=all_of(client.store) if client.is_summed else at.asked,
            least=client.position,
            folded=summed if client.is_summed else None,
        )
        client.position, client.token = position, token

    def look(self, at: Turn) -> None:
        """Note a live query that stands still while others get newer rows."""
        now_s = time.monotonic()
        newest = self.answers.newest().get(at.store, {})
        if not self._is_up(at) or self.concerns(at, now_s) or at.made_anew != self._made(at):
            self._seen = None
        elif self._seen is None:
            self._seen = now_s, newest
        elif now_s - self._seen[0] > _STILL_S:
            reached = self.client().position
            if any(reached.get(p, -1) < offset for p, offset in self._seen[1].items()):
                self.answers.violate("a live query stands still", f"{reached}, {self._seen}: {at}")
            self._seen = now_s, newest

    def _made(self, at: Turn) -> int:
        return self.answers.changes.made_anew(at.store)

    def drop(self, error: RefusedError | LostError) -> None:
        """Do not count the time in which there was no subscription."""
        self._seen = None

    def change(self) -> None:
        """Come back at another gateway."""
        Reader.change(self)
        self._seen = None

    def wronged(self, error: UnknownRowError, at: Turn) -> None:
        """Note an event that does not follow."""
        self.answers.violate("an event does not fit the rows of its client", f"{error}: {at}")
        self._client = None

    def _learn(self, error: RefusedError, at: Turn) -> None:
        self._client = None
        Reader._learn(self, error, at)

    def _refused(self, error: RefusedError, at: Turn) -> None:
        if error.sqlstate != BEGIN_AGAIN:
            Reader._refused(self, error, at)
            return
        # The log may no longer have the epoch of the token.
        is_back, self._client = self.client().token is not None, None
        if is_back or self.is_explained(at):
            self.answers.refuse(BEGIN_AGAIN)
        else:
            self.answers.fail("a live query ends without a reason", f"{error}: {at}")


@dataclass(slots=True, kw_only=True)
class SseReader(LiveReader):
    """Reads server-sent events."""

    def wake(self) -> None:
        """End the stream that is read."""
        self.http.wake()

    def read(self, at: Turn) -> None:
        """Subscribe, and read some events."""
        query = urllib.parse.urlencode({"sql": self.sql(at)})
        token = self.client().token
        headers = {} if token is None else {"Last-Event-ID": token}
        try:
            path = f"/v1/subscribe?{query}"
            response = self.http.opened(at.gateway, "GET", path, None, headers)
            self.http.wait_at_most(_STILL_MAX_S)
            if response.status != 200:
                raise refusal(json.loads(response.read())["error"])
            self._follow(at, response, self.chance.randrange(1, _EVENTS_MAX))
        except TimeoutError:
            self.look(at)  # no event has come; the client goes away
        except (OSError, http.client.HTTPException, ValueError) as error:
            if not self.stopped.is_set():
                raise LostError(repr(error)) from error
        except UnknownRowError as error:
            self.wronged(error, at)
        finally:
            self.http.close()

    def _follow(self, at: Turn, response: http.client.HTTPResponse, count: int) -> None:
        first: list[Sequence[Any]] | None = None
        for name, token, told in self._events(at, response):
            if name == "error":
                raise refusal(told["error"])
            if name in ("start_over", "columns"):
                if "token" in told:
                    first, self.client().token = [], token
            elif name == "rows":
                if first is None:
                    raise UnknownRowError("first rows come, though the client has them")
                first += told["rows"]
            else:
                if first is not None:
                    self.begin()
                    told["inserted"] = [*first, *told.get("inserted", ())]
                    first = None
                self._change(told)
                self.arrived(at, by_partition(told["position"]), token)
                count -= 1
            if count <= 0:
                return
        if not self.stopped.is_set():
            raise LostError("the stream has ended")

    def _change(self, told: Mapping[str, Any]) -> None:
        for row in told.get("deleted", ()):
            self.lose(row)
        for old, new in told.get("updated", ()):
            self.lose(old)
            self.take(new)
        for row in told.get("inserted", ()):
            self.take(row)

    def _events(
        self, at: Turn, response: http.client.HTTPResponse
    ) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
        name, token = "", None
        while line := response.readline():
            place, _, value = line.decode().rstrip("\r\n").partition(":")
            value = value.removeprefix(" ")
            if place == "event":
                name = value
            elif place == "id":
                token = value
            elif place == "data":
                yield name, token, json.loads(value)
            self.look(at)


@dataclass(slots=True, kw_only=True)
class WireLiveReader(LiveReader):
    """Fetches from a cursor for SUBSCRIBE."""

    _pending: list[tuple[str, Sequence[Any]]] = field(default_factory=list)
    """Changes whose `progress` has not come."""

    def read(self, at: Turn) -> None:
        """Subscribe, and fetch for some seconds."""
        token = self.client().token
        after = "" if token is None else f" WITH (AFTER = '{token}')"
        self._pending.clear()
        try:
            with self.wire.asking(at.gateway) as connection:
                connection.execute("BEGIN")
                sql = f"DECLARE c CURSOR FOR SUBSCRIBE ({self.sql(at)}){after}"
                connection.execute(sql.encode())
                until_s = time.monotonic() + self.chance.uniform(*_FETCHED_S)
                while time.monotonic() < until_s and not self.stopped.is_set():
                    fetched = connection.execute("FETCH ALL c WITH (TIMEOUT = '500 ms')")
                    for change, _, token, position, *row in fetched.fetchall():
                        self._event(at, change, token, position, row)
                    self.look(at)
                connection.execute("CLOSE c")
                connection.execute("COMMIT")
        except UnknownRowError as error:
            self.wronged(error, at)
        finally:
            self.wire.close()

    def _event(
        self, at: Turn, change: str, token: str | None, position: Any, row: Sequence[Any]
    ) -> None:
        if change != "progress":
            self._pending.append((change, row))
            return
        if self.client().token is None:
            self.begin()
        for each, of in self._pending:
            (self.lose if each in ("delete", "update_old") else self.take)(of)
        self._pending.clear()
        told = position if isinstance(position, dict) else json.loads(position)
        self.arrived(at, by_partition(told), token)
