"""The cost of planning point lookups in three ways, a page of a known shape, and many keys."""

from __future__ import annotations

import gc
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rocksdict import Options, Rdict
from sqlglot.dialects.postgres import Postgres

from stategate.gateway.serve import reduce_garbage_collection
from stategate.planner.sql import SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.stores.hosting.host import Host
from tests.bench import data
from tests.bench.harness import BenchError, Better, Line, Measured, by_turns
from tests.bench.setting import Setting
from tests.bench.stores import ROWS, SCHEMA, wait_for, write_log

PLANS = 200
"""Statements planned in one round; the fastest tenth counts: the machine may be busy."""
KEYS = 1000
_QUIET = 10


def plan_new(setting: Setting) -> Line:
    """A point lookup whose text and shape are new, as programs prepare it."""
    with _engine(setting) as engine:
        return _planned(
            setting,
            "plan a new point lookup",
            lambda n: f"SELECT visits AS v{n}, score FROM users WHERE id = $1",
            engine,
            most_us=60,
            ratio_least=0.625,
        )


def plan_same_shape(setting: Setting) -> Line:
    """A point lookup of a known shape with another key."""
    with _engine(setting) as engine:
        engine.prepare("SELECT visits, score FROM users WHERE id = 'x'", Session())
        return _planned(
            setting,
            "plan a lookup of a known shape",
            lambda n: f"SELECT visits, score FROM users WHERE id = '{n}'",
            engine,
            most_us=60,
        )


def plan_same_range(setting: Setting) -> Line:
    """A page of a range, with other keys and the same LIMIT."""
    with _engine(setting) as engine:
        return _planned(
            setting,
            "plan a page of a known shape",
            lambda n: (
                "SELECT visits, score FROM users"
                f" WHERE id >= '{n}' AND id < '{n}x' AND visits > {n} ORDER BY id LIMIT 20"
            ),
            engine,
            most_us=100,
        )


def plan_cached(setting: Setting) -> Line:
    """The same text again."""
    with _engine(setting) as engine:
        return _planned(
            setting,
            "plan a known text",
            lambda n: "SELECT visits, score FROM users WHERE id = '1'",
            engine,
            most_us=10,
        )


def many_keys(setting: Setting) -> Line:
    """Keys per second of `IN` with 1,000 keys, against a bare multi-get of the same bytes."""
    rows = min(ROWS, setting.keys)
    keys = [str(data.FIRST_KEY + number * 7919 % rows) for number in range(KEYS)]
    listed = ", ".join(f"'{key}'" for key in keys)
    sql = f"SELECT id, visits, score, seen, city FROM users WHERE id IN ({listed})"
    with _engine(setting):
        pass  # closing the host writes all rows to files, which the copy needs
    with _engine(setting) as engine:
        bare = setting.directory / "planning-bare"
        shutil.copytree(_replicas(setting) / SCHEMA.name / "0", bare, dirs_exist_ok=True)
        database = Rdict(str(bare), Options(raw_mode=True))
        encoded = [b"\x01\x01" + key.encode() + b"\0" for key in keys]
        try:
            ours, rival = by_turns(
                lambda: KEYS / _quickest_s(lambda: _rows_of(engine, sql)),
                lambda: KEYS / _quickest_s(lambda: _values_of(database, encoded)),
                rounds=max(7, setting.rounds),
            )
        finally:
            database.close()
    return Measured(
        work=f"IN of {KEYS:,} keys",
        unit="keys/s",
        ours=ours,
        rival=rival,
        rival_name="bare multi-get",
        ratio_least=0.3,
    )


def _replicas(setting: Setting) -> Path:
    return setting.directory / "planning"


@contextmanager
def _engine(setting: Setting) -> Iterator[SqlEngine]:
    """Return an engine over a store with one partition."""
    root = setting.directory / "planning-log"
    if not root.exists():
        write_log(setting, root, min(ROWS, setting.keys))
    host = Host(str(root), _replicas(setting))
    host.start()
    try:
        wait_for(lambda: host.is_ready)
        engine = SqlEngine(host)
        thresholds = gc.get_threshold()
        reduce_garbage_collection()  # as in a gateway
        try:
            yield engine
        finally:
            gc.set_threshold(*thresholds)
            engine.close()
    finally:
        host.close()


def _planned(
    setting: Setting,
    work: str,
    text_of: Callable[[int], str],
    engine: SqlEngine,
    *,
    most_us: float,
    ratio_least: float | None = None,
) -> Line:
    """Microseconds to plan one text, against sqlglot's parse of it."""
    session = Session()
    texts = iter(range(1_000_000))

    def plan() -> None:
        engine.prepare(text_of(next(texts)), session)

    postgres = Postgres()

    def parse() -> None:
        postgres.parse(text_of(next(texts)))

    ours, rival = by_turns(
        lambda: _quiet_us(plan), lambda: _quiet_us(parse), rounds=max(7, setting.rounds)
    )
    return Measured(
        work=work,
        unit="µs",
        ours=ours,
        rival=rival,
        rival_name="bare sqlglot parse",
        better=Better.LOWER,
        ratio_least=ratio_least,
        ours_most=most_us,
    )


def _quiet_us(run: Callable[[], None]) -> float:
    """Return the time of the slowest among the fastest tenth of the runs."""
    times: list[float] = []
    for _ in range(PLANS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sorted(times)[PLANS // _QUIET] * 1e6


def _quickest_s(run: Callable[[], None]) -> float:
    times: list[float] = []
    for _ in range(5):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def _rows_of(engine: SqlEngine, sql: str) -> None:
    session = Session()
    statement = engine.prepare(sql, session)
    result = engine.execute(statement, (), session, cancellation=Cancellation(timeout_s=60))
    found = sum(batch.num_rows for batch in result.batches or ())
    if found != KEYS:
        raise BenchError(f"{found} rows for {KEYS} keys")


def _values_of(database: Rdict, keys: list[bytes]) -> None:
    found: list[object] = database.get(keys)  # type: ignore[arg-type, assignment] # its stub says list
    if None in found:
        raise BenchError("a key that was written is missing")
