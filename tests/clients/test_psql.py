"""psql 15 of the system and psql 18 of an environment: the commands that a person types."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.clients.environments import Made
from tests.support.gateway import Gateway

RUN_TIMEOUT_S = 30.0
LONG_QUERY = "SELECT count(*) FROM numbers a, numbers b, numbers c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Psql:
    """A psql that connects to the gateway."""

    path: str
    major: int
    port: int

    @property
    def command(self) -> list[str]:
        """Return the argument vector without a command."""
        target = f"host=127.0.0.1 port={self.port} user=stategate dbname=stategate"
        return [self.path, "-X", "-v", "ON_ERROR_STOP=1", "-P", "pager=off", target]

    def run(self, script: str, *arguments: str) -> str:
        """Return the output of a script; any text on stderr is a failure."""
        done = self.attempt(script, *arguments)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def attempt(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a script and return the completed process."""
        return subprocess.run(
            [*self.command, *arguments],
            input=script,
            capture_output=True,
            text=True,
            timeout=RUN_TIMEOUT_S,
            check=False,
        )


@pytest.fixture(scope="module", params=[15, 18], ids=["psql15", "psql18"])
def psql(
    request: pytest.FixtureRequest,
    environment: Callable[[str], Made],
    client_gateway: Gateway,
) -> Psql:
    if request.param == 18:
        path = str(environment("psql-18").first("bin/psql"))
    elif (found := shutil.which("psql")) is None:
        pytest.skip("psql is not on PATH")
    else:
        path = found
    printed = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    major = int(printed.stdout.split()[2].split(".")[0])
    return Psql(path=path, major=major, port=client_gateway.pg_port)


_SLASH = r"""
\d  \d+  \dS  \d *numbers  \d numbers  \d+ numbers  \d prices  \d clicks_hourly  \d+ users
\d numbers_pkey  \dt  \dt+  \dtS  \dt *.*  \dv  \dv stategate.*  \dv+ stategate.*  \di  \di+  \ds
\dm  \dE  \dn  \dn+  \dnS  \du  \du+  \dg  \dp  \z  \ddp  \df  \df+ upper  \dfS  \dT  \dT+  \dTS
\dD  \dDS  \dC  \dO  \dOS  \db  \db+  \dc  \dd  \des  \det  \deu  \dew  \dF  \dFp  \dFd  \dFt  \dl
\dL  \do  \drds  \dRp  \dRs  \dx  \dX  \dy  \dA  \dAc  \dAf  \dAo  \dAp  \dconfig  \dconfig *  \dP
\l  \l+  \conninfo  \encoding  \sv stategate.stores  \sv+ stategate.stores
"""


@pytest.mark.parametrize("command", [each for each in re.split(r"\s{2,}|\n", _SLASH) if each])
def test_slash_command(psql: Psql, command: str) -> None:
    done = psql.attempt(command)
    told = [line for line in done.stderr.splitlines() if not line.startswith("Did not find any")]
    assert (done.returncode, told) == (0, [])


def test_describes_a_store(psql: Psql) -> None:
    printed = psql.run(r"\d+ clicks_hourly")
    lines = [[cell.strip() for cell in line.split("|")] for line in printed.splitlines()]
    by_name = {cells[0]: cells for cells in lines if len(cells) > 4}
    assert by_name["page"][1:4] == ["text", "", ""]
    assert by_name["window_start"][1:4] == ["timestamp with time zone", "", "not null"]
    assert by_name["window_start"][-1] == "start of the window, inclusive"
    assert '"clicks_hourly_pkey" PRIMARY KEY, btree (page, window_start)' in printed


def test_lists(psql: Psql) -> None:
    printed = psql.run(r"\dt+", "-At")
    assert [line.split("|")[1] for line in printed.splitlines()] == [
        "clicks_hourly",
        "numbers",
        "orders",
        "prices",
        "users",
    ]
    assert psql.run(r"\l", "-At").startswith("stategate|stategate|UTF8|")
    assert psql.run("", "-l").count("stategate") >= 1


def test_an_unknown_relation(psql: Psql) -> None:
    assert 'Did not find any relation named "nothing"' in psql.attempt(r"\d nothing").stderr


def test_expanded(psql: Psql) -> None:
    printed = psql.run("\\x\nSELECT id, word FROM numbers WHERE id = 8;")
    assert "-[ RECORD 1 ]" in printed
    assert "word | word 1" in printed


def test_describes_a_query(psql: Psql) -> None:
    printed = psql.run(
        r"SELECT amount, placed, count(*) OVER () FROM orders \gdesc", "-At"
    ).splitlines()
    assert printed == [
        "amount|numeric(12,2)",
        "placed|timestamp with time zone",
        "count|bigint",
    ]


