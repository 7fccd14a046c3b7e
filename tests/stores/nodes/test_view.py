"""What a node knows of the others: who holds a partition, and whom to ask."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.nodes.messages import Announcement, Holding
from stategate.stores.nodes.placement import Node, holders
from stategate.stores.nodes.view import View
from stategate.stores.spec.schema import StoreKind, StoreSchema
from tests.support.stores import columns, keyvalue

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=8)
NAMES = ("a", "b", "c", "d")
NODES = [Node(name=name) for name in NAMES]


def view_of(name: str = "a", *, copies: int = 2, nodes: Iterable[Node] = NODES) -> View:
    view = View(Node(name=name), copies=copies)
    view.set_members(nodes)
    return view


def announced(
    view: View,
    name: str,
    *,
    running: Iterable[int] = (),
    restoring: Iterable[int] = (),
    is_leaving: bool = False,
) -> None:
    """Let a view know what a node has, over a connection."""
    view.connected(name)
    holding = Holding("counts", tuple(running), tuple(restoring))
    view.heard(Announcement(name, holdings=(holding,), layout=view.layout, is_leaving=is_leaving))


def placed(partition: int, *, copies: int = 2) -> list[str]:
    return holders("counts", partition, NODES, copies=copies)


def test_a_node_that_is_lost_keeps_its_place() -> None:
    view = view_of()
    before = [view.holders(COUNTS, number) for number in range(8)]
    assert before == [tuple(placed(number)) for number in range(8)]
    for name in "bcd":
        announced(view, name, running=range(8))
        view.lost(name, "it was silent")
    assert [view.holders(COUNTS, number) for number in range(8)] == before


def test_a_global_store_is_on_every_node() -> None:
    schema = StoreSchema(
        name="rates", kind=StoreKind.GLOBAL, key=columns(k="text"), value=(), partitions=1
    )
    assert view_of().holders(schema, 0) == NAMES


@pytest.mark.parametrize("is_global_first", [True, False])
def test_a_store_made_anew_as_another_kind_has_new_places(is_global_first: bool) -> None:
    kinds = (StoreKind.GLOBAL, StoreKind.KEYVALUE)
    view = view_of()
    for kind in kinds if is_global_first else reversed(kinds):
        schema = replace(COUNTS, kind=kind, partitions=1)
        fresh = view_of()
        assert view.holders(schema, 0) == fresh.holders(schema, 0)
        assert view.order(schema, 0) == fresh.order(schema, 0)
        assert view.roles(schema) == fresh.roles(schema)
        assert len(view.holders(schema, 0)) == (len(NAMES) if kind is StoreKind.GLOBAL else 2)


def test_others_take_over_only_from_holders_that_all_leave() -> None:
    view = view_of()
    first, second = placed(0)
    others = [name for name in placed(0, copies=4) if name not in (first, second)]
    for name in (first, second):
        assert view.holders(COUNTS, 0) == (first, second)
        if name == "a":
            view.leave()
        else:
            announced(view, name, is_leaving=True)
    assert view.holders(COUNTS, 0) == (first, second, *others)
    back = second if second != "a" else first
    announced(view, back)
    assert view.holders(COUNTS, 0) == (first, second)


def test_those_that_have_a_partition_are_asked_first() -> None:
    partition = next(n for n in range(8) if "a" not in placed(n))
    view = view_of()
    first, second = placed(partition)
    (spare,) = set(NAMES) - {first, second, "a"}
    assert view.order(COUNTS, partition) == ("a", first, second)
    announced(view, first, restoring=[partition])
    announced(view, second)
    announced(view, spare, running=[partition])
    assert view.order(COUNTS, partition) == ("a", spare, first, second)
    announced(view, second, running=[partition])
    assert view.order(COUNTS, partition) == ("a", second, spare, first)
    view.lost(second, "it was silent")
    assert view.order(COUNTS, partition) == ("a", spare, first, second)
    announced(view, second, running=[partition])
    announced(view, first, running=[partition])
    assert view.order(COUNTS, partition) == ("a", first, second, spare)


def test_only_what_can_be_asked_is_running() -> None:
    view = view_of()
    announced(view, "b", running=[1])
    announced(view, "c", running=[1, 2], restoring=[3])
    assert set(view.running(COUNTS, 1)) == {"b", "c"}
    assert view.running(COUNTS, 3) == []
    view.lost("b", "it was silent")
    assert view.running(COUNTS, 1) == ["c"]
    view.connected("b")
    assert view.running(COUNTS, 1) == ["c"], "it may have come back without its data"
    announced(view, "b", running=[1])
    assert set(view.running(COUNTS, 1)) == {"b", "c"}


def test_nodes_agree_if_they_place_alike() -> None:
    view, same = view_of(), view_of("b", nodes=reversed(NODES))
    assert view.layout == same.layout
    for other in (
        view_of("b", copies=3),
        view_of("b", nodes=NODES[:3]),
        view_of("b", nodes=[*NODES[:3], Node(name="d", zone="x")]),
        view_of("b", nodes=[*NODES[:3], Node(name="d", weight=2.0)]),
    ):
        assert view.layout != other.layout
        view.connected("b")
        view.heard(Announcement("b", layout=other.layout))
        assert not view.agrees("b")
        (status,) = [each for each in view.statuses(Announcement("a")) if each.name == "b"]
        assert status.problem == "it has another list of nodes, or another number of copies"
    view.heard(Announcement("b", layout=same.layout))
    assert view.agrees("b")
    assert not view.agrees("c")


def test_statuses_name_what_is_wrong() -> None:
    view = view_of()
    announced(view, "b", running=[1, 2], restoring=[3])
    announced(view, "e")
    view.lost("c", "it was silent for 2 s")
    found = {each.name: each for each in view.statuses(Announcement("a"))}
    assert (found["b"].running, found["b"].restoring, found["b"].problem) == (2, 1, None)
    assert {name: found[name].problem for name in "acde"} == {
        "a": None,
        "c": "it was silent for 2 s",
        "d": "it has not been connected yet",
        "e": "it is not among the peers",
    }


def test_a_node_stays_its_own_member() -> None:
    view = View(Node(name="a", zone="x"), copies=1)
    view.set_members([Node(name="b")])
    assert view.members == {"a": Node(name="a", zone="x"), "b": Node(name="b")}
    view.set_members([])
    assert view.members == {"a": Node(name="a", zone="x")}


def test_what_is_kept_for_long_is_kept_where_a_partition_stays() -> None:
    view = view_of()
    first, second = view.holders(COUNTS, 0)
    assert list(view.homes(COUNTS, 0)) == [each for each in (first, second) if each == "a"] or [
        first,
        second,
    ]
    for name in NAMES[1:]:
        announced(view, name, running=[0])
    assert view.homes(COUNTS, 0) == [first, second]
    leaving, staying = (first, second) if first != "a" else (second, first)
    announced(view, leaving, running=[0], is_leaving=True)
    assert view.homes(COUNTS, 0) == [staying]
    if staying != "a":
        view.lost(staying, "it was silent")
        assert view.homes(COUNTS, 0) == view.holders(COUNTS, 0), "none of them is a home now"


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["members", "connected", "lost", "heard", "leaves"]),
        st.sampled_from(NAMES[1:]),
        st.sets(st.integers(0, 7)),
    ),
    max_size=12,
)


@given(STEPS, st.integers(0, 7))
def test_what_is_kept_is_what_would_be_found_anew(
    steps: list[tuple[str, str, set[int]]], partition: int
) -> None:
    """No answer of before a change is given after it."""
    asked, fresh = view_of(), view_of()
    for kind, name, numbers in steps:
        for view in (asked, fresh):
            match kind:
                case "members":
                    view.set_members([n for i, n in enumerate(NODES) if i not in numbers])
                case "connected":
                    view.connected(name)
                case "lost":
                    view.lost(name, "it was silent")
                case _:
                    holding = Holding("counts", tuple(numbers))
                    leaves = kind == "leaves"
                    view.heard(Announcement(name, holdings=(holding,), is_leaving=leaves))
        asked.order(COUNTS, partition)
        asked.roles(COUNTS)
        assert asked.layout
    assert asked.holders(COUNTS, partition) == fresh.holders(COUNTS, partition)
    assert asked.order(COUNTS, partition) == fresh.order(COUNTS, partition)
    assert asked.roles(COUNTS) == fresh.roles(COUNTS)
    assert asked.layout == fresh.layout


@pytest.mark.parametrize("nodes", [100])
def test_an_announcement_does_not_place_anew(nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Placing costs some microseconds for each node and partition; others announce all the time."""
    view = view_of(nodes=[Node(name=f"n{number}") for number in range(nodes)])
    before = view.holders(COUNTS, 0)
    monkeypatch.setattr("stategate.stores.nodes.view.holders", None)
    for number in range(nodes):
        announced(view, f"n{number}", running=[number % 8])
        assert view.holders(COUNTS, 0) == before
        assert view.order(COUNTS, 0)
