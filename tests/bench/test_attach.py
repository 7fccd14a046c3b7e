"""Measurements with DuckDB: skipped runs and wrong results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.bench import attach
from tests.bench.attach import Run, aggregate_ms, attached, copy_ms
from tests.bench.clients import PgTarget
from tests.bench.harness import BenchError, UnavailableError

ROWS = 10


class ShortDuck:
    """A fake DuckDB that reads too few rows from one name, and records its statements."""

    def __init__(self, short: str) -> None:
        self._short = short
        self.asked: list[str] = []

    def ask(self, sql: str) -> list[list[Any]]:
        self.asked.append(sql)
        return [[ROWS - 1 if f"{self._short}." in sql else ROWS]]


@pytest.mark.parametrize("run", [copy_ms, aggregate_ms])
def test_a_scan_that_loses_rows_gives_no_number(run: Run) -> None:
    duck = ShortDuck(short="ours")
    assert run(duck, "rival", ROWS) > 0
    with pytest.raises(BenchError, match=f"{ROWS - 1}.* from ours, not {ROWS}"):
        run(duck, "ours", ROWS)


def test_a_copy_makes_room_for_the_next_round() -> None:
    duck = ShortDuck(short="nothing")
    copy_ms(duck, "ours", ROWS)
    created, dropped = duck.asked
    assert created.startswith("CREATE OR REPLACE TABLE memory.copied")
    assert dropped == "DROP TABLE memory.copied"


def test_without_duckdb_it_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(attach, "DIRECTORY", tmp_path)
    target = PgTarget(port=1, user="stategate", database="stategate")
    with pytest.raises(UnavailableError, match="make clients"), attached({"ours": target}):
        pass
