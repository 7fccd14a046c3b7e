"""Links between nodes break as drawn, and heal."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.chaos import links as module
from tests.chaos.links import KINDS, Links
from tests.support.relay import Direction


class FakeRelay:
    """A relay that carries nothing."""

    def __init__(self, port: int) -> None:
        self.port, self.is_cut = port + 1_000, False
        self.there, self.back = Direction(), Direction()

    def cut(self) -> None:
        self.is_cut = True

    def heal(self) -> None:
        self.is_cut = False
        self.there.heal()
        self.back.heal()

    def close(self) -> None:
        """Have nothing to end."""


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> Iterator[Links]:
    monkeypatch.setattr(module, "Relay", FakeRelay)
    with closing(Links({"a": 1, "b": 2, "c": 3})) as made:
        yield made


def test_a_node_reaches_the_others_over_relays(links: Links) -> None:
    assert links.peers("b") == "a=127.0.0.1:1001,b=127.0.0.1:2,c=127.0.0.1:1003"


@pytest.mark.parametrize(("kind", "cut", "stalled"), [(KINDS[0], 1, 0), (KINDS[1], 0, 1)])
def test_one_direction_breaks_and_heals(links: Links, kind: str, cut: int, stalled: int) -> None:
    links.break_some(kind, random.Random(1))
    assert (links.are_whole, counts(links)) == (False, (cut, stalled))
    links.heal()
    assert (links.are_whole, counts(links)) == (True, (0, 0))


def test_both_directions_of_a_pair_break(links: Links) -> None:
    links.break_some(KINDS[2], random.Random(1))
    broken = [pair for pair, relay in links._relays.items() if relay.is_cut]
    assert len(broken) == 2
    assert set(broken[0]) == set(broken[1])


def counts(links: Links) -> tuple[int, int]:
    """Return how many links are cut, and how many are stalled."""
    relays = [*links._relays.values()]
    return sum(each.is_cut for each in relays), sum(each.there.is_stalled for each in relays)
