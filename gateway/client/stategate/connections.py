"""Connections: a session at a gateway, for threads or for an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from stategate import errors
from stategate.answers import BatchResult, Row
from stategate.cursors import AsyncCursor, Cursor
from stategate.errors import NotSupportedError
from stategate.failures import closed
from stategate.position import Position
from stategate.requesting import Options
from stategate.session import Session
from stategate.steps import AsyncTransport, Steps, Transport, run, run_async
from stategate.subscribing import SILENCE_S, AsyncSubscription, Live, Subscription
from stategate.values import Params

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

T = TypeVar("T")
PAGE_ROWS = 1000
"""Rows of a page, unless the caller says another number."""


class Connection:
    """A session at one gateway, or at one of several that serve the same log.

    Threads may share it. It remembers the position that it has read, so that later reads are not
    older, whichever gateway answers. It connects when it is first used. `connect` makes it.

    Args:
        session: its state.
        transport: takes its steps.
    """

    # DB-API has the errors here, too, for programs with several drivers.
    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(self, session: Session, transport: Transport) -> None:
        self.session = session
        self._transport = transport
        self._is_closed = False

    @property
    def position(self) -> Position:
        """The merged positions of all answers that were read to their end."""
        return self.session.position

    def run(self, steps: Steps[T]) -> T:
        """Take steps; cursors and subscriptions call it.

        Raises:
            InterfaceError: the connection is closed.
        """
        if self._is_closed:
            raise closed()
        return run(steps, self._transport)

    def cursor(self) -> Cursor:
        """Return a new cursor."""
        self._check_open()
        return Cursor(self)

    def execute(self, sql: str, params: Params | None = None, **options: Unpack[Options]) -> Cursor:
        """Run a statement and return a new cursor with its rows; see `Cursor.execute`."""
        return self.cursor().execute(sql, params, **options)

    def batch(
        self, sql: str, sets: Sequence[Params], **options: Unpack[Options]
    ) -> list[BatchResult]:
        """Run a statement for each set of parameters; return the rows of each run, or its error."""
        return self.run(self.session.run_batch(sql, list(sets), options)).results

    def pages(
        self,
        sql: str,
        params: Params | None = None,
        *,
        page_rows: int = PAGE_ROWS,
        **options: Unpack[Options],
    ) -> Iterator[list[Row]]:
        """Yield the rows of a store in the order of its key, a page at a time.

        Nothing is held between pages, except with the consistency `snapshot`.
        """
        for steps in self.session.pages(sql, params, page_rows, options):
            yield self.run(steps)

    def arrow(self, sql: str, params: Params | None = None, **options: Unpack[Options]) -> pa.Table:
        """Run a statement and return its rows as a table of pyarrow."""
        return self.run(self.session.read_table(sql, params, options))[0]

    def df(
        self, sql: str, params: Params | None = None, **options: Unpack[Options]
    ) -> pd.DataFrame:
        """Run a statement and return its rows as a DataFrame of pandas.

        Raises:
            NotSupportedError: pandas is not installed.
        """
        return to_pandas(self.arrow(sql, params, **options))

    def pl(self, sql: str, params: Params | None = None, **options: Unpack[Options]) -> Any:
        """Run a statement and return its rows as a DataFrame of Polars.

        Raises:
            NotSupportedError: Polars is not installed.
        """
        return to_polars(self.arrow(sql, params, **options))

    def subscribe(
        self,
        sql: str,
        params: Params | None = None,
        *,
        token: str | None = None,
        silence_s: float = SILENCE_S,
        **options: Unpack[Options],
    ) -> Subscription:
        """Subscribe to the rows of a SELECT, and return an iterator of its events.

        Args:
            sql: one SELECT, with parameters as `$1`, `$2`, … or as `:name`.
            params: a sequence of values, or a mapping.
            token: that of an event, after which to go on; without it, first rows come first.
            silence_s: how long nothing may come before the connection counts as lost.
            options: how its first rows are read; see `Options`.

        Raises:
            Error: it is refused, or no gateway answers.
        """
        live = Live(self.session, sql, params, options, token=token, silence_s=silence_s)
        self.run(live.open())
        return Subscription(self, live)

    def commit(self) -> None:
        """Do nothing: a statement only reads, and is a transaction of its own."""
        self._check_open()

    def rollback(self) -> None:
        """Do nothing: a statement only reads, and is a transaction of its own."""
        self._check_open()

    def close(self) -> None:
        """Close all connections to the gateway, which cancels statements that run."""
        if not self._is_closed:
            self._is_closed = True
            self._transport.close()

    def __enter__(self) -> Connection:
        """Return the connection, which the block closes."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.close()

    def _check_open(self) -> None:
        if self._is_closed:
            raise closed()


