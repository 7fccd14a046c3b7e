"""The thread that brings clients back, with queries and clients that are fakes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import NoReturn, cast

import pytest

from stategate.planner.errors import UnavailableError
from stategate.planner.live.catching_up import CatchingUp
from stategate.planner.live.live_query import LiveQuery
from stategate.planner.live.results import ResultReader
from stategate.planner.live.subscription import LiveSubscription
from stategate.planner.live.tokens import Mark, Seen, token_of
from stategate.planner.running.execute import Executor
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.live import FirstRows, LiveEvent, Moment
from stategate.stores.spec.catalog import StoreCatalog
from stategate.stores.spec.past import PastStores
from stategate.stores.spec.position import EMPTY
from stategate.stores.spec.store import Store
from tests.support.waiting import WAIT_S

GONE = "the changes after the token are no longer held"
NOWHERE = Mark(epochs={}, committed_ms={})
MOMENT = Moment(token=token_of("of", NOWHERE), epoch=0, epochs={}, position=EMPTY)
READER = cast(ResultReader, None)
"""It is not reached."""


class Failing(LiveQuery):
    """A query for which no event can be made.

    Args:
        fail: raises.
    """

    def __init__(self, fail: Callable[[], NoReturn]) -> None:
        self._fail = fail

    def catch_up(self, seen: Seen) -> LiveEvent | None:
        """Fail."""
        self._fail()


class Client:
    """A client that comes back."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._is_told = threading.Event()

    def go_on(self, after: Seen, problem: str | None) -> None:
        """Note it."""
        del after
        self.problem = problem
        self._is_told.set()

    def told(self) -> str | None:
        """Return why it starts over, once it is told."""
        assert self._is_told.wait(WAIT_S), "it waits for ever"
        return self.problem


class Stubborn(Client):
    """A client that fails."""

    def go_on(self, after: Seen, problem: str | None) -> None:
        """Fail."""
        super().go_on(after, problem)
        raise ZeroDivisionError


class PanicError(BaseException):
    """What a library raises where it does not know how to go on."""


@pytest.fixture
def catching_up() -> Iterator[CatchingUp]:
    made = bringing_back()
    yield made
    made.close()
    made.join(timeout_s=WAIT_S)


def bringing_back(*, timeout_s: float = WAIT_S) -> CatchingUp:
    """Return what brings clients back, of which no work gets as far as the log."""
    past = cast(PastStores, object())
    return CatchingUp(past, _executor, timeout_s=timeout_s, linger_s=WAIT_S)


def _executor(catalog: StoreCatalog) -> Executor:
    assert not catalog.stores
    return cast(Executor, None)


def seen(number: int = 0) -> Seen:
    return Seen(token=str(number), mark=NOWHERE, rows=None)


def gone() -> NoReturn:
    raise UnavailableError("it is gone")


def panic() -> NoReturn:
    raise PanicError


