"""Waits that many callers share, and waits at several nodes at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import StoreError, TooManyWaitersError
from stategate.stores.nodes.waits import _CHANCES, BeginWait, SharedWaits, Soon, WaitEverywhere
from stategate.stores.spec.store import OnBound, Waiting


class Begun:
    """A wait at a node, which a test ends."""

    def __init__(self, on_end: OnBound) -> None:
        self.on_end = on_end
        self.is_cancelled = False

    def cancel(self) -> bool:
        """Note it."""
        self.is_cancelled = True
        return True


class Places:
    """Begins waits, and keeps those that go on by their keys."""

    def __init__(self) -> None:
        self.begun: dict[str, list[Begun]] = {}

    def begin(self, key: str, on_end: OnBound) -> Waiting:
        """Begin one."""
        made = Begun(on_end)
        self.begun.setdefault(key, []).append(made)
        return made

    def going_on(self, key: str) -> list[Begun]:
        """Return the waits of a key that have not been cancelled."""
        return [each for each in self.begun.get(key, []) if not each.is_cancelled]

    def end(self, key: str, *, is_met: bool) -> None:
        """End the wait of a key."""
        for each in self.going_on(key):
            each.is_cancelled = True
            each.on_end(is_met)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "cancel", "met", "lost"]),
        st.sampled_from(["x", "y"]),
        st.integers(0, 5),
    ),
    max_size=30,
)


@given(STEPS)
def test_each_caller_gets_the_end_of_its_wait_once(steps: list[tuple[str, str, int]]) -> None:
    places = Places()
    waits = SharedWaits(places.begin)
    ends: list[list[bool]] = []
    open_: dict[str, list[tuple[int, Waiting]]] = {"x": [], "y": []}
    for kind, key, number in steps:
        if kind == "add":
            ends.append([])
            open_[key].append((len(ends) - 1, waits.add(key, ends[-1].append)))
        elif kind == "cancel" and open_[key]:
            at, waiting = open_[key].pop(number % len(open_[key]))
            assert waiting.cancel()
            assert not waiting.cancel()
            assert ends[at] == []
        elif kind in {"met", "lost"}:
            places.end(key, is_met=kind == "met")
            for at, waiting in open_[key]:
                assert ends[at] == [kind == "met"]
                assert not waiting.cancel()
            open_[key].clear()
        for each, callers in open_.items():
            assert len(places.going_on(each)) == bool(callers), "one for all of them"
            assert all(ends[at] == [] for at, _ in callers)


def test_a_wait_that_ends_at_once() -> None:
    def begin(key: str, on_end: OnBound) -> Waiting:
        on_end(True)
        return Begun(on_end)

    waits, ends = SharedWaits(begin), list[bool]()
    for _ in range(2):
        assert not waits.add("x", ends.append).cancel()
    assert ends == [True, True]


def test_a_callback_that_fails_keeps_no_other_waiting(caplog: pytest.LogCaptureFixture) -> None:
    def fail(is_met: bool) -> None:
        raise ValueError(is_met)

    places, ends = Places(), list[bool]()
    waits = SharedWaits(places.begin)
    for callback in (fail, ends.append):
        waits.add("x", callback)
    places.end("x", is_met=True)
    assert ends == [True]
    assert "a callback that waited for a bound failed" in caplog.text


@given(
    st.lists(st.sampled_from(["met", "lost", "refused", "stays"]), max_size=5),
    st.booleans(),
)
def test_one_place_that_meets_the_bound_is_enough(kinds: list[str], at_once: bool) -> None:
    places, ends = Places(), list[bool]()

    def begin(at: int, on_end: OnBound) -> Waiting:
        if kinds[at] == "refused":
            raise StoreError("it has too many waiters")
        waiting = places.begin(str(at), on_end)
        if at_once and kinds[at] != "stays":
            on_end(kinds[at] == "met")
        return waiting

    begins: dict[str | None, BeginWait] = {str(at): partial(begin, at) for at in range(len(kinds))}
    soon = list[Callable[[], None]]()
    wait = WaitEverywhere(lambda: begins, ends.append, soon.append)
    wait.begin()
    for _ in range(2 + _CHANCES):
        for at, kind in enumerate(kinds):
            if not at_once and kind in {"met", "lost"}:
                places.end(str(at), is_met=kind == "met")
        if soon:
            soon.pop()()
    if "met" in kinds:
        assert ends == [True]
        assert not any(places.going_on(str(at)) for at, k in enumerate(kinds) if k == "stays")
    elif "stays" in kinds:
        assert ends == []
        assert wait.cancel()
    else:
        assert ends == [False]
    assert not wait.cancel()


def test_a_place_that_fails_leaves_no_wait() -> None:
    """As when a number has more bits than a message can have: later callers begin anew."""
    places, ends = Places(), list[bool]()

    def fail(on_end: OnBound) -> Waiting:
        later.append(waits.add("x", ends.append))
        raise OverflowError("too large")

    def begin(key: str, on_end: OnBound) -> Waiting:
        begins: dict[str | None, BeginWait] = {"a": partial(places.begin, key), "b": last}
        wait = WaitEverywhere(lambda: begins, on_end, list[object]().append)
        wait.begin()
        return wait

    last: BeginWait = fail
    later = list[Waiting]()
    waits = SharedWaits(begin)
    with pytest.raises(OverflowError):
        waits.add("x", ends.append)
    assert places.going_on("x") == []
    assert ends == [False], "only who has joined gets the end"
    assert not later[0].cancel()
    last = partial(places.begin, "y")
    waits.add("x", ends.append)
    places.end("y", is_met=True)
    assert ends == [False, True]


def test_a_place_that_is_lost_is_waited_for_again() -> None:
    """The other one may be unable to follow; by then another node may have the partition."""
    places, ends, soon = Places(), list[bool](), list[Callable[[], None]]()
    names = ["a", "b"]

    def found() -> dict[str | None, BeginWait]:
        return {name: partial(places.begin, name) for name in names}

    wait = WaitEverywhere(found, ends.append, soon.append)
    wait.begin()
    for _ in range(3):
        places.end("b", is_met=False)
        (again,) = soon
        soon.clear()
        again()
        assert [len(places.going_on(name)) for name in "ab"] == [1, 1]
    names[:] = ["a", "c"]
    places.end("b", is_met=False)
    soon.pop()()
    assert [len(places.going_on(name)) for name in "abc"] == [1, 0, 1]
    places.end("c", is_met=True)
    assert (ends, soon, places.going_on("a")) == ([True], [], [])
    again()
    assert not any(map(places.going_on, "abc")), "it is over"


def test_a_wait_outlives_a_rolling_restart() -> None:
    """One node is away when it begins; when it is back, the other is restarted."""
    places, ends, soon = Places(), list[bool](), list[Callable[[], None]]()
    names = ["a"]

    def found() -> dict[str | None, BeginWait]:
        return {name: partial(places.begin, name) for name in names}

    WaitEverywhere(found, ends.append, soon.append).begin()
    names[:] = []
    places.end("a", is_met=False)
    soon.pop()()
    names[:] = ["b"]
    soon.pop()()
    places.end("b", is_met=True)
    assert (ends, soon) == ([True], [])


def test_a_wait_ends_if_no_node_comes_back() -> None:
    places, ends, soon = Places(), list[bool](), list[Callable[[], None]]()
    begins: dict[str | None, BeginWait] = {"a": partial(places.begin, "a")}
    WaitEverywhere(lambda: begins, ends.append, soon.append).begin()
    for _ in range(_CHANCES):
        places.end("a", is_met=False)
        assert ends == []
        soon.pop()()
    places.end("a", is_met=False)
    assert (ends, soon) == ([False], [])


@pytest.mark.parametrize("raises", [False, True])
def test_a_wait_outlives_nodes_that_are_away_when_it_begins(raises: bool) -> None:
    """As while the link to a node that restarts has no connection: it fails at once."""
    places, ends, soon = Places(), list[bool](), list[Callable[[], None]]()
    is_away = True

    def begin(on_end: OnBound) -> Waiting:
        if not is_away:
            return places.begin("b", on_end)
        if raises:
            raise StoreError("it is not connected")
        on_end(False)
        return Begun(on_end)

    begins: dict[str | None, BeginWait] = {"b": begin}
    WaitEverywhere(lambda: begins, ends.append, soon.append).begin()
    for _ in range(_CHANCES - 1):
        assert (ends, len(soon)) == ([], 1)
        soon.pop()()
    is_away = False
    assert (ends, len(soon)) == ([], 1)
    soon.pop()()
    assert (ends, soon, len(places.going_on("b"))) == ([], [], 1)
    places.end("b", is_met=True)
    assert ends == [True]


@pytest.mark.parametrize("raises", [False, True])
def test_a_wait_ends_if_nodes_stay_away(raises: bool) -> None:
    """One retry at a time: two would use up the chances in half of the time."""
    begun, ends, soon = list[str](), list[bool](), list[Callable[[], None]]()

    def begin(name: str, on_end: OnBound) -> Waiting:
        begun.append(name)
        if raises:
            raise StoreError("it is not connected")
        on_end(False)
        return Begun(on_end)

    begins: dict[str | None, BeginWait] = {name: partial(begin, name) for name in "ab"}
    WaitEverywhere(lambda: begins, ends.append, soon.append).begin()
    for at in range(1, 1 + _CHANCES):
        assert (ends, len(soon), len(begun)) == ([], 1, 2 * at)
        soon.pop()()
    assert (ends, len(begun)) == ([False], 2 * (1 + _CHANCES))
    for each in soon:
        each()
    assert (ends, len(begun)) == ([False], 2 * (1 + _CHANCES)), "it is over"


def test_a_wait_that_is_lost_and_finds_no_node_begins_again_once_a_pause() -> None:
    places, ends, soon = Places(), list[bool](), list[Callable[[], None]]()
    is_away = False

    def begin(on_end: OnBound) -> Waiting:
        if is_away:
            on_end(False)
        return places.begin("b", on_end)

    begins: dict[str | None, BeginWait] = {"b": begin}
    WaitEverywhere(lambda: begins, ends.append, soon.append).begin()
    is_away = True
    places.end("b", is_met=False)
    for _ in range(_CHANCES):
        assert (ends, len(soon)) == ([], 1)
        soon.pop()()
    assert ends == [False]


def test_a_wait_for_nothing_does_not_begin_again() -> None:
    places, ends, soon = Places(), list[bool](), list[Callable[[], None]]()
    begins: dict[str | None, BeginWait] | None = {"a": partial(places.begin, "a")}
    WaitEverywhere(lambda: begins, ends.append, soon.append).begin()
    begins = None
    places.end("a", is_met=False)
    soon.pop()()
    assert (ends, soon) == ([False], [])


def test_a_wait_that_cannot_begin_again_ends() -> None:
    places, ends, soon = Places(), list[bool](), list[Callable[[], None]]()
    names = ["a", "b"]

    def found() -> dict[str | None, BeginWait]:
        if not names:
            raise ValueError("no one knows")
        return {name: partial(places.begin, name) for name in names}

    WaitEverywhere(found, ends.append, soon.append).begin()
    places.end("b", is_met=False)
    names.clear()
    with pytest.raises(ValueError, match="no one knows"):
        soon.pop()()
    assert (ends, places.going_on("a")) == ([False], [])


def test_this_node_is_not_asked_again_for_what_it_does_not_hold() -> None:
    def here(on_end: OnBound) -> Waiting:
        on_end(False)
        return Begun(on_end)

    places, soon = Places(), list[Callable[[], None]]()
    begins: dict[str | None, BeginWait] = {None: here, "b": partial(places.begin, "b")}
    wait = WaitEverywhere(lambda: begins, list[bool]().append, soon.append)
    wait.begin()
    assert soon == []
    assert wait.cancel()


def test_what_is_to_be_called_soon_shares_a_pause(caplog: pytest.LogCaptureFixture) -> None:
    pauses, called = list[Callable[[], None]](), list[str]()
    soon = Soon(lambda delay_s, action: pauses.append(action))

    def fail() -> None:
        raise ValueError("x")

    for function in (fail, partial(called.append, "y")):
        soon.call(function)
    (action,) = pauses
    action()
    assert called == ["y"]
    assert "a wait did not begin again" in caplog.text
    soon.call(fail)
    assert len(pauses) == 2


def test_a_key_has_only_so_many_waiters() -> None:
    places, ends = Places(), list[bool]()
    waits = SharedWaits(places.begin, members_max=2)
    first, _ = (waits.add("x", ends.append) for _ in range(2))
    with pytest.raises(TooManyWaitersError, match="2 callers wait for the same"):
        waits.add("x", ends.append)
    waits.add("y", ends.append)
    assert first.cancel()
    waits.add("x", ends.append)
    places.end("x", is_met=True)
    assert ends == [True, True]


@pytest.mark.parametrize("others", [[], ["down"], ["full"], ["stays"], ["down", "stays"]])
def test_too_many_waiters_are_told_if_no_place_is_left(others: list[str]) -> None:
    """The caller must know that to wait longer does not help."""
    places, ends = Places(), list[bool]()

    def begin(kind: str, on_end: OnBound) -> Waiting:
        if kind == "full":
            raise TooManyWaitersError("there are too many")
        waiting = places.begin(kind, on_end)
        if kind == "down":
            on_end(False)
        return waiting

    begins: dict[str | None, BeginWait] = {
        str(at): partial(begin, kind) for at, kind in enumerate(["full", *others])
    }
    wait = WaitEverywhere(lambda: begins, ends.append, list[object]().append)
    if "stays" in others:
        wait.begin()
        assert wait.cancel()
    else:
        with pytest.raises(TooManyWaitersError, match="there are too many"):
            wait.begin()
        assert not wait.cancel()
    assert ends == []
