"""The measurement of a large store, with few keys."""

from __future__ import annotations

from tests.bench.harness import Measured
from tests.bench.large_store import lookups
from tests.bench.setting import new_setting


def test_lookups_in_two_stores_are_timed() -> None:
    with new_setting(keys=100, seconds=0.1, rounds=1) as setting:
        lines = lookups(setting)
    assert [line.work for line in lines] == [
        "lookup, 1,000 keys",
        "lookup without kept rows, 1,000 keys",
    ]
    for line in lines:
        assert isinstance(line, Measured)
        assert (line.unit, line.rival_name) == ("µs", "100 keys")
        assert 0 < line.ours < 10_000
        assert 0 < line.rival < 10_000