def test_a_client_starts_over_if_there_is_no_thread_for_it(
    catching_up: CatchingUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> NoReturn:
        raise RuntimeError("can't start new thread")

    first, second = Client(), Client()
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", refuse)
        catching_up.enlist(first, Failing(gone), seen(), READER)
    assert first.told() == GONE
    catching_up.enlist(second, Failing(gone), seen(), READER)
    assert second.told() == f"{GONE}: it is gone", "a thread was started for it"


def test_a_client_that_fails_does_not_stop_the_others(catching_up: CatchingUp) -> None:
    go, query = threading.Event(), Failing(gone)

    def wait() -> NoReturn:
        assert go.wait(WAIT_S)
        gone()

    catching_up.enlist(Client(), Failing(wait), seen(), READER)
    clients = [Stubborn(), Client(), Stubborn(), Client()]
    for each in clients:
        catching_up.enlist(each, query, seen(), READER)
    go.set()
    assert [each.told() for each in clients] == [f"{GONE}: it is gone"] * 4


def test_clients_start_over_after_a_panic_in_the_work(catching_up: CatchingUp) -> None:
    go, clients = threading.Event(), [Client(), Stubborn(), Client()]

    def wait() -> NoReturn:
        assert go.wait(WAIT_S)
        panic()

    for number, each in enumerate(clients):
        catching_up.enlist(each, Failing(wait), seen(number), READER)
    go.set()
    assert [each.told() for each in clients] == [GONE] * 3
    later = Client()
    catching_up.enlist(later, Failing(gone), seen(), READER)
    assert later.told() == f"{GONE}: it is gone"


class Reader(ResultReader):
    """A reader of stores that cannot be read."""

    def __init__(self) -> None:
        self.remaining_s: float | None = None

    def stores(self) -> dict[str, Store]:
        """Return none."""
        return {}

    def over(self, executor: Executor | None, cancellation: Cancellation) -> ResultReader:
        """Note for how long it may be read."""
        del executor
        self.remaining_s = cancellation.remaining_s
        raise UnavailableError("it is gone")


class Unkept(LiveQuery):
    """A query without stores, whose events are gone."""

    def __init__(self) -> None:
        self.digest, self._moment, self._events = "of", MOMENT, None
        self._lock, self.error = threading.Lock(), None


def test_no_client_waits_for_longer_than_its_time() -> None:
    """Work that begins late ends early: neither its clients nor the next ones wait longer."""
    catching_up, go = bringing_back(timeout_s=WAIT_S), threading.Event()

    def wait() -> NoReturn:
        assert go.wait(WAIT_S)
        gone()

    first, second, reader = Client(), Client(), Reader()
    catching_up.enlist(first, Failing(wait), seen(), READER)
    enlisted_s = time.monotonic()
    catching_up.enlist(second, Unkept(), seen(), reader)
    *_, wanted = catching_up._wanted.values()
    wanted.until_s = enlisted_s + 5
    go.set()
    assert second.told() == f"{GONE}: it is gone"
    assert reader.remaining_s is not None
    assert 0 < reader.remaining_s <= 5
    catching_up.close()
    catching_up.join(timeout_s=WAIT_S)


class Counted:
    """Counts clients that came back."""

    def __init__(self) -> None:
        self.starting_over: list[bool] = []

    def given(self) -> None:
        """Ignore it."""

    def came_back(self, *, starts_over: bool) -> None:
        """Count it."""
        self.starting_over.append(starts_over)

    def left(self, subscription: LiveSubscription, query: LiveQuery | None, *, slow: bool) -> None:
        """Ignore it."""


class Slow(Failing):
    """A query whose rows cannot be read yet.

    Args:
        may_read: set once they can.
    """

    def __init__(self, may_read: threading.Event) -> None:
        super().__init__(gone)
        self.columns = self.stores = ()
        self._may_read = may_read

    def first_rows(self) -> tuple[FirstRows, int]:
        """Return none."""
        assert self._may_read.wait(WAIT_S)
        return FirstRows(rows=(), moment=MOMENT), 0


def test_clients_that_start_over_do_not_wait_for_the_rows_of_others(
    catching_up: CatchingUp,
) -> None:
    counted, may_read, told = Counted(), threading.Event(), [threading.Event() for _ in range(5)]
    clients = []
    for number, each in enumerate(told):
        client = LiveSubscription(counted, each.set, lambda: None)
        query = Slow(may_read)
        client.open(query, lambda: None)
        catching_up.enlist(client, query, seen(number), READER)
        clients.append(client)
    for event in told:
        assert event.wait(WAIT_S), "it is told by a thread that reads rows for others"
    assert {each.start_over for each in clients} == {f"{GONE}: it is gone"}
    assert not any(each.has_begun or each.take() for each in clients)
    assert counted.starting_over == []
    may_read.set()
    for client in clients:
        client.begin()
        client.begin()
    assert all(each.has_begun and each.first is not None for each in clients)
    assert counted.starting_over == [True] * 5
