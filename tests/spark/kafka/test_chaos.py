"""A short chaos run is clean; one with a planted defect is not. `make chaos` runs longer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.chaos.__main__ import run

pytestmark = [
    pytest.mark.spark,
    pytest.mark.kafka,
    pytest.mark.server,
    pytest.mark.timeout(600),
]


def test_faults_break_no_bound_and_lose_no_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, seconds=8, seed=1) == 0, capsys.readouterr().out


def test_a_cluster_goes_on_while_its_stores_are_redefined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, seconds=15, seed=2, nodes=3, rebuilds_only=True) == 0, (
        capsys.readouterr().out
    )


def test_a_rebuild_that_forgets_rows_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, seconds=12, seed=4, plant="forgets", rebuilds_only=True) == 1
    said = capsys.readouterr().out
    assert "store rebuilt" in said
    assert "is missing" in said


@pytest.mark.parametrize("plant", ["skips", "twice"])
def test_a_planted_pipeline_is_found(
    plant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It commits epochs without their rows, or counts records twice: readers and DuckDB see it."""
    assert run(tmp_path, seconds=8, seed=3, plant=plant) == 1
    said = capsys.readouterr().out
    assert "FAILED a row" in said
    assert re.search(r"equal DuckDB over all input: BROKEN [1-9]", said)


def test_a_planted_defect_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Gateways ignore bounds. `make chaos ARGS="--plant …"` has more defects."""
    assert run(tmp_path, seconds=5, seed=1, plant="deaf") == 1
    assert "an answer is older than its bound" in capsys.readouterr().out
