"""A driver that dies between any two operations on files: no batch is lost, none counts twice.

This is the short form; `make fuzz ARGS="--parts crash"` lets drivers die hundreds of times.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.spark.conftest import Orders
from tests.spark.recovery.crashing import Pipeline, make_mortal

pytestmark = pytest.mark.spark

ROUNDS = 2
OPTIONS: dict[str, dict[str, Any]] = {
    "collected": {"compact_every": 2},
    "by tasks": {"collect_rows_max": 0},
}


@pytest.mark.timeout(360)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=list(OPTIONS))
def test_a_driver_that_dies_anywhere_loses_nothing(
    orders: Orders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    make_mortal(monkeypatch)
    pipeline = Pipeline(orders, tmp_path, random.Random(1), options)
    for _ in range(ROUNDS):
        pipeline.send()
        pipeline.run_until_death()
        if pipeline.draw.random() < 0.3:
            pipeline.lose_last_commit()
    pipeline.run()
    assert pipeline.difference() is None
    assert pipeline.deaths >= ROUNDS // 2
