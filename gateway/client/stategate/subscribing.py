"""Subscriptions: the events of a live query, in a thread or on an event loop.

`Live` is what both have: steps that read events, and that go on after the last one when a stream
ends. All that it knows of the past is the token of the event that the caller has got, so what comes
next follows from that event, or takes the place of all rows.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Final

from stategate.answers import Columns
from stategate.cursors import TakesAsyncSteps, TakesSteps
from stategate.errors import (
    CONNECTION_LOST,
    OUT_OF_TIME,
    Error,
    InterfaceError,
    OperationalError,
    broken_off,
)
from stategate.live_events import Event, EventReader
from stategate.requesting import Options, seconds, statement_document
from stategate.session import Session
from stategate.steps import Close, Pause, Read, Reply, Steps
from stategate.values import Params

SILENCE_S: Final = 40.0
"""How long nothing may come by default: a gateway sends a comment when nothing has for 15 s."""


class _Answer:
    """One stream of events.

    Args:
        reply: its head.
        reader: reads its body.
        silence_s: how long nothing may come, for the error.
    """

    def __init__(self, reply: Reply, reader: EventReader, silence_s: float) -> None:
        self.reply, self.reader = reply, reader
        self._silence_s = silence_s

    def begin(self) -> Steps[None]:
        """Read the columns.

        Raises:
            Error: the answer ends before them.
        """
        reader = self.reader
        while reader.columns is None:
            if not (yield from self._read()):
                raise broken_off("it has no columns")
            reader.find_columns()

    def next(self) -> Steps[Event | None]:
        """Return the next event; None at the end of the stream.

        Raises:
            Error: it has ended by an error, or broken off.
        """
        while (event := self.reader.take()) is None:
            if not (yield from self._read()):
                break
        return event

    def _read(self) -> Steps[bool]:
        """Read the next part; return whether there is one."""
        try:
            data = yield Read(self.reply)
        except OperationalError as error:
            if error.sqlstate != OUT_OF_TIME:
                raise
            raise OperationalError(
                f"the gateway has sent nothing for {self._silence_s:g} s",
                sqlstate=CONNECTION_LOST,
                retryable=True,
            ) from error
        self.reader.feed(data)
        return bool(data)


class Live:
    """The state of a subscription.

    Args:
        session: the state of its connection.
        sql: the statement.
        params: its parameters.
        options: how its first rows are read.
        token: the token of the last event that the caller has got; None without one.
        silence_s: how long nothing may come before the connection counts as lost.
    """

    def __init__(
        self,
        session: Session,
        sql: str,
        params: Params | None,
        options: Options,
        *,
        token: str | None,
        silence_s: float,
    ) -> None:
        if token is not None and not isinstance(token, str):
            raise InterfaceError("a token is the text that an event has")
        self._session, self._options = session, options
        self._statement = statement_document(sql, params)
        self.token = token
        self._silence_s = seconds(silence_s, "silence_s")
        self._seen = session.position
        """What the next stream must not be older than; other statements do not hold it up."""
        self._answer: _Answer | None = None
        self._in_vain = 0
        """How many streams have ended since the last sign of life, and so how long to pause."""
        self._failures = 0
        """How many of them have failed."""
        self._failing_since_s = 0.0
        """When the first of those did."""
        self.columns: Columns = ()
        self.is_closed = False

    def open(self) -> Steps[None]:
        """Begin, or go on after the token.

        Raises:
            Error: the subscription is refused, or no gateway answers.
        """
        self._answer = yield from self._session.open_live(
            self._statement,
            self._options,
            token=self.token,
            seen=self._seen,
            silence_s=self._silence_s,
            taken=self._begun,
        )
        self.columns = self._answer.reader.columns or ()

    def _begun(self, reply: Reply) -> Steps[_Answer]:
        reader = EventReader(goes_on=self.token is not None)
        answer = _Answer(reply, reader, self._silence_s)
        yield from answer.begin()
        return answer

    def next(self) -> Steps[Event | None]:
        """Return the next event, whatever it takes to go on; None once it is closed.

        Raises:
            Error: it has ended by an error that does not pass, or no gateway answers. The next
                call goes on after the same event.
        """
        while not self.is_closed:
            if (answer := self._answer) is None:
                if self._in_vain:
                    yield Pause(self._session.pause_s(self._in_vain))
                yield from self.open()
                continue
            try:
                event = yield from answer.next()
            except Error as error:
                yield from self._end()
                if not self.is_closed:
                    self._note_failure(answer, error)
                continue
            if event is not None:
                self._in_vain = self._failures = 0
                self.token, self._seen = event.token, event.position
                self._session.note(event.position)
                return event
            self._answer = None
            self._note_end(answer)
        yield from self._end()
        return None

    def close(self) -> Steps[None]:
        """End it; in another thread or task, too, whose iteration then ends."""
        self.is_closed = True
        yield from self._end()

    def _end(self) -> Steps[None]:
        answer, self._answer = self._answer, None
        if answer is not None:
            yield Close(answer.reply)

    def _note_failure(self, answer: _Answer, error: Error) -> None:
        """Be ready to go on after a failure, or raise it."""
        now_s = self._session.now_s()
        self._failures = 1 if answer.reader.is_alive else self._failures + 1
        if self._failures == 1:
            self._failing_since_s = now_s
        self._note_end(answer)
        if not error.retryable or self._is_given_up(now_s):
            self._failures = self._in_vain = 0
            raise error
        self._session.avoid_gateway()

    def _is_given_up(self, now_s: float) -> bool:
        """Whether the failures without a sign of life are too many, or have lasted too long."""
        defaults = self._session.defaults
        attempts_max = defaults.attempts_max
        timeout_s = seconds(self._options.get("timeout_s", defaults.timeout_s), "timeout_s")
        return (attempts_max is not None and self._failures > attempts_max) or (
            self._failures > 1 and now_s - self._failing_since_s >= timeout_s
        )

    def _note_end(self, answer: _Answer) -> None:
        # The first pause spreads subscribers that have all lost the same gateway.
        self._in_vain = 1 if answer.reader.is_alive else self._in_vain + 1


class Subscription:
    """The events of a live query, one after the other, for one thread at a time.

    It holds a connection of the pool until it is closed, which another thread may do, too. It goes
    on by itself after the last event when a stream ends; an error ends a loop over it, but the next
    loop goes on after the same event. `Connection.subscribe` makes it.

    Args:
        connection: the connection that it belongs to.
        live: its state.
    """

    def __init__(self, connection: TakesSteps, live: Live) -> None:
        self._connection, self._live = connection, live

    @property
    def columns(self) -> Columns:
        """The name and the SQL type of each column."""
        return self._live.columns

    @property
    def token(self) -> str | None:
        """The token of the last event: a later subscription goes on after it."""
        return self._live.token

    def __iter__(self) -> Iterator[Event]:
        """Return the events, as they come."""
        return self

    def __next__(self) -> Event:
        """Return the next event.

        Raises:
            Error: the subscription has ended, or no gateway answers.
        """
        event = self._connection.run(self._live.next())
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        """End the subscription."""
        with contextlib.suppress(InterfaceError):  # a closed connection has ended it
            self._connection.run(self._live.close())

    def __enter__(self) -> Subscription:
        """Return the subscription, which the block closes."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the subscription."""
        self.close()


class AsyncSubscription:
    """The events of a live query on an event loop; see `Subscription`.

    A task that waits for the next event may be cancelled: no event is lost.

    Args:
        connection: the connection that it belongs to.
        live: its state.
    """

    def __init__(self, connection: TakesAsyncSteps, live: Live) -> None:
        self._connection, self._live = connection, live

    @property
    def columns(self) -> Columns:
        """The name and the SQL type of each column."""
        return self._live.columns

    @property
    def token(self) -> str | None:
        """The token of the last event: a later subscription goes on after it."""
        return self._live.token

    def __aiter__(self) -> AsyncIterator[Event]:
        """Return the events, as they come."""
        return self

    async def __anext__(self) -> Event:
        """Return the next event.

        Raises:
            Error: the subscription has ended, or no gateway answers.
        """
        event = await self._connection.run(self._live.next())
        if event is None:
            raise StopAsyncIteration
        return event

    async def close(self) -> None:
        """End the subscription."""
        with contextlib.suppress(InterfaceError):  # a closed connection has ended it
            await self._connection.run(self._live.close())

    async def __aenter__(self) -> AsyncSubscription:
        """Return the subscription, which the block closes."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the subscription."""
        await self.close()
