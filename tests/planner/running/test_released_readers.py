"""A statement frees what it reads as it ends, and does not wait for the garbage collector.

What it reads keeps epochs of databases from being forgotten, and a gateway collects seldom.
"""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from stategate.planner.composing.compose import Composed
from stategate.planner.composing.database import ArrowRelation
from stategate.planner.composing.feeds import FeedSender
from stategate.planner.composing.remote_statement import RemoteStatement
from stategate.planner.errors import QueryError
from stategate.planner.running.consistency import Reading
from stategate.planner.running.gathering import Streams, Tally
from stategate.planner.running.read_counts import RowStream
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.statement import Result
from stategate.stores.engines.rocksdb.readers import Reader
from stategate.stores.errors import StoreError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import VIEWS_MAX
from stategate.stores.spec.query import BatchStream
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store
from tests.support.waiting import until

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
USERS = keyvalue("users", {"usr": "text"}, {"city": "text"}, partitions=2)
ROWS = 9_000
"""More than the first message to a composing process takes."""
PATHS = {
    "lookup": "SELECT n FROM clicks WHERE usr = 'u7'",
    "keys": "SELECT usr, n FROM clicks WHERE usr IN ('u7', 'u8', 'u9')",
    "few rows": "SELECT usr, n FROM clicks ORDER BY usr LIMIT 5",
    "stream": "SELECT usr, n FROM clicks",
    "ordered stream": "SELECT usr, n FROM clicks ORDER BY usr",
    "snapshot": "SELECT usr, n FROM clicks WITH BOUND (SNAPSHOT)",
    "info": "SELECT usr, n FROM clicks WITH INFO",
    "count": "SELECT count(*) FROM clicks",
    "grouped": "SELECT n % 7, count(*) FROM clicks GROUP BY 1",
    "composed": "SELECT usr, row_number() OVER (PARTITION BY n % 7 ORDER BY usr) FROM clicks",
    "few composed": "SELECT upper(usr) || 'x' FROM clicks WHERE usr LIKE 'u77%'",
    "join": "SELECT c.usr, u.city FROM clicks AS c JOIN users AS u ON c.usr = u.usr",
    "few joined": "SELECT u.city FROM clicks c JOIN users u ON c.usr = u.usr WHERE c.usr = 'u7'",
    "twice": "SELECT count(*) FROM clicks AS a JOIN clicks AS b ON a.usr = b.usr",
    "system": "SELECT p.epoch, c.n FROM clicks AS c CROSS JOIN stategate.partitions AS p",
    "analyzed": "EXPLAIN ANALYZE SELECT usr FROM clicks",
    "DuckDB fails": "SELECT sum(n) OVER (), 1 / (n - 8999) FROM clicks",
    "refused": "SELECT usr, n FROM clicks WITH BOUND (events[0] >= 99)",
}
"""A statement of each way to read. The last two fail."""
ENDINGS = ("read", "not begun", "closed early", "cancelled", "failing")

OF_STORES = (Reader, BatchStream, Streams, ArrowRelation)
"""What must be gone once a result is closed, though someone still has the result."""
OF_RESULT = (*OF_STORES, RowStream, Composed, RemoteStatement, FeedSender, Tally, Reading)
"""What must be gone with the result."""


@pytest.fixture(scope="module")
def clicks(tmp_path_factory: pytest.TempPathFactory) -> LocalStore:
    store = open_store(CLICKS, directory=tmp_path_factory.mktemp("clicks"))
    fill(store, [(f"u{n}", n) for n in range(ROWS)])
    return store


@pytest.fixture(scope="module")
def engine(clicks: LocalStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqlEngine]:
    users = open_store(USERS, directory=tmp_path_factory.mktemp("users"))
    fill(users, [(f"u{n}", f"city {n % 50}") for n in range(0, ROWS, 3)])
    made = SqlEngine(FixedCatalog(clicks, users))
    yield made
    made.close()
    for each in (clicks, users):
        each.close()


@pytest.fixture(scope="module", autouse=True)
def _uncollected(engine: SqlEngine) -> Iterator[None]:
    """Turn the collector off. What is there now is frozen, so that it is not searched."""
    for sql in PATHS.values():
        finish(engine, sql, "read")  # what is made once may stay
    gc.collect()
    gc.freeze()
    gc.disable()
    yield
    gc.enable()


@dataclass
class Held:
    """The objects of some classes that were there before."""

    classes: tuple[type[Any], ...]

    def __post_init__(self) -> None:
        self.before = self.now()

    def now(self) -> Counter[str]:
        wanted = frozenset(self.classes)
        return Counter(type(each).__name__ for each in gc.get_objects() if type(each) in wanted)

    def require_gone(self) -> None:
        """Wait for threads that have just served the statement, then compare."""
        until(lambda: not self.now() - self.before, timeout_s=2)


def finish(engine: SqlEngine, sql: str, ending: str) -> Result | None:
    """Run a statement up to its end; return its closed result, or None if it was refused."""
    session, cancellation = Session(), Cancellation(30)
    try:
        result = engine.execute(
            engine.prepare(sql, session), (), session, cancellation=cancellation
        )
    except QueryError:
        return None
    try:
        batches = result.batches
        if batches is not None and ending != "not begun":
            next(batches, None)
            if ending == "cancelled":
                cancellation.cancel()
            if ending != "closed early":
                deque(batches, maxlen=0)
    except QueryError:
        pass
    result.close()
    return result


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_of_a_statement_outlives_its_end(
    engine: SqlEngine, path: str, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_stores, of_result = Held(OF_STORES), Held(OF_RESULT)
    if ending == "failing":
        monkeypatch.setattr(Reader, "chunks", torn(Reader.chunks))
    result = finish(engine, PATHS[path], ending)
    of_stores.require_gone()
    del result
    of_result.require_gone()


def torn(chunks: Any) -> Any:
    """Return a way to read a range that fails after its first chunk."""

    def read(*given: Any, **fields: Any) -> Iterator[Any]:
        for number, chunk in enumerate(chunks(*given, **fields)):
            if number:
                raise StoreError("the disk is gone")
            yield chunk

    return read


def test_the_check_finds_what_is_held(engine: SqlEngine) -> None:
    session = Session()
    statement = engine.prepare(PATHS["stream"], session)
    held = Held(OF_STORES)
    result = engine.execute(statement, (), session, cancellation=Cancellation())
    assert (held.now() - held.before).keys() >= {"BatchStream", "Streams"}
    result.close()
    held.require_gone()


def test_statements_between_epochs_leave_no_readers(engine: SqlEngine, clicks: LocalStore) -> None:
    held = Held((Reader,))
    for epoch in range(1, 2 * VIEWS_MAX):
        for path in ("stream", "composed", "join"):
            finish(engine, PATHS[path], "closed early" if epoch % 2 else "read")
        fill(clicks, [("u7", 7)], epoch=epoch)
    until(lambda: (held.now() - held.before).total() <= VIEWS_MAX * CLICKS.partitions)
