"""Each kind of read finds nothing wrong in a sound gateway, and the defects of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chaos.reads.modes import READERS
from tests.chaos.reads.small_run import small_run

pytestmark = [pytest.mark.server, pytest.mark.timeout(300)]
ANSWERS = 10
"""Answers of each kind, at least."""
SOON = ("batches", "caches", "cuts", "gone", "pages", "windows")
"""Defects that are found within seconds; `make chaos ARGS="--plant all"` has all of them."""


def test_each_kind_of_read_finds_nothing_wrong_in_a_sound_gateway(tmp_path: Path) -> None:
    with small_run(tmp_path) as run:
        run.write_until(lambda: all(run.answers.checked[kind] >= ANSWERS for kind in READERS))
    assert [each.error for each in run.readers] == [None] * len(run.readers)
    assert run.answers.shown == []
    assert {kind for kind in READERS if run.answers.checked[kind] < ANSWERS} == set()


@pytest.mark.parametrize("fault", SOON)
def test_each_defect_of_a_kind_of_read_is_found(tmp_path: Path, fault: str) -> None:
    with small_run(tmp_path, fault) as run:
        run.write_until(lambda: run.answers.violations.total() > 0)
    assert run.answers.shown != []
