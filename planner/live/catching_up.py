"""Brings back clients whose token is older than what replicas keep, by the state log.

The statement is run over the stores as of the token, which are built from the log, and over the
present ones. The difference is one event: it leads from the rows of the client to present ones, and
the events after it follow. It is made once for all clients with the same token, by one thread for
all statements, which shares the earlier stores among them. Clients wait without a thread.

Law: the rows at the token, with the changes of that event applied to them, are the rows of the
statement at the epochs of that event; no row is in two of its changes.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from msgspec import Struct, field

from stategate.planner.errors import QueryError, UnavailableError
from stategate.planner.live.cuts import Stores, is_ahead, is_held, remade, take_again
from stategate.planner.live.differences import Difference
from stategate.planner.live.live_query import LiveQuery
from stategate.planner.live.opened_past import OpenedPast
from stategate.planner.live.results import ResultReader
from stategate.planner.live.subscribable import difference_of
from stategate.planner.live.tokens import Mark, Seen, seen_in
from stategate.planner.running.execute import Executor
from stategate.planner.running.snapshot import Snapshot
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.live import Moment
from stategate.stores.errors import StoreError, UnknownStoreError
from stategate.stores.spec.catalog import Nodes, StoreCatalog
from stategate.stores.spec.past import PastEpoch, PastStores
from stategate.stores.spec.schema import Row
from stategate.stores.spec.store import Store

logger = logging.getLogger(__name__)

WAITING_MAX = 1_000
"""Tokens of statements that wait; clients with further ones start over."""
_WAITS = 2
"""How long a client waits at most, in times of the longest work on one event."""
_SNAPSHOTS_MAX = 3
"""Tries to hold the present epochs; each is in vain only if they are forgotten meanwhile."""
_NOT_HELD = "the changes after the token are no longer held"

ExecutorOver: TypeAlias = Callable[[StoreCatalog], Executor]
"""Makes what runs plans over other stores."""


class Returning(Protocol):
    """A client that comes back, and waits."""

    def go_on(self, after: Seen, problem: str | None) -> None:
        """Go on after a token, by the event that was added; or start over because of a problem.

        It must not block: others wait for the thread that calls it.
        """


class _Wanted(Struct, eq=False, kw_only=True):
    """The event of a statement and a token, for which clients wait."""

    query: LiveQuery
    after: Seen
    reader: ResultReader
    """Reads the statement; used by no one else."""
    until_s: float
    """When its clients have waited for long enough, by the monotonic clock; the work ends then."""
    clients: set[Returning] = field(default_factory=set)
    work: Cancellation | None = None
    """Ends the work on it; None before it begins."""
    is_abandoned: bool = False
    """Whether the work was ended because no one waited."""


class CatchingUp:
    """Makes the events of clients that come back. Safe to use from many threads.

    Args:
        past: the stores as of earlier epochs; if None, clients start over.
        executor_over: makes what runs statements over them.
        timeout_s: how long one event may take.
        linger_s: how long the earlier stores stay open for further clients.
    """

    def __init__(
        self,
        past: PastStores | None,
        executor_over: ExecutorOver,
        *,
        timeout_s: float,
        linger_s: float,
    ) -> None:
        self._past, self._executor_over = past, executor_over
        self._timeout_s, self._linger_s = timeout_s, linger_s
        self._changed = threading.Condition()
        self._wanted: dict[tuple[LiveQuery, str], _Wanted] = {}
        """In the order in which they came; the first one is worked on."""
        self._waiting: dict[Returning, _Wanted] = {}
        """What each client waits for."""
        self._thread: threading.Thread | None = None
        self._is_working = False
        """Whether the thread goes on; it ends when there is nothing left to do."""
        self._is_closed = False

    def enlist(
        self, client: Returning, query: LiveQuery, after: Seen, reader: ResultReader
    ) -> None:
        """Have a client go on after a token: soon, or at once if it has to start over."""
        key = query, after.token
        with self._changed:
            wanted = self._wanted.get(key)
            has_room = len(self._wanted) < WAITING_MAX
            if wanted is None and has_room and self._past is not None and not self._is_closed:
                until_s = time.monotonic() + _WAITS * self._timeout_s
                wanted = self._wanted[key] = _Wanted(
                    query=query, after=after, reader=reader, until_s=until_s
                )
            if wanted is not None:
                wanted.clients.add(client)
                self._waiting[client] = wanted
                if not self._begin_work():  # so no one else waits
                    del self._wanted[key], self._waiting[client]
                    wanted = None
        if wanted is None:
            client.go_on(after, _NOT_HELD)

    def problem(self, after: Seen, stores: Stores, cancellation: Cancellation) -> str | None:
        """Return why no client can go on after a token, as far as that is known without reading.

        None also if the stores are behind the token, and may still come to it.

        Args:
            after: what was seen.
            stores: the stores that the statement reads.
            cancellation: ends the look at the log.

        Raises:
            QueryCancelledError: it was cancelled.
        """
        if is_ahead(after.mark, stores) or is_held(after.mark, stores):
            return None
        if self._past is None:
            return _NOT_HELD
        try:
            with self._past.open(_epochs(after.mark, stores), stop=cancellation):
                return None
        except UnavailableError as error:
            return f"{_NOT_HELD}: {_text(error)}"
        except StoreError as error:
            return f"{_NOT_HELD}: {error}"

    def leave(self, client: Returning) -> None:
        """Forget a client; what no one waits for is not made."""
        with self._changed:
            wanted = self._waiting.pop(client, None)
            if wanted is None:
                return
            wanted.clients.discard(client)
            if not wanted.clients and wanted.work is not None:
                wanted.is_abandoned = True
                wanted.work.cancel()

    def close(self) -> None:
        """End all work."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
            for each in self._wanted.values():
                if each.work is not None:
                    each.work.cancel()

    def join(self, *, timeout_s: float) -> None:
        """Wait until the thread has ended, after `close`."""
        thread = self._thread
        if thread is not None:
            thread.join(timeout_s)

    def _begin_work(self) -> bool:
        """Have a thread work; the lock is held. False if none can be started."""
        if self._is_working:
            self._changed.notify()
            return True
        assert self._past is not None, "nothing is wanted without it"
        opened = OpenedPast(self._past)
        thread = threading.Thread(target=self._work, args=[opened], name="catching-up", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:
            logger.error("the log cannot be read for clients error=%s", error)
            return False
        self._thread, self._is_working = thread, True
        return True

    # --- in the thread ---------------------------------------------------------------------------

    def _work(self, opened: OpenedPast) -> None:
        try:
            while self._serve_next(opened):
                pass  # a call of its own, which leaves nothing in a variable
        except BaseException:  # also a panic of a library: the next client gets another thread
            logger.exception("a thread that reads the log has failed")
            self._give_up()
        finally:
            opened.close()

    def _give_up(self) -> None:
        """Have all clients start over, since the thread ends."""
        with self._changed:
            self._is_working = False
            left = [(client, wanted.after) for client, wanted in self._waiting.items()]
            self._wanted.clear()
            self._waiting.clear()
        for client, after in left:
            _tell(client, after, _NOT_HELD)

    def _serve_next(self, opened: OpenedPast) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._wanted or self._is_closed, self._linger_s)
            if not self._wanted:
                self._is_working = False
                return False
            key, wanted = next(iter(self._wanted.items()))
            # No one waits for longer than this, since all before it end earlier.
            left_s = max(0.0, wanted.until_s - time.monotonic())
            work = wanted.work = Cancellation(min(self._timeout_s, left_s))
            wanted.is_abandoned = not wanted.clients
        problem = None if wanted.is_abandoned else self._problem_of(wanted, work, opened)
        with self._changed:
            if wanted.is_abandoned and wanted.clients and not self._is_closed:
                return True  # clients came after it was abandoned: once more for them
            del self._wanted[key]
            clients = list(wanted.clients)
            for each in clients:
                del self._waiting[each]
        if problem is not None and clients:
            logger.info("live query starts over clients=%d reason=%s", len(clients), problem)
        for each in clients:
            _tell(each, wanted.after, problem)
        return True

    def _problem_of(self, wanted: _Wanted, work: Cancellation, opened: OpenedPast) -> str | None:
        """Make an event; return why that is impossible, or None."""
        if self._is_closed or time.monotonic() > wanted.until_s:
            return f"{_NOT_HELD}: too many others wait for the log"
        try:
            # The event may have been made just before its last client asked.
            if wanted.query.catch_up(wanted.after) is None:
                self._make(wanted, work, opened)
        except QueryError as error:
            return f"{_NOT_HELD}: {_text(error)}"
        except StoreError as error:
            return f"{_NOT_HELD}: {error}"
        except Exception:  # the outermost call of its thread: the clients start over
            logger.exception("a live query could not go on by the log")
            return _NOT_HELD
        return None

    def _make(self, wanted: _Wanted, work: Cancellation, opened: OpenedPast) -> None:
        query, reader = wanted.query, wanted.reader
        moment, snapshot = _present(query, reader)
        try:
            old = self._rows_before(wanted, work, opened)
            work.check()
            new = reader.over(None, work).read(snapshot)
        finally:
            snapshot.release()
        difference = difference_of(reader.statement)
        _require_same(difference, old, wanted.after)
        _require_same(difference, new, seen_in(moment.token, query.digest))
        changes = difference.changes(difference.contents(old), difference.contents(new))
        if not query.add_catch_up(wanted.after, changes, moment):
            raise UnavailableError("newer events came too fast")

    def _rows_before(self, wanted: _Wanted, work: Cancellation, opened: OpenedPast) -> list[Row]:
        """Return the rows as of the token."""
        reader = wanted.reader
        epochs = _epochs(wanted.after.mark, reader.stores())
        executor = self._executor_over(_PastCatalog(opened.stores(epochs, work)))
        try:
            return reader.over(executor, work).read(None)
        except QueryError as error:
            problem = opened.problem(epochs)
            if problem is None:
                raise
            raise UnavailableError(problem) from error


