"""Schedules keep the laws of a cluster, and a defect in the code of nodes breaks one of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from stategate.stores.hosting import dispatch, replica
from stategate.stores.nodes import asking, failover, handover
from stategate.stores.nodes.opened_rows import OpenedRows
from stategate.stores.nodes.placement import Node, holders
from stategate.stores.nodes.view import View
from stategate.stores.spec.query import BatchStream
from stategate.stores.spec.schema import StoreSchema
from tests.stores.nodes.simulation.schedule import Ran, run
from tests.stores.nodes.simulation.world import ViolationError

SCHEDULES = 80
"""`make simulate` runs many more."""
PLANTED_MAX = 300
"""Schedules within which a defect must be found."""


def test_schedules_keep_the_laws() -> None:
    ran = [run(seed) for seed in range(SCHEDULES)]
    assert sum(each.statements for each in ran) > 10 * SCHEDULES
    assert sum(each.moves for each in ran) > SCHEDULES


def test_a_seed_gives_the_same_schedule_again() -> None:
    def again() -> list[Ran]:
        return [run(seed) for seed in range(3)]

    assert again() == again()


def _drops_early(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(handover, "_are_running", lambda *_: True)


def _trusts_other_lists(patch: pytest.MonkeyPatch) -> None:
    def are_running(view: View, schema: StoreSchema, partition: int) -> bool:
        nodes = view.holders(schema, partition)
        return set(nodes).issubset(view.running(schema, partition))

    patch.setattr(handover, "_are_running", are_running)


def _places_on_those_that_answer(patch: pytest.MonkeyPatch) -> None:
    def placed(self: View, schema: StoreSchema, partition: int, leaving: frozenset[str]) -> Any:
        there: list[Node] = [n for n in self.members.values() if self.is_connected(n.name)]
        return holders(schema.name, partition, there, copies=self.copies)

    patch.setattr(View, "_placed", placed)
    patch.setattr(View, "_renew", lambda self, **_: _renew(self, is_placed_anew=True))


_renew = View._renew


def _repeats_rows(patch: pytest.MonkeyPatch) -> None:
    def after(stream: BatchStream, rows: int) -> Iterator[Any]:
        del rows
        return iter(stream)

    patch.setattr(failover, "_after", after)


def _trusts_its_own_copies(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(OpenedRows, "here", lambda self, target, answer: answer)


def _goes_on_at_any_epoch(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(asking, "replace", lambda config, **_: config)


def _ignores_bounds(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(replica, "unmet_part", lambda *_, **__: None)
    patch.setattr(dispatch, "unmet_bound", lambda *_, **__: None)


def _asks_one_holder(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(asking, "_ELSEWHERE", frozenset())


@dataclass(frozen=True)
class Planted:
    """A defect, and what the violation that it causes says."""

    plant: Callable[[pytest.MonkeyPatch], None]
    said: str


@pytest.mark.parametrize(
    "planted",
    [
        Planted(_drops_early, "drops partition|NOT_PRESENT"),
        Planted(_trusts_other_lists, "failed in"),
        Planted(_places_on_those_that_answer, "replicas were added, . were necessary"),
        Planted(_repeats_rows, "has the rows"),
        Planted(_trusts_its_own_copies, "the rows are damaged"),
        Planted(_goes_on_at_any_epoch, "has the rows"),
        Planted(_ignores_bounds, "before its bound"),
        Planted(_asks_one_holder, "failed in"),
    ],
    ids=lambda each: each.plant.__name__.strip("_"),
)
def test_a_planted_defect_is_found(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    planted.plant(monkeypatch)
    with pytest.raises(ViolationError, match=planted.said):
        deque((run(seed) for seed in range(PLANTED_MAX)), maxlen=0)
