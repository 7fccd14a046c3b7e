"""The columns that are worth reading ahead, and when."""

from __future__ import annotations

import pytest

from stategate.stores.engines.rocksdb import column_budget
from stategate.stores.engines.rocksdb.column_budget import PAUSE_S, ColumnDemand


def test_work_is_due_at_first_and_after_each_scan() -> None:
    demand = ColumnDemand()
    seen = [demand.is_due]
    demand.settle()
    seen.append(demand.is_due)
    demand.note_scan(1, ("v",))
    assert [*seen, demand.is_due] == [True, False, True]


def test_lost_columns_wait_twice_as_long_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr(column_budget, "_clock_s", lambda: now_s)
    demand = ColumnDemand()
    for pause_s in (PAUSE_S, 2 * PAUSE_S, 4 * PAUSE_S):
        demand.settle()
        demand.postpone()
        now_s += 0.9 * pause_s
        is_due_early = demand.is_due
        now_s += 0.2 * pause_s
        assert (is_due_early, demand.is_due) == (False, True)


def test_columns_wanted_by_scans_are_the_second_choice() -> None:
    demand = ColumnDemand()
    assert demand.choices(("k", "v")) == [("k", "v")]
    demand.note_scan(1, ("v", "_epoch", "_partition"))
    assert demand.choices(("k", "v")) == [("k", "v", "_epoch"), ("v", "_epoch")]


def test_a_refusal_counts_once_a_scan_has_wanted_the_columns() -> None:
    demand = ColumnDemand()
    demand.refuse(("v",), 100)
    assert demand.least_bytes(("v",)) == 1
    demand.note_scan(1, ("v",))
    demand.refuse(("v",), 100)
    assert demand.least_bytes(("v",)) == 100
