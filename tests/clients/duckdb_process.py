"""A DuckDB of another version, in a process of its own, that runs statements one by one."""

from __future__ import annotations

import json
import os
import select
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.clients.environments import ROOT, Made

ANSWER_TIMEOUT_S = 60.0


class DuckDbError(Exception):
    """The error of a statement, with DuckDB's message."""


class DuckDb:
    """A running DuckDB with its postgres extension loaded."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, sql: str) -> list[list[Any]]:
        """Return the rows of a statement; values that JSON lacks are texts.

        Raises:
            DuckDbError: the statement failed.
        """
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(sql) + "\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], ANSWER_TIMEOUT_S)
        assert ready, f"no answer within {ANSWER_TIMEOUT_S:.0f} s to {sql}"
        line = process.stdout.readline()
        assert line, f"DuckDB ended during  {sql}"
        answer = json.loads(line)
        if "error" in answer:
            raise DuckDbError(answer["error"])
        rows: list[list[Any]] = answer["rows"]
        return rows

    def attach(self, port: int, *, name: str = "g", options: str = "") -> None:
        """Attach the gateway at a port of this machine, as its users would."""
        target = f"host=127.0.0.1 port={port} user=stategate dbname=stategate{options}"
        self.ask(f"ATTACH '{target}' AS {name} (TYPE postgres, READ_ONLY)")


@contextmanager
def running_duckdb(environment: Made) -> Iterator[DuckDb]:
    """Run the DuckDB of an environment until the end of the block."""
    extension = environment.first("postgres_scanner.duckdb_extension")
    process = subprocess.Popen(
        [environment.python, "-m", "tests.clients.programs.duckdb_shell"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "POSTGRES_SCANNER": str(extension)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield DuckDb(process)
    finally:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
        process.stdout.close()
