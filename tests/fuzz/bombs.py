"""Statements that exhaust time, memory or the interpreter, from several clients at once.

Every statement must end by its timeout, stay within its memory, not delay lookups on other
connections, and not keep the process alive. Besides known expensive statements, every function of
the allow-list is called with arguments of unexpected size.
"""

from __future__ import annotations

import contextlib
import random
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from psycopg import pq

from stategate.planner.composing.process_pool import OVERHEAD_BYTES
from stategate.planner.postgres.types.functions import FUNCTIONS
from tests.fuzz.report import Budget, Failure, Report
from tests.fuzz.watching import Watched, family, watched_gateway
from tests.support.lookups import looking_up

PART = "bomb"
TIMEOUT_MS, MEMORY_BYTES, GRACE_MS = 2_000, 256 << 20, 3_000
SETTINGS = (
    *("--set", f"statement_timeout_ms={TIMEOUT_MS}"),
    *("--set", f"memory_bytes_max={MEMORY_BYTES}"),
    *("--set", f"grace_ms={GRACE_MS}"),
)
DELAYED = "delayed lookups"
LATE_S = 1.0
"""Seconds that a statement may take beyond its timeout."""
DELAY_S = 0.020
"""Longest delay of a lookup on another connection, in seconds."""
LOOKUP = "SELECT note FROM notes WHERE sample = 1 AND number = -1"
MEMORY_SLACK = OVERHEAD_BYTES
"""Memory of a composing process beyond DuckDB's limit; see planner/README.md."""
REPLY_BYTES = 128 << 20
"""Memory that the gateway may hold for one client: rows of a reply, as received and as encoded.
That is a few MB, or one row, which can have 16 MiB."""
KEPT_BYTES = 256 << 20
"""Growth that is accepted at the end: allocators return freed memory late, or never."""
_ALLOWED = ("57014", "53200", "53300", "54000", "54001", "22", "21", "42", "0A000", "57P01")

BOMBS = (
    "SELECT levenshtein(repeat('a', {n}), repeat('b', {n})) FROM r0",
    "SELECT levenshtein(repeat('a', {n}), repeat('b', {n}))",
    "SELECT jaro_similarity(repeat('a', 10 * {n}), repeat('b', 10 * {n})) FROM r0",
    "SELECT damerau_levenshtein(repeat('a', {n}), repeat('b', {n})) FROM r0",
    "SELECT editdist3(repeat('a', {n}), repeat('b', {n})) FROM r0",
    "SELECT jaccard(repeat('ab', {n}), repeat('bc', {n})) FROM r0",
    "SELECT list_resize(ARRAY[1], {k}) FROM r0",
    "SELECT array_resize(ARRAY[id], {k}, 7) FROM r0",
    "SELECT length(printf('%1000000000d', id)) FROM r0",
    "SELECT string_agg(repeat(t, {n}), '') FROM samples",
    "SELECT max(lpad(t, {k}, 'x')) FROM samples",
    "SELECT len(range({k})) FROM pg_class",
    "SELECT count(*) FROM generate_series(1, {k}) a, generate_series(1, {k}) b",
    "SELECT count(*) FROM samples a, samples b, samples c, samples d, samples e, samples f",
    "SELECT a.t FROM samples a, samples b, samples c, samples d ORDER BY b.t, a.u, d.at",
    "SELECT to_char(at, repeat('YYYY ', {n})) FROM samples",
    "SELECT to_char(n, repeat('9', {n})) FROM samples",
    "SELECT regexp_replace(repeat('a', {n}), '(a*)*b', '') FROM r0",
    "SELECT repeat('a', {n}) LIKE repeat('%a', 2000) || 'b' FROM r0",
    "SELECT array_agg(a.t || b.t || c.t) FROM samples a, samples b, samples c, notes d",
    "WITH RECURSIVE w (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM w) SELECT count(*) FROM w",
    "WITH RECURSIVE w (x) AS (SELECT 'a' UNION ALL SELECT x || x FROM w) SELECT max(x) FROM w",
    "SELECT list_sort(range({k}))[1] FROM r0",
    "SELECT string_to_array(repeat('a,', {n}), ',') FROM samples",
    "SELECT factorial({n}) FROM r0",
    "SELECT md5(repeat(a.t, {n})) FROM samples a, samples b, samples c",
    "SELECT json_agg(a) FROM samples a, samples b, samples c, samples d",
    "SELECT (" + " || ".join(["repeat(t, {n})"] * 8) + ") FROM samples",
    "SELECT count(DISTINCT a.id * b.id || c.t) FROM samples a, samples b, samples c, samples d",
    "SELECT list_reduce(range({k}), (x, y) -> x + y) FROM r0",
    "SELECT format('%1000000000s', t) FROM samples",
)
_ARGUMENTS = (
    "repeat('a', {n})",
    "repeat('ab%', {n})",
    "{k}",
    "{n}",
    "range({n})",
    "range({k})",
    "id",
    "'%1000000000d'",
    "1e300",
    "interval '1000000 years'",
)


