"""The examples for Spark in the README of the stores run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.test_docs import blocks

pytestmark = [pytest.mark.spark, pytest.mark.timeout(300)]


@pytest.mark.usefixtures("spark")
def test_blocks_for_spark_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run from top to bottom in one namespace, with the session of the tests."""
    monkeypatch.chdir(tmp_path)
    # Spark's workers get functions of the main module by value.
    names: dict[str, Any] = {"__name__": "__main__"}
    for code in blocks("stores/README.md", "python spark"):
        # Spark's processes keep their own working directory.
        here = code
        for name in ('json("orders"', '"state"', '"checkpoints/'):
            here = here.replace(name, name.replace('"', f'"{tmp_path}/', 1))
        exec(compile(here, "stores/README.md", "exec"), names)
