"""Small answers without a server: microseconds and calls, from a prepared statement to its rows.

They show where a statement costs more than before. A statement is read anew in each run, and then
once more with answers that are kept.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from stategate.gateway.serve import reduce_garbage_collection
from stategate.planner.sql import EngineLimits, SqlEngine
from stategate.planner.values.cancel import Cancellation
from stategate.planner.values.session import Session
from stategate.planner.values.text_values import parse_value
from stategate.stores.hosting.host import Host
from tests.bench import data, small_stores
from tests.bench.costs import CallCounter
from tests.bench.harness import BenchError, Counted, Line
from tests.bench.setting import Setting
from tests.bench.small_statements import SmallStatement, statements
from tests.bench.stores import ROWS, wait_for

RUNS = 100
"""Number of runs of a statement; the time that the fastest tenth does not exceed counts."""
_QUIET = 10


def costs(setting: Setting) -> Sequence[Line]:
    """Return one line for each statement."""
    rows = min(ROWS, setting.keys)
    measured = statements(keys=rows, days=setting.days)
    lines: list[Line] = []
    with _host(setting, rows) as host:
        for keep_answers, how in ((False, "in process"), (True, "in process, given again")):
            with _engine(host, keep_answers=keep_answers) as engine:
                took_us = {name: _quiet_us(runner(engine, each)) for name, each in measured.items()}
            # A profile affects the threads that start after it; it would slow down the runs above.
            with CallCounter() as counter, _engine(host, keep_answers=keep_answers) as engine:
                calls = {n: counter.count(runner(engine, each)) for n, each in measured.items()}
            lines += [
                Counted(work=f"{each.work}, {how}", took_us=took_us[name], calls=calls[name])
                for name, each in measured.items()
            ]
    return lines


@contextmanager
def _host(setting: Setting, rows: int) -> Iterator[Host]:
    """Run a host of all stores that the statements read."""
    root = setting.directory / "small-log"
    data.write_log(root, setting.table.slice(0, rows))
    small_stores.write_logs(root, small_stores.tables(setting.days))
    host = Host(str(root))
    host.start()
    try:
        wait_for(lambda: host.is_ready)
        yield host
    finally:
        host.close()


@contextmanager
def _engine(host: Host, *, keep_answers: bool) -> Iterator[SqlEngine]:
    limits = EngineLimits() if keep_answers else EngineLimits(answers_bytes=0)
    engine = SqlEngine(host, limits=limits)
    thresholds = gc.get_threshold()
    reduce_garbage_collection()  # as in a gateway
    try:
        yield engine
    finally:
        gc.set_threshold(*thresholds)
        engine.close()


def runner(engine: SqlEngine, small: SmallStatement) -> Callable[[], object]:
    """Return a function that runs a statement; it has run once.

    Raises:
        BenchError: it returns an unexpected number of rows.
    """
    session = Session()
    statement = engine.prepare(small.numbered, session)
    parameters = tuple(
        parse_value(text, each)
        for text, each in zip(small.parameters(0), statement.parameters, strict=True)
    )

    def run() -> int:
        if statement.look_up is not None:
            found = statement.look_up(parameters, session)
            if found is not None:
                return len(found.rows)
        result = engine.execute(
            statement, parameters, session, cancellation=Cancellation(timeout_s=60)
        )
        if result.rows is not None:
            return len(result.rows)
        return sum(batch.num_rows for batch in result.batches or ())

    rows = run()
    if rows != small.rows:
        raise BenchError(f"{rows} rows: {small.literal(0)}")
    return run


def _quiet_us(run: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sorted(times)[RUNS // _QUIET] * 1e6
