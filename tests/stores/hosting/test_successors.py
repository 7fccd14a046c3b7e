"""Which databases of replaced stores are removed, and when: never one that is open."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, cast

import pytest

from stategate.stores.hosting.editions import Editions
from stategate.stores.hosting.successors import Successors
from stategate.stores.spec.schema import StoreSchema
from tests.support.hosts import CLICKS

A, B, C = "a", "b", "c"
GRACE_S = 2.0


@dataclass
class Database:
    """A store of which only this counts: its incarnation, and whether its databases are open."""

    incarnation: str
    is_open: bool = True

    @property
    def schema(self) -> StoreSchema:
        return replace(CLICKS, incarnation=self.incarnation)

    def close(self, why: object = None) -> None:
        self.is_open = False


@dataclass
class Opener:
    """Removes all databases of a store but those of one incarnation, as the real one does."""

    databases: list[Database]
    removed: set[str] = field(default_factory=set)

    def remove_others(self, schema: StoreSchema) -> None:
        for each in self.databases:
            if each.incarnation != schema.incarnation:
                assert not each.is_open, f"{each.incarnation} is removed while it is open"
                self.removed.add(each.incarnation)


def replaced(*swaps: tuple[float, Database, Database]) -> tuple[Successors, Opener]:
    """Return a host's successors after these changes from one store to another."""
    databases = list({id(each): each for _, old, new in swaps for each in (old, new)}.values())
    opener = Opener(databases)
    successors = Successors(cast(Any, opener), Editions())
    ends = [(at + GRACE_S, old, new.schema) for at, old, new in swaps]
    successors._replaced = cast(Any, {CLICKS.name: ends})
    return successors, opener


@pytest.mark.parametrize("looks", [[2.0, 3.5], [2.5, 3.0, 9.0], [9.0]])
def test_a_store_that_is_rebuilt_twice_keeps_the_newest(looks: list[float]) -> None:
    old, between, newest = Database(A), Database(B), Database(C)
    successors, opener = replaced((0.0, old, between), (1.0, between, newest))
    for now in looks:
        successors.close_replaced(CLICKS.name, now)
    assert opener.removed == {A, B}
    assert newest.is_open


def test_a_store_that_is_being_opened_keeps_its_databases() -> None:
    old, between, opening = Database(A), Database(B), Database(C)
    successors, opener = replaced((0.0, old, between))
    opener.databases.append(opening)
    successors._found = cast(Any, {"clicks": opening})
    successors.close_replaced(CLICKS.name, 2.0)
    assert opener.removed == set(), "the next look removes them"
    assert not old.is_open
