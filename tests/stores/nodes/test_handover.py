"""What a node adds and drops, from what it knows of the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from msgspec.structs import replace

from stategate.stores.nodes.handover import (
    RESTORING_MAX,
    Changes,
    announcement,
    changes,
    may_answer,
    may_leave,
)
from stategate.stores.nodes.messages import Announcement, Holding
from stategate.stores.nodes.placement import Node, holders
from stategate.stores.nodes.view import View
from stategate.stores.spec.position import Progress
from stategate.stores.spec.store import PartitionStatus, ReplicaState, Role
from tests.support.stores import keyvalue

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=64)
NODES = [Node(name=name) for name in ("a", "b", "c", "d")]
RUNNING = PartitionStatus(
    partition=0, role=Role.ACTIVE, state=ReplicaState.RUNNING, progress=Progress()
)
RESTORING = dataclasses.replace(RUNNING, state=ReplicaState.RESTORING)


def view_of(*, copies: int = 2) -> View:
    view = View(Node(name="a"), copies=copies)
    view.set_members(NODES)
    return view


def announced(view: View, name: str, running: Iterable[int], is_leaving: bool = False) -> None:
    view.connected(name)
    holdings = (Holding("counts", tuple(running)),)
    announced = Announcement(name, holdings, layout=view.layout, is_leaving=is_leaving)
    view.heard(replace(announced, sees=tuple(each.name for each in NODES)))


def changed(view: View, held: dict[int, PartitionStatus]) -> Changes:
    return changes(view, {"counts": (COUNTS, held)})


def own(*, copies: int = 2) -> list[int]:
    return [n for n in range(64) if "a" in holders("counts", n, NODES, copies=copies)]


def test_a_node_holds_what_is_placed_on_it() -> None:
    assert list(view_of().roles(COUNTS)) == own()


def test_a_few_are_added_at_a_time() -> None:
    view = view_of()
    assert [number for _, number, _ in changed(view, {}).add] == own()[:RESTORING_MAX]
    held = dict.fromkeys(own()[:3], RESTORING) | dict.fromkeys(own()[3:10], RUNNING)
    added = [number for _, number, _ in changed(view, held).add]
    assert added == own()[10 : 10 + RESTORING_MAX - 3]
    assert changed(view, dict.fromkeys(own(), RESTORING)).add == []


def test_a_partition_is_dropped_once_all_its_holders_have_it() -> None:
    view = view_of()
    foreign = next(n for n in range(64) if n not in own())
    first, second = holders("counts", foreign, NODES, copies=2)
    held = dict.fromkeys([*own(), foreign], RUNNING)
    assert changed(view, held).drop == []
    announced(view, first, [foreign])
    assert changed(view, held).drop == []
    announced(view, second, [])
    assert changed(view, held).drop == []
    announced(view, second, [foreign])
    assert changed(view, held).drop == [("counts", foreign)]
    view.lost(first, "it was silent")
    assert changed(view, held).drop == []


def test_nothing_is_dropped_for_a_node_that_places_otherwise() -> None:
    """It might drop the partition as well, because this one has it."""
    view = view_of()
    foreign = next(n for n in range(64) if n not in own())
    held = dict.fromkeys([*own(), foreign], RUNNING)
    for name in "bcd":
        announced(view, name, range(64))
    assert changed(view, held).drop == [("counts", foreign)]
    view.heard(
        Announcement(
            holders("counts", foreign, NODES, copies=2)[0],
            holdings=(Holding("counts", tuple(range(64))),),
            layout="another",
        )
    )
    assert changed(view, held).drop == []


def test_nothing_is_dropped_before_all_can_ask_the_new_holders() -> None:
    """A node that has yet to connect to them can ask only this one."""
    view = view_of()
    foreign = next(n for n in range(64) if n not in own())
    first, second = holders("counts", foreign, NODES, copies=2)
    (fourth,) = {"b", "c", "d"} - {first, second}
    held = dict.fromkeys([*own(), foreign], RUNNING)
    for name in "bcd":
        announced(view, name, [foreign])
    unaware = Announcement(fourth, layout=view.layout, sees=("a", second))
    for silent in (unaware, replace(unaware, sees=("a", first, second), layout="another")):
        view.heard(silent)
        assert changed(view, held).drop == []
    view.lost(fourth, "it was silent")
    assert changed(view, held).drop == [("counts", foreign)]
    view.connected(fourth)
    view.heard(replace(unaware, sees=("a", first, second)))
    assert changed(view, held).drop == [("counts", foreign)]


def test_nothing_is_dropped_before_all_have_noticed_that_a_new_holder_was_restarted() -> None:
    """A node that is still connected to the run before could ask neither it nor this one."""
    view = view_of()
    foreign = next(n for n in range(64) if n not in own())
    held = dict.fromkeys([*own(), foreign], RUNNING)
    first, second = holders("counts", foreign, NODES, copies=2)
    (fourth,) = {"b", "c", "d"} - {first, second}
    runs = {"a": 1, "b": 2, "c": 3, "d": 4}

    def says(name: str, *, restarted: bool = False, seen: int) -> None:
        sees = tuple(sorted(runs.keys() - {name}))
        view.heard(
            Announcement(
                name,
                (Holding("counts", (foreign,)),),
                layout=view.layout,
                sees=sees,
                run=runs[name] + 10 * restarted,
                sees_runs=tuple(runs[n] + (seen if n == first else 0) for n in sees),
            )
        )

    for name in "bcd":
        view.connected(name)
        says(name, seen=0)
    assert changed(view, held).drop == [("counts", foreign)]
    view.lost(first, "connection reset")
    view.connected(first)
    says(first, restarted=True, seen=0)
    for name in (second, fourth):
        assert changed(view, held).drop == []
        says(name, seen=10)
    assert changed(view, held).drop == [("counts", foreign)]


def test_a_node_says_which_runs_of_the_others_it_sees() -> None:
    view = view_of()
    view.connected("b")
    view.heard(Announcement("b", run=7))
    view.connected("c")  # which has said nothing yet
    said = announcement(view, NODES[0], {}, product="1")
    assert (said.sees, said.sees_runs, said.run) == (("b", "c"), (7, 0), view.run)


def test_nothing_is_dropped_for_what_a_node_said_before_it_was_lost() -> None:
    """It may have come back without its data, and has yet to say so."""
    view = view_of()
    foreign = next(n for n in range(64) if n not in own())
    held = dict.fromkeys([*own(), foreign], RUNNING)
    for name in "bcd":
        announced(view, name, [foreign])
    first = holders("counts", foreign, NODES, copies=2)[0]
    view.lost(first, "connection reset")
    view.connected(first)
    assert changed(view, held).drop == []
    announced(view, first, [])
    assert changed(view, held).drop == []
    announced(view, first, [foreign])
    assert changed(view, held).drop == [("counts", foreign)]


def test_a_partition_is_not_dropped_while_an_epoch_of_it_is_held() -> None:
    """Others may have forgotten the epoch, and the transaction could not go on."""
    view = view_of()
    foreign = next(n for n in range(64) if n not in own())
    for name in "bcd":
        announced(view, name, [foreign])
    held = dict.fromkeys([*own(), foreign], RUNNING)
    held[foreign] = dataclasses.replace(RUNNING, held_epochs=1)
    assert changed(view, held).drop == []
    held[foreign] = RUNNING
    assert changed(view, held).drop == [("counts", foreign)]


def test_the_first_holder_that_can_be_asked_is_active() -> None:
    view = view_of()
    behind = next(n for n in own() if holders("counts", n, NODES, copies=2)[1] == "a")
    first = holders("counts", behind, NODES, copies=2)[0]
    held = {
        number: dataclasses.replace(RUNNING, role=role)
        for number, role in view.roles(COUNTS).items()
    }
    assert held[behind].role is Role.ACTIVE
    assert changed(view, held) == Changes()
    announced(view, first, [])
    assert ("counts", behind, Role.STANDBY) in changed(view, held).turn
    announced(view, first, [], is_leaving=True)
    assert changed(view, held) == Changes()


def test_a_node_may_leave_once_others_have_what_it_has() -> None:
    view = view_of(copies=1)
    stores = {"counts": (COUNTS, {1: RUNNING, 2: RUNNING, 3: RESTORING})}
    assert not may_leave(view, stores)
    announced(view, "b", [1])
    announced(view, "c", [2], is_leaving=True)
    assert not may_leave(view, stores)
    announced(view, "d", [2])
    assert may_leave(view, stores)
    view.lost("d", "it was silent")
    assert not may_leave(view, stores)


def test_the_last_nodes_may_leave_together() -> None:
    view = view_of()
    stores = {"counts": (COUNTS, {1: RUNNING})}
    view.leave()
    for name in "bcd":
        assert not may_leave(view, stores)
        announced(view, name, [], is_leaving=True)
    assert may_leave(view, stores)


def test_nodes_change_over_to_a_rebuilt_store_together() -> None:
    """Once all others that are to hold it, and that can be asked, have it."""
    view, rebuilt = view_of(copies=4), dataclasses.replace(COUNTS, incarnation="5e0c")
    assert may_answer(view, "a", rebuilt)  # no other node is there
    for name in ("b", "c"):
        announced(view, name, range(64))
    assert not may_answer(view, "a", rebuilt)
    for name in ("b", "c"):
        assert not may_answer(view, "a", rebuilt)
        holdings = (Holding("counts", ()), Holding("counts/5e0c", tuple(range(64))))
        view.heard(Announcement(name, holdings, layout=view.layout))
    assert may_answer(view, "a", rebuilt)
    view.heard(Announcement("c", (Holding("counts/5e0c", (), (5,)),), layout=view.layout))
    assert not may_answer(view, "a", rebuilt)
    view.lost("c", "it was silent")
    assert may_answer(view, "a", rebuilt)


def test_replicas_are_said_by_incarnation() -> None:
    """Those of a rebuilt store that does not answer yet are further ones."""
    view = view_of()
    held = {"counts/1": (COUNTS, {0: RUNNING}), "counts/2": (COUNTS, {0: RUNNING})}
    said = announcement(view, NODES[0], held, product="1")
    assert [each.store for each in said.holdings] == ["counts/1", "counts/2"]
    assert view.statuses(said)[0].running == 2