def _tell(client: Returning, after: Seen, problem: str | None) -> None:
    """Have a client go on; the others do, too, if that fails."""
    try:
        client.go_on(after, problem)
    except Exception:
        logger.exception("a client that came back could not go on")


def _require_same(difference: Difference, rows: list[Row], seen: Seen) -> None:
    """Make sure that rows that were read again are those that were seen.

    Raises:
        UnavailableError: they are others.
    """
    if seen.rows not in {None, difference.digest(rows).text}:
        raise UnavailableError("the statement has other rows each time, as by LIMIT among equals")


def _present(query: LiveQuery, reader: ResultReader) -> tuple[Moment, Snapshot]:
    """Hold the present epochs of a query.

    Raises:
        UnavailableError: replicas forget them too fast.
    """
    for _ in range(_SNAPSHOTS_MAX):
        moment = query.moment
        snapshot = take_again(reader.stores(), seen_in(moment.token, query.digest).mark)
        if snapshot is not None:
            return moment, snapshot
    raise UnavailableError("the present epochs are forgotten too fast")


def _epochs(mark: Mark, stores: Mapping[str, Store]) -> list[PastEpoch]:
    """Return the epochs of a token.

    Raises:
        UnavailableError: the statement reads other stores by now.
    """
    if (problem := remade(stores, mark)) is not None:
        raise UnavailableError(problem)
    if mark.epochs.keys() != stores.keys():
        raise UnavailableError("the statement reads other stores by now")
    return [
        PastEpoch(
            schema=store.schema,
            epoch=mark.epochs[name],
            committed_ms=mark.committed_ms.get(name),
        )
        for name, store in stores.items()
    ]


def _text(error: QueryError) -> str:
    detail = error.detail
    return error.message if detail is None else f"{error.message} ({detail.rstrip('.')})"


class _PastCatalog:
    """A `StoreCatalog` of stores as of earlier epochs."""

    nodes: Nodes | None = None
    version = 0

    def __init__(self, stores: Mapping[str, Store]) -> None:
        self.stores = stores

    def is_whole(self) -> bool:
        """Return True: no other store is read."""
        return True

    def missing(self, store: str) -> StoreError:
        """Return the error for another store."""
        return UnknownStoreError(f'store "{store}" is not read')
