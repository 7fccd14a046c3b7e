"""`stategate log verify` and `stategate log repair` as an operator runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from stores.log.store_writer import StoreWriter
from stores.spec.position import Position
from tests.support.process import ROOT, plain_environment
from tests.support.stores import keyvalue

pytestmark = pytest.mark.server


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("clicks", "views"):
        writer = StoreWriter(tmp_path, keyvalue(name, {"usr": "text"}, {"n": "bigint"}))
        for epoch in range(3):
            rows = pa.table({"usr": ["ann", "bob"], "n": [epoch, epoch]})
            writer.write(rows, position=Position.of({"events": {0: epoch}}))
    return tmp_path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gateway.main", "log", *arguments],
        cwd=ROOT,
        env=plain_environment(COLUMNS="100"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_damaged_log_is_reported_and_repaired(root: Path) -> None:
    done = run("verify", "--root", str(root))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{name}: 3 epochs, 6 rows, 0 damaged" for name in ("clicks", "views")
    ]
    # One is damage by an older writer, and one cannot be repaired.
    late = root / "clicks" / "epochs" / f"{3:020d}.json"
    late.write_text(
        '{"format": 1, "epoch": 3, "previous": 2, "position": {}, "watermark_ms": null,'
        ' "committed_ms": 1, "writer": "old", "replace": false, "files": []}'
    )
    torn = root / "views" / "epochs" / f"{1:020d}.json"
    torn.write_bytes(b"{")
    done = run("verify", "--root", str(root), "--store", "clicks")
    assert done.returncode == 1
    assert done.stderr == f'clicks: record "{late}" is of a writer that had been replaced\n'
    done = run("repair", "--root", str(root))
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "clicks: set aside epoch 3, of a writer that was replaced",
        "clicks: 1 repairs, 0 damaged",
        "views: 0 repairs, 2 damaged",
    ]
    assert str(torn) in done.stderr
    assert "Traceback" not in done.stderr
    assert run("repair", "--root", str(root), "--store", "clicks").returncode == 0


def test_a_missing_log_is_one_sentence(tmp_path: Path) -> None:
    for arguments in (["verify"], ["repair", "--store", "clicks"]):
        done = run(*arguments, "--root", str(tmp_path / "nowhere"))
        assert done.returncode == 2
        assert done.stderr.startswith("stategate: ")
        assert "there is no directory" in done.stderr


def test_a_store_without_its_definition_is_named(root: Path) -> None:
    """Gateways take such a store for a removed one."""
    lost = root / "views" / "store.json"
    lost.unlink()
    for command in ("verify", "repair"):
        done = run(command, "--root", str(root))
        assert done.returncode == 1
        assert done.stderr == f'views: there is no store definition "{lost}"\n'
        assert "clicks: " in done.stdout