def test_binds(psql: Psql) -> None:
    if psql.major < 16:
        pytest.skip("psql has bind from version 16 on")
    assert psql.run("SELECT word FROM numbers WHERE id = $1 \\bind 8 \\g\n", "-At") == "word 1\n"


def test_sets_and_executes(psql: Psql) -> None:
    script = (
        "SELECT max(id) AS top FROM numbers \\gset\nSELECT word FROM numbers WHERE id = :top;\n"
    )
    assert psql.run(script, "-At") == "word 0\n"
    executed = psql.run(r"SELECT 'SELECT ' || id FROM numbers WHERE id IN (1, 2) \gexec", "-At")
    assert sorted(executed.splitlines()) == ["1", "2"]


def test_copies_a_query_to_a_file(psql: Psql, tmp_path: Path) -> None:
    target = tmp_path / "orders.csv"
    query = "SELECT customer, number, note FROM orders ORDER BY 1, 2"
    assert psql.run(f"\\copy ({query}) to '{target}' csv header") == "COPY 12\n"
    lines = target.read_text().splitlines()
    assert lines[:4] == ["customer,number,note", "ada,-1,", "ada,1,", "ada,2,order 2 of ada"]
    assert psql.run(f"\\copy numbers to '{target}'") == "COPY 20000\n"
    assert len(target.read_text().splitlines()) == 20_000
    binary = tmp_path / "orders.bin"
    psql.run(f"\\copy ({query}) to '{binary}' (format binary)")
    assert binary.read_bytes().startswith(b"PGCOPY\n\xff\r\n\x00")


def test_copies_to_its_output(psql: Psql) -> None:
    printed = psql.run("COPY (SELECT id FROM numbers WHERE id < 3 ORDER BY id) TO STDOUT;", "-q")
    assert printed == "0\n1\n2\n"


def test_fetches_in_parts(psql: Psql) -> None:
    printed = psql.run("\\set FETCH_COUNT 500\nSELECT id FROM numbers;", "-At")
    assert len(printed.splitlines()) == 20_000


def test_runs_several_statements(psql: Psql) -> None:
    done = subprocess.run(
        [*psql.command, "-At", "-c", "SELECT 1; SELECT 'a;b' -- ;\n; SELECT 3"],
        capture_output=True,
        text=True,
        timeout=RUN_TIMEOUT_S,
        check=True,
    )
    assert done.stdout.splitlines() == ["1", "a;b", "3"]


def test_one_transaction(psql: Psql) -> None:
    assert psql.run("SELECT 1;\nSELECT 2;", "-At", "--single-transaction").splitlines() == [
        *("1", "2")
    ]


def test_shows_the_position_of_an_error(psql: Psql) -> None:
    done = psql.attempt("SELECT nothing FROM users;\n\\errverbose", "-v", "ON_ERROR_STOP=0")
    assert 'ERROR:  column "nothing" does not exist' in done.stderr
    assert "LINE 1: SELECT nothing FROM users" in done.stderr
    assert "42703" in done.stderr


def _read_until(wanted: str, reader: int, *, timeout_s: float = 15.0) -> str:
    """Return the output of a terminal up to some text."""
    seen, deadline = "", time.monotonic() + timeout_s
    while wanted not in seen:
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"{wanted!r} did not appear:  {seen!r}"
        seen += os.read(reader, 4096).decode(errors="replace")
    return seen


