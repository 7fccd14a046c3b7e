"""Client programs, run each by its own environment against a running gateway, step by step."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.clients.environments import ROOT, Made
from tests.support.gateway import Gateway

PROGRAMS = Path(__file__).parent / "programs"
PROGRAM_TIMEOUT_S = 110.0
"""All steps of one program; none takes more than a few seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program and what it runs in."""

    name: str
    environment: str

    @property
    def path(self) -> Path:
        """Its file."""
        (found,) = PROGRAMS.glob(f"{self.name}.*")
        return found

    @property
    def steps(self) -> list[str]:
        """The names of its steps, in the order of the file."""
        text = self.path.read_text()
        if self.path.suffix == ".js":
            return re.findall(r"^  async (\w+)\(\)", text, re.MULTILINE)
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        return [
            node.name
            for node in ast.parse(text).body
            if isinstance(node, functions)
            and any(isinstance(d, ast.Name) and d.id == "step" for d in node.decorator_list)
        ]


SUITE = (
    Program(name="adbc_driver", environment="frames"),
    Program(name="asyncpg_driver", environment="python"),
    Program(name="connectorx_reader", environment="frames"),
    Program(name="jdbc_driver", environment="jdbc"),
    Program(name="node_drivers", environment="node"),
    Program(name="pandas_frames", environment="frames"),
    Program(name="pg8000_driver", environment="python"),
    Program(name="pgcli_shell", environment="pgcli"),
    Program(name="polars_frames", environment="frames"),
    Program(name="psycopg2_driver", environment="python"),
    Program(name="psycopg3_driver", environment="python"),
    Program(name="sqlalchemy_orm", environment="python"),
)


def command_of(program: Program, made: Made) -> list[str]:
    """The argument vector that runs a program."""
    if program.path.suffix == ".js":
        node = shutil.which("node")
        if node is None:
            pytest.skip("node is not on PATH")
        return [node, str(program.path)]
    return [made.python, "-m", f"tests.clients.programs.{program.name}"]


def environment_of(program: Program, made: Made, gateway: Gateway) -> dict[str, str]:
    """The environment variables that a program is run with."""
    variables = {
        **os.environ,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(gateway.pg_port),
        "PGUSER": "stategate",
        "PGDATABASE": "stategate",
        "PYTHONPATH": str(ROOT),
        "NODE_PATH": str(made.path / "node_modules"),
    }
    if program.environment == "jdbc":
        variables["PGJDBC_JAR"] = str(made.first("postgresql.jar"))
        variables["JAVA_HOME"] = str(made.first("libjvm.so").parents[2])
    return variables


@cache
def outcomes(program: Program, made: Made, gateway: Gateway) -> Mapping[str, str | None]:
    """How each step ended: its error, or None. The program is run once."""
    done = subprocess.run(
        command_of(program, made),
        cwd=ROOT,
        env=environment_of(program, made, gateway),
        capture_output=True,
        text=True,
        timeout=PROGRAM_TIMEOUT_S,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    missing = dict.fromkeys(program.steps, f"it was not reached:\n{done.stderr[-3000:]}")
    return {**missing, **{line["step"]: line["error"] for line in lines}}


@pytest.mark.parametrize(
    ("program", "step"),
    [
        pytest.param(program, step, id=f"{program.name}-{step}")
        for program in SUITE
        for step in program.steps
    ],
)
def test_step(
    program: Program,
    step: str,
    environment: Callable[[str], Made],
    client_gateway: Gateway,
) -> None:
    error = outcomes(program, environment(program.environment), client_gateway)[step]
    assert error is None, error


def test_every_program_is_run() -> None:
    support = {"__init__", "steps", "duckdb_shell"}
    files = {path.stem for path in PROGRAMS.iterdir() if path.suffix in {".py", ".js"}}
    assert files - support == {program.name for program in SUITE}