@dataclass(slots=True, kw_only=True)
class Weights:
    """Peak memory of a gateway and of its composing processes, in bytes."""

    gateway: int = 0
    composing: int = 0

    def add(self, pid: int) -> None:
        """Measure a gateway and its children."""
        self.gateway = max(self.gateway, _own_bytes(pid))
        children = sum(map(_own_bytes, set(family(pid)) - {pid}))
        self.composing = max(self.composing, children)


@contextlib.contextmanager
def weighing(pid: int) -> Iterator[Weights]:
    """Measure the peak memory of a process and its children while the block runs."""
    stopped, weighed = threading.Event(), Weights()

    def weigh() -> None:
        while not stopped.wait(0.1):
            weighed.add(pid)

    thread = threading.Thread(target=weigh, daemon=True)
    thread.start()
    try:
        yield weighed
    finally:
        stopped.set()
        thread.join(30)


def _own_bytes(pid: int) -> int:
    """Return the memory of a process; pages shared with others count in equal parts (PSS)."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def bomb(chance: random.Random) -> str:
    """Draw a statement that takes much time or memory."""
    if chance.random() < 0.5:
        form = chance.choice(BOMBS)
    else:
        name = chance.choice(sorted(FUNCTIONS))
        arguments = [chance.choice(_ARGUMENTS) for _ in range(chance.randint(1, 3))]
        source = chance.choice(["", "", " FROM pg_class", " FROM r0", " FROM samples a, r0 b"])
        around = chance.choice(["{}", "count({})", "length(CAST({} AS text))"])
        call = f"{name}({', '.join(arguments)})"
        form = f"SELECT {around.replace('{}', call)}{source}"
    sizes = {
        "{n}": chance.choice([5_000, 200_000, 2_000_000]),
        "{k}": chance.choice([10_000_000, 100_000_000, 1_000_000_000]),
    }
    for place, size in sizes.items():
        form = form.replace(place, str(size))
    return form


def _explode(dsn: str, sql: str, outcomes: list[tuple[float, str]]) -> None:
    """Run a statement; append its duration in seconds and its SQLSTATE to `outcomes`.

    Plain libpq releases the interpreter while it waits and reads.
    """
    connection = pq.PGconn.connect(dsn.encode())
    began = time.monotonic()
    result = connection.exec_(sql.encode())
    took = time.monotonic() - began
    state = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
    if result.status in {pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK}:
        state = "rows"
    outcomes.append((took, state or f"lost: {connection.error_message.decode()}"))
    result.clear()
    connection.finish()


def _exploded(dsn: str, statements: Sequence[str]) -> list[threading.Thread]:
    outcomes: list[tuple[float, str]] = []
    threads = [
        threading.Thread(target=_explode, args=(dsn, sql, outcomes), daemon=True)
        for sql in statements
    ]
    for thread in threads:
        thread.start()
    return threads


def one(watched: Watched, sql: str, clients: int, usual: Weights) -> tuple[list[str], str]:
    """Run a statement from several clients at once.

    Args:
        watched: the gateway.
        sql: the statement.
        clients: how many run it.
        usual: memory before the statement.

    Returns:
        The failures, and the figures of the case.
    """
    dsn = watched.gateway.pg_dsn
    outcomes: list[tuple[float, str]] = []
    with looking_up(dsn, watched.pid, LOOKUP) as lookups, weighing(watched.pid) as weighed:
        threads = [
            threading.Thread(target=_explode, args=(dsn, sql, outcomes), daemon=True)
            for _ in range(clients)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(TIMEOUT_MS / 1000 + 30)
    wrong = [] if lookups.wrong is None else [lookups.wrong]
    # With more clients than threads, some wait before their timeout begins.
    slowest = max((took for took, _ in outcomes), default=0.0)
    if len(outcomes) < clients:
        wrong.append(
            f"{clients - len(outcomes)} clients have no answer after 30 s more than allowed"
        )
    elif slowest > TIMEOUT_MS / 1000 + LATE_S:
        wrong.append(f"outlived its timeout: {slowest:.1f} s")
    odd = {state for _, state in outcomes if state != "rows" and not state.startswith(_ALLOWED)}
    if odd:
        wrong.append(f"ended with {', '.join(sorted(odd))}")
    worst = max(lookups.delayed_s, default=0.0)
    if worst > DELAY_S:
        wrong.append(f"{DELAYED}: by {worst * 1000:.0f} ms")
    if (grown := weighed.composing - usual.composing) > MEMORY_BYTES + MEMORY_SLACK:
        wrong.append(f"its process grew by {grown >> 20} MiB, {MEMORY_BYTES >> 20} are allowed")
    if (held := weighed.gateway - usual.gateway) > clients * REPLY_BYTES:
        wrong.append(f"the gateway grew by {held >> 20} MiB for {clients} clients")
    figures = f"{slowest:.1f} s, lookups {max(lookups.took_s, default=0.0) * 1000:.0f} ms"
    return (
        wrong,
        f"{figures}, {grown >> 20} and {held >> 20} MiB, {sorted({each[1] for each in outcomes})}",
    )


def run(directory: Path, report: Report, budget: Budget) -> None:
    """Run bombs until the budget is spent; then send SIGTERM while some are running."""
    chance = report.random(PART, -1)
    case = 0
    with watched_gateway(directory, *SETTINGS) as watched:
        begun = _weighed(watched.pid)
        for case in budget.cases():
            if budget.spent():
                break
            chance = report.random(PART, case)
            sql, clients = bomb(chance), chance.choice([1, 4, 8])
            usual = _weighed(watched.pid)
            wrong, figures = one(watched, sql, clients, usual)
            if wrong and all(each.startswith(DELAYED) for each in wrong):
                # The machine may be the cause, so a delay counts only if it occurs twice.
                wrong, figures = one(watched, sql, clients, usual)
            broken = watched.wrong()
            if broken is not None:
                wrong.append(broken)
            _tell(report, case, wrong, f"{clients} clients\n{sql};\n{figures}")
            if not Path(f"/proc/{watched.pid}/stat").exists():
                return
        kept = _weighed(watched.pid).gateway - begun.gateway
        wrong = [f"kept memory: {kept >> 20} MiB"] if kept > KEPT_BYTES else []
        _tell(report, case, wrong, "after all statements")
        _end(watched, report, case)


def _weighed(pid: int) -> Weights:
    weights = Weights()
    weights.add(pid)
    return weights


def _end(watched: Watched, report: Report, case: int) -> None:
    """Check that the process ends within its grace period, whatever it is computing."""
    statements = [sql.format(n=200_000, k=100_000_000) for sql in BOMBS[:2] + BOMBS[11:13]]
    threads = _exploded(watched.gateway.pg_dsn, statements)
    time.sleep(0.5)
    process, began = watched.gateway.process, time.monotonic()
    watched.probe.close()
    process.signal(signal.SIGTERM)
    ended = process.wait(GRACE_MS / 1000 + 15)
    took = time.monotonic() - began
    late = not ended or took > GRACE_MS / 1000 + LATE_S
    wrong = [f"outlived its grace period: {took:.1f} s"] if late else []
    _tell(report, case, wrong, "SIGTERM while four statements run")
    for thread in threads:
        thread.join(5)


def _tell(report: Report, case: int, wrong: Sequence[str], what: str) -> None:
    if not wrong:
        report.passed("bomb")
    for each in wrong:
        kind = each.split(":")[0]
        report.failed(Failure(part=PART, case=case, kind=kind, what=f"{each}\n{what}"))
