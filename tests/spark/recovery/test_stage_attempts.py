"""An executor dies while another writes: what a late task writes is no file of the commit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TIMEOUT_S = 280


@pytest.mark.spark
@pytest.mark.timeout(TIMEOUT_S + 20)
def test_a_late_task_of_an_earlier_stage_attempt_changes_no_committed_file(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.spark.recovery.stage_attempts", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        try:
            output, _ = program.communicate(timeout=TIMEOUT_S)
        finally:
            if program.poll() is None:
                os.killpg(program.pid, 9)
    found = json.loads(output.splitlines()[-1])
    assert found["rows"] == 16_000
    assert found["committed"] == found["written"]
    assert Path(found["late"]).parent == Path(found["committed"][0]).parent
    assert found["late"] not in found["committed"]
    assert found["damages"] == []
