"""Client programs, each run in its own environment against a running gateway, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from tests.clients import running
from tests.clients.environments import Made
from tests.clients.running import PROGRAMS, Program, command_of, made_for, run_program, variables_of
from tests.support.gateway import Gateway

SUITE = (
    running.ADBC,
    running.ASYNCPG,
    running.CONNECTORX,
    running.JDBC,
    running.NODE,
    running.ODBC,
    running.PANDAS,
    running.PG8000,
    running.PGCLI,
    running.POLARS,
    running.POSTGRES_FDW,
    running.PSYCOPG2,
    running.PSYCOPG3,
    running.SQLALCHEMY,
)
"""Programs that run step by step; the others have tests of their own."""


@cache
def outcomes(program: Program, made: Made | None, pg_port: int) -> Mapping[str, str | None]:
    """Return each step's error, or None. The program runs once."""
    variables = variables_of(program, made, pg_port=pg_port)
    lines, said = run_program(command_of(program, made), variables=variables)
    missing = dict.fromkeys(program.steps, f"it was not reached:\n{said}")
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
    made = made_for(program, environment)
    error = outcomes(program, made, client_gateway.pg_port)[step]
    assert error is None, error


def test_every_program_is_run() -> None:
    support = {"__init__", "asking", "steps", "duckdb_shell"}
    elsewhere = {client.program.name for client in running.CLIENTS}
    elsewhere |= {running.STATEGATE_CLIENT.name, running.OLDEST_VERSIONS.name}
    files = {path.stem for path in PROGRAMS.iterdir() if path.suffix in {".py", ".js"}}
    assert files - support == {program.name for program in SUITE} | elsewhere
