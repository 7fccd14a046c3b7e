"""Client programs, and how each is run: in its environment, with the gateway in variables."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.environments import ROOT, Made
from tests.support.postgres import PostgresMissingError, find_binaries

PROGRAMS = Path(__file__).parent / "programs"
PROGRAM_TIMEOUT_S = 110.0
"""Timeout of one run of a program; no step or answer takes more than a few seconds."""
DATABASE = "stategate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program and its environment; None for the environment of the tests."""

    name: str
    environment: str | None = None

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


ADBC = Program(name="adbc_driver", environment="frames")
ASYNCPG = Program(name="asyncpg_driver", environment="python")
CONNECTORX = Program(name="connectorx_reader", environment="frames")
DUCKDB_1_4 = Program(name="duckdb_attached", environment="duckdb-1.4")
DUCKDB_1_5 = Program(name="duckdb_attached", environment="duckdb-1.5")
JDBC = Program(name="jdbc_driver", environment="jdbc")
NODE = Program(name="node_drivers", environment="node")
ODBC = Program(name="odbc_driver", environment="odbc")
OLDEST_VERSIONS = Program(name="oldest_versions", environment="oldest")
PANDAS = Program(name="pandas_frames", environment="frames")
PG8000 = Program(name="pg8000_driver", environment="python")
PGCLI = Program(name="pgcli_shell", environment="pgcli")
POLARS = Program(name="polars_frames", environment="frames")
POSTGRES_FDW = Program(name="postgres_fdw")
PSQL_15 = Program(name="psql_shell")
PSQL_18 = Program(name="psql_shell", environment="psql-18")
PSYCOPG2 = Program(name="psycopg2_driver", environment="python")
PSYCOPG3 = Program(name="psycopg3_driver", environment="python")
SQLALCHEMY = Program(name="sqlalchemy_orm", environment="python")
STATEGATE_CLIENT = Program(name="stategate_client", environment="stategate-client")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One client of a program, by the name under which the program registers it."""

    name: str
    program: Program
    text_kinds: frozenset[type] = frozenset()
    """The kinds of values that it returns as text."""

    def __str__(self) -> str:
        """Return its name, and its version where there are several."""
        environment = self.program.environment
        several = {"duckdb-1.4", "duckdb-1.5", "psql-18"}
        return f"{self.name} ({environment})" if environment in several else self.name


_TEXT = frozenset({int, float, object})
"""`object` stands for instants, which are not plain values."""
_BIG = frozenset({int})
"""`bigint`, whose values JavaScript's numbers cannot hold."""

CLIENTS = (
    Client(name="ADBC", program=ADBC),
    Client(name="asyncpg", program=ASYNCPG),
    Client(name="asyncpg pool", program=ASYNCPG),
    Client(name="connectorx binary", program=CONNECTORX),
    Client(name="connectorx cursor", program=CONNECTORX),
    Client(name="connectorx csv", program=CONNECTORX),
    Client(name="connectorx simple", program=CONNECTORX),
    Client(name="DuckDB", program=DUCKDB_1_5),
    Client(name="DuckDB postgres_query", program=DUCKDB_1_5),
    Client(name="DuckDB", program=DUCKDB_1_4),
    Client(name="DuckDB postgres_query", program=DUCKDB_1_4),
    Client(name="pgjdbc", program=JDBC),
    Client(name="pgjdbc in binary", program=JDBC),
    Client(name="pgjdbc simple", program=JDBC),
    Client(name="node-pg", program=NODE, text_kinds=_BIG),
    Client(name="postgres.js", program=NODE, text_kinds=_BIG),
    Client(name="pandas by SQLAlchemy", program=PANDAS),
    Client(name="pandas by ADBC", program=PANDAS),
    Client(name="pg8000", program=PG8000),
    Client(name="pgcli", program=PGCLI, text_kinds=_TEXT),
    Client(name="polars by connectorx", program=POLARS),
    Client(name="polars by ADBC", program=POLARS),
    Client(name="postgres_fdw", program=POSTGRES_FDW),
    Client(name="psql", program=PSQL_15, text_kinds=_TEXT),
    Client(name="psql", program=PSQL_18, text_kinds=_TEXT),
    Client(name="psql bind", program=PSQL_18, text_kinds=_TEXT),
    Client(name="psqlODBC", program=ODBC),
    Client(name="psycopg2", program=PSYCOPG2),
    Client(name="psycopg", program=PSYCOPG3),
    Client(name="psycopg in binary", program=PSYCOPG3),
    Client(name="psycopg async", program=PSYCOPG3),
    Client(name="SQLAlchemy by psycopg2", program=SQLALCHEMY),
    Client(name="SQLAlchemy by psycopg", program=SQLALCHEMY),
    Client(name="SQLAlchemy by pg8000", program=SQLALCHEMY),
    Client(name="SQLAlchemy by asyncpg", program=SQLALCHEMY),
)
"""Every client that answers questions about the demo's stores."""


_LIBPQ_WITH_TLS = "psycopg_binary.libs/libpq-*"
PLAIN = "SCRAM-SHA-256"
PLUS = "SCRAM-SHA-256-PLUS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How a client logs in over TLS: with which mechanism of SCRAM."""

    client: str
    program: Program
    mechanism: str
    sqlstate: bool = True
    """Whether its errors have a SQLSTATE; otherwise the message is compared."""
    insists: bool = False
    """Whether it tries for half a minute before it gives up, as connectorx's pool does."""

    def __str__(self) -> str:
        """The client's name, with its version where there are several."""
        return str(Client(name=self.client, program=self.program))