@pytest.fixture
def terminal(psql: Psql) -> tuple[int, subprocess.Popen[bytes]]:
    """An interactive psql: the file descriptor of its terminal, and its process."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        psql.command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "dumb", "INPUTRC": "/dev/null"},
        start_new_session=True,
    )
    os.close(theirs)
    return ours, process


def _leave(terminal: tuple[int, subprocess.Popen[bytes]]) -> None:
    descriptor, process = terminal
    os.write(descriptor, b"\x15\\q\n")
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(10)
    os.close(descriptor)


def test_interrupts(psql: Psql, terminal: tuple[int, subprocess.Popen[bytes]]) -> None:
    descriptor, process = terminal
    try:
        _read_until("stategate=", descriptor)
        os.write(descriptor, f"{LONG_QUERY};\n".encode())
        time.sleep(0.5)  # it must run before it can be interrupted, and nothing signals that
        process.send_signal(signal.SIGINT)
        _read_until("canceling statement due to user request", descriptor)
        os.write(descriptor, b"SELECT 40 + 2;\n")
        _read_until("42", descriptor)
    finally:
        _leave(terminal)


def test_watches(psql: Psql, terminal: tuple[int, subprocess.Popen[bytes]]) -> None:
    descriptor, process = terminal
    try:
        _read_until("stategate=", descriptor)
        os.write(descriptor, b"SELECT 'tick' || 'ed' \\watch 0.2\n")
        for _ in range(3):
            _read_until("ticked", descriptor)
        process.send_signal(signal.SIGINT)
        os.write(descriptor, b"SELECT 40 + 2;\n")
        _read_until("42", descriptor)
    finally:
        _leave(terminal)


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("SELECT * FROM num\t", "numbers"),
        ("SELECT * FROM numbers WHERE squ\t", "squared"),
        ("SELECT * FROM stategate.sto\t", "stores"),
        ("SET stat\t", "statement_timeout"),
        ("\\d clicks\t", "_hourly"),
    ],
)
def test_completes(
    psql: Psql, terminal: tuple[int, subprocess.Popen[bytes]], typed: str, completed: str
) -> None:
    descriptor, _ = terminal
    try:
        if "libreadline" not in _libraries(psql.path) and "libedit" not in _libraries(psql.path):
            pytest.skip("this psql was built without line editing")
        _read_until("stategate=", descriptor)
        os.write(descriptor, typed.encode())
        _read_until(completed, descriptor)
    finally:
        _leave(terminal)


_RELATIONS = """
SELECT c.relname, NULL::pg_catalog.text FROM pg_catalog.pg_class c
WHERE {kinds}(c.relname) LIKE '{typed}%' AND pg_catalog.pg_table_is_visible(c.oid)
    AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION ALL
SELECT NULL::pg_catalog.text, n.nspname FROM pg_catalog.pg_namespace n
WHERE n.nspname LIKE '{typed}%' AND n.nspname NOT LIKE E'pg\\\\_%'
LIMIT 1000"""
_READ = "c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p') AND "
_SETTINGS = """
SELECT pg_catalog.lower(name) FROM pg_catalog.pg_settings
WHERE {context}pg_catalog.lower(name) LIKE pg_catalog.lower('{typed}%')
LIMIT 1000"""


@pytest.mark.parametrize(
    ("sql", "completed"),
    [
        (_RELATIONS.format(kinds=_READ, typed="cl"), ["clicks_hourly|"]),
        (_RELATIONS.format(kinds="", typed="u"), ["users_pkey|", "users|"]),
        (
            _RELATIONS.format(kinds="c.relkind IN ('r', 'p') AND ", typed=""),
            [
                *("clicks_hourly|", "numbers|", "orders|", "prices|", "users|"),
                *("|information_schema", "|public", "|stategate"),
            ],
        ),
        (
            "SELECT c.relname, n.nspname FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n"
            " WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'S', 'v', 'm', 'f', 'p')"
            " AND (c.relname) LIKE 'n%' AND n.nspname = 'public'\nLIMIT 1000",
            ["numbers|public"],
        ),
        (
            "SELECT a.attname, NULL::pg_catalog.text FROM pg_catalog.pg_attribute a,"
            " pg_catalog.pg_class c WHERE c.oid = a.attrelid and a.attnum > 0"
            " and not a.attisdropped AND (a.attname) LIKE 's%' AND c.relname = 'numbers'"
            " AND pg_catalog.pg_table_is_visible(c.oid)\nLIMIT 1000",
            ["squared|"],
        ),
        (_SETTINGS.format(context="", typed="sear"), ["search_path"]),
        (
            _SETTINGS.format(context="context IN ('user', 'superuser') AND ", typed="statement"),
            ["statement_timeout"],
        ),
        (
            "SELECT datname FROM pg_catalog.pg_database  WHERE datname LIKE 's%'\nLIMIT 1000",
            ["stategate"],
        ),
        (
            " SELECT rolname    FROM pg_catalog.pg_roles   WHERE rolname LIKE 's%'\nLIMIT 1000",
            ["stategate"],
        ),
    ],
)
def test_queries_of_tab_completion(psql: Psql, sql: str, completed: list[str]) -> None:
    """The queries of psql 15, for a psql 18 without readline, which cannot send them itself."""
    printed = psql.run("", "-At", "-c", sql).splitlines()
    assert sorted(printed) == sorted(completed)


def _libraries(path: str) -> str:
    real = os.path.realpath(path)
    if real.endswith("pg_wrapper"):  # Debian's psql is a script that finds the newest
        real = str(max(Path("/usr/lib/postgresql").glob("*/bin/psql")))
    done = subprocess.run(["ldd", real], capture_output=True, text=True, check=False)
    return done.stdout
