"""pg_dump: the definitions of all stores."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.support.gateway import Gateway

PG_DUMP = shutil.which("pg_dump")
RUN_TIMEOUT_S = 60.0


@pytest.mark.skipif(PG_DUMP is None, reason="pg_dump is not installed")
def test_the_schema_is_dumped(gateway: Gateway) -> None:
    assert PG_DUMP is not None
    target = f"host=127.0.0.1 port={gateway.pg_port} user=stategate dbname=stategate"
    ended = subprocess.run(
        [PG_DUMP, "--schema-only", target],
        check=False,
        capture_output=True,
        text=True,
        timeout=RUN_TIMEOUT_S,
    )
    assert ended.returncode == 0, ended.stderr
    assert "CREATE TABLE public." in ended.stdout
    assert "PRIMARY KEY" in ended.stdout
