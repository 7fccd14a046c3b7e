"""A short chaos run is clean; one with a planted defect is not. `make chaos` runs longer."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.__main__ import run

pytestmark = [
    pytest.mark.spark,
    pytest.mark.kafka,
    pytest.mark.server,
    pytest.mark.timeout(400),
]


def test_faults_break_no_bound_and_lose_no_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, seconds=15, seed=1) == 0, capsys.readouterr().out


@pytest.mark.parametrize("plant", ["deaf", "skips"])
def test_planted_defects_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plant: str
) -> None:
    assert run(tmp_path, seconds=10, seed=1, plant=plant) == 1
    said = capsys.readouterr().out
    found = {"deaf": "an answer is older than its bound", "skips": "is missing"}
    assert found[plant] in said, said