LOGINS = (
    Login(client="ADBC", program=ADBC, mechanism=PLUS, sqlstate=False),
    Login(client="asyncpg", program=ASYNCPG, mechanism=PLAIN),
    Login(
        client="connectorx binary", program=CONNECTORX, mechanism=PLUS, sqlstate=False, insists=True
    ),
    Login(client="DuckDB", program=DUCKDB_1_5, mechanism=PLUS, sqlstate=False),
    Login(client="DuckDB", program=DUCKDB_1_4, mechanism=PLAIN, sqlstate=False),
    Login(client="pgjdbc", program=JDBC, mechanism=PLAIN),
    Login(client="node-pg", program=NODE, mechanism=PLUS),
    Login(client="postgres.js", program=NODE, mechanism=PLAIN),
    Login(client="pandas by SQLAlchemy", program=PANDAS, mechanism=PLUS, sqlstate=False),
    Login(client="pg8000", program=PG8000, mechanism=PLUS),
    Login(client="pgcli", program=PGCLI, mechanism=PLUS, sqlstate=False),
    Login(client="polars by ADBC", program=POLARS, mechanism=PLUS, sqlstate=False),
    Login(client="postgres_fdw", program=POSTGRES_FDW, mechanism=PLUS, sqlstate=False),
    Login(client="psql", program=PSQL_15, mechanism=PLUS, sqlstate=False),
    Login(client="psql", program=PSQL_18, mechanism=PLUS, sqlstate=False),
    Login(client="psqlODBC", program=ODBC, mechanism=PLUS, sqlstate=False),
    Login(client="psycopg2", program=PSYCOPG2, mechanism=PLUS, sqlstate=False),
    Login(client="psycopg", program=PSYCOPG3, mechanism=PLUS, sqlstate=False),
    Login(client="SQLAlchemy by psycopg", program=SQLALCHEMY, mechanism=PLUS, sqlstate=False),
)
"""Every client that is tried with a users file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A client's answer to one question: rows of JSON values, or an error."""

    rows: list[list[Any]] | None
    error: str | None
    sqlstate: str | None


def made_for(program: Program, environment: Callable[[str], Made]) -> Made | None:
    """Return the environment of a program, made if it is missing; None if it needs none."""
    return None if program.environment is None else environment(program.environment)


def command_of(program: Program, made: Made | None) -> list[str]:
    """Return the argument vector that runs a program."""
    if program == POSTGRES_FDW:
        _check_foreign_data_wrapper()
    if program.path.suffix == ".js":
        return [_on_path("node"), str(program.path)]
    # A program without packages of its own is run by the Python of the tests.
    own = made is not None and (made.path / "bin" / "python").exists()
    python = made.python if made is not None and own else sys.executable
    return [python, "-m", f"tests.clients.programs.{program.name}"]


def variables_of(program: Program, made: Made | None, *, pg_port: int) -> dict[str, str]:
    """Return the environment variables that a program is run with."""
    variables = {
        **os.environ,
        "PGHOST": "127.0.0.1",
        "PGPORT": str(pg_port),
        "PGUSER": "stategate",
        "PGDATABASE": DATABASE,
        "PYTHONPATH": str(ROOT),
    }
    if program.name == "psql_shell":
        variables["PSQL"] = psql_of(made)
        variables["PSQL_LIBPQ"] = "" if made is None else str(made.first(_LIBPQ_WITH_TLS))
    if made is not None and program == NODE:
        variables["NODE_PATH"] = str(made.path / "node_modules")
    if made is not None and program == JDBC:
        variables["PGJDBC_JAR"] = str(made.first("postgresql.jar"))
        variables["JAVA_HOME"] = str(made.first("libjvm.so").parents[2])
    if made is not None and program == ODBC:
        driver = made.first("psqlodbcw.so")
        variables["PSQLODBC"] = str(driver)
        variables["LD_LIBRARY_PATH"] = str(driver.parents[1])
    if made is not None and program.name == "duckdb_attached":
        variables["POSTGRES_SCANNER"] = str(made.first("postgres_scanner.duckdb_extension"))
    return variables


def psql_of(made: Made | None) -> str:
    """Return the psql of an environment, or of the system."""
    return _on_path("psql") if made is None else str(made.first("bin/psql"))


def _check_foreign_data_wrapper() -> None:
    try:
        place = find_binaries().parent
    except PostgresMissingError as error:
        pytest.skip(str(error))
    if not any(place.rglob("postgres_fdw.so")):
        pytest.skip(f"the PostgreSQL of {place} has no postgres_fdw")


def _on_path(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on PATH")
    return found


def run_program(
    command: Sequence[str],
    *,
    variables: Mapping[str, str],
    given: str = "",
    timeout_s: float = PROGRAM_TIMEOUT_S,
) -> tuple[list[dict[str, Any]], str]:
    """Return the JSON lines that a program printed, and the end of its stderr."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=dict(variables),
        input=given,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return lines, done.stderr[-3000:]


def answers_of(
    command: Sequence[str], *, variables: Mapping[str, str], given: object
) -> dict[str, Answer]:
    """Return a client's answers by the names of the questions."""
    lines, said = run_program(command, variables=variables, given=json.dumps(given) + "\n")
    assert lines, f"it gave no answer:  {said}"
    return {
        line["name"]: Answer(rows=line["rows"], error=line["error"], sqlstate=line["sqlstate"])
        for line in lines
    }