class AsyncConnection:
    """A session for one event loop; see `Connection`. Its tasks may share it.

    Args:
        session: its state.
        transport: takes its steps.
    """

    def __init__(self, session: Session, transport: AsyncTransport) -> None:
        self.session = session
        self._transport = transport
        self._is_closed = False

    @property
    def position(self) -> Position:
        """The merged positions of all answers that were read to their end."""
        return self.session.position

    async def run(self, steps: Steps[T]) -> T:
        """Take steps; cursors and subscriptions call it.

        Raises:
            InterfaceError: the connection is closed.
        """
        if self._is_closed:
            raise closed()
        return await run_async(steps, self._transport)

    def cursor(self) -> AsyncCursor:
        """Return a new cursor."""
        return AsyncCursor(self)

    async def execute(
        self, sql: str, params: Params | None = None, **options: Unpack[Options]
    ) -> AsyncCursor:
        """Run a statement and return a new cursor with its rows; see `Cursor.execute`."""
        return await self.cursor().execute(sql, params, **options)

    async def batch(
        self, sql: str, sets: Sequence[Params], **options: Unpack[Options]
    ) -> list[BatchResult]:
        """Run a statement for each set of parameters; return the rows of each run, or its error."""
        return (await self.run(self.session.run_batch(sql, list(sets), options))).results

    async def pages(
        self,
        sql: str,
        params: Params | None = None,
        *,
        page_rows: int = PAGE_ROWS,
        **options: Unpack[Options],
    ) -> AsyncIterator[list[Row]]:
        """Yield the rows of a store, a page at a time; see `Connection.pages`."""
        for steps in self.session.pages(sql, params, page_rows, options):
            yield await self.run(steps)

    async def arrow(
        self, sql: str, params: Params | None = None, **options: Unpack[Options]
    ) -> pa.Table:
        """Run a statement and return its rows as a table of pyarrow."""
        return (await self.run(self.session.read_table(sql, params, options)))[0]

    async def df(
        self, sql: str, params: Params | None = None, **options: Unpack[Options]
    ) -> pd.DataFrame:
        """Run a statement and return its rows as a DataFrame of pandas; see `Connection.df`."""
        return to_pandas(await self.arrow(sql, params, **options))

    async def pl(self, sql: str, params: Params | None = None, **options: Unpack[Options]) -> Any:
        """Run a statement and return its rows as a DataFrame of Polars; see `Connection.pl`."""
        return to_polars(await self.arrow(sql, params, **options))

    async def subscribe(
        self,
        sql: str,
        params: Params | None = None,
        *,
        token: str | None = None,
        silence_s: float = SILENCE_S,
        **options: Unpack[Options],
    ) -> AsyncSubscription:
        """Subscribe to the rows of a SELECT; see `Connection.subscribe`."""
        live = Live(self.session, sql, params, options, token=token, silence_s=silence_s)
        await self.run(live.open())
        return AsyncSubscription(self, live)

    async def close(self) -> None:
        """Close all connections to the gateway, which cancels statements that run."""
        if not self._is_closed:
            self._is_closed = True
            await self._transport.close()

    async def __aenter__(self) -> AsyncConnection:
        """Return the connection, which the block closes."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connection."""
        await self.close()


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Return a table as a DataFrame of pandas.

    Raises:
        NotSupportedError: pandas is not installed.
    """
    try:
        import pandas as pd  # noqa: F401, PLC0415 - pyarrow needs it, and only here
    except ImportError as error:
        raise NotSupportedError("pandas is not installed", hint="pip install pandas") from error
    return table.to_pandas()


def to_polars(table: pa.Table) -> Any:
    """Return a table as a DataFrame of Polars.

    Raises:
        NotSupportedError: Polars is not installed.
    """
    try:
        import polars as pl  # noqa: PLC0415 - only programs that ask for it have it
    except ImportError as error:
        raise NotSupportedError("polars is not installed", hint="pip install polars") from error
    return pl.from_arrow(table)
