"""The parts of the benchmark that do not measure: reading output, medians, the table, the rows."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.codec.partitioner import partition_column
from tests.bench import data
from tests.bench.__main__ import FAMILIES, main
from tests.bench.clients import parse_pgbench_log, parse_pgbench_tps, parse_wrk, program
from tests.bench.harness import (
    HEADER,
    BenchError,
    Better,
    Counted,
    Latency,
    Line,
    Measured,
    NotMeasured,
    UnavailableError,
    by_turns,
    percentile,
    table,
)
from tests.bench.lookups_http import SCRIPT
from tests.bench.lookups_pg import PREPARED, SIMPLE, script_text

PGBENCH = """pgbench (15.18 (Debian 15.18-0+deb12u1))
transaction type: lookup.pgbench
scaling factor: 1
query mode: prepared
number of clients: 16
number of threads: 1
maximum number of tries: 1
duration: 2 s
number of transactions actually processed: 92163
number of failed transactions: 0 (0.000%)
latency average = 0.347 ms
initial connection time = 10.061 ms
tps = 46081.801113 (without initial connection time)
"""
PGBENCH_LOG = """0 1 274 0 1700000000 125000 12
1 1 1044 0 1700000000 126000 0
"""
WRK = """Running 2s test @ http://127.0.0.1:8080/v1/query
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.50ms  210.00us   9.10ms   91.00%
    Req/Sec    10.70k   540.00    11.60k    70.00%
  Latency Distribution
     50%    1.46ms
     75%    1.55ms
     90%    1.66ms
     99%    2.31ms
  21302 requests in 2.00s, 4.20MB read
Requests/sec:  10650.12
Transfer/sec:      2.10MB
"""


def test_pgbench_output_is_read() -> None:
    assert parse_pgbench_tps(PGBENCH) == pytest.approx(46081.801113)
    assert parse_pgbench_log(PGBENCH_LOG) == [0.274, 1.044]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (PGBENCH.replace("failed transactions: 0", "failed transactions: 3"), "3 transactions"),
        (PGBENCH + "pgbench: error: client 1 aborted in command 1", "aborted"),
        ("", "no rate"),
    ],
)
def test_pgbench_failures_are_not_numbers(text: str, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        parse_pgbench_tps(text)


@pytest.mark.parametrize("line", ["0 1 failed 0 1700000000 125000 12", "garbage"])
def test_failed_transactions_have_no_latency(line: str) -> None:
    with pytest.raises(BenchError, match="logged"):
        parse_pgbench_log(PGBENCH_LOG + line)


@pytest.mark.parametrize(
    ("p99", "expected"), [("2.31ms", 2.31), ("940.00us", 0.94), ("1.20s", 1200.0)]
)
def test_wrk_output_is_read(p99: str, expected: float) -> None:
    result = parse_wrk(WRK.replace("2.31ms", p99))
    assert result.requests_per_s == pytest.approx(10650.12)
    assert result.p99_ms == pytest.approx(expected)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("  Non-2xx or 3xx responses: 17\n", "17 answers"),
        ("  Socket errors: connect 0, read 4, write 0, timeout 0\n", "read 4"),
    ],
)
def test_wrk_failures_are_not_numbers(more: str, said: str) -> None:
    with pytest.raises(BenchError, match=said):
        parse_wrk(WRK + more)
    with pytest.raises(BenchError, match="no rate"):
        parse_wrk("")


def test_a_missing_program_says_so() -> None:
    with pytest.raises(UnavailableError, match="no-such-program is not installed"):
        program("no-such-program")


def test_both_sides_take_turns_and_the_warm_up_does_not_count() -> None:
    calls: list[str] = []
    numbers = itertools.count()

    def side(name: str) -> float:
        calls.append(name)
        return float(next(numbers))

    mine, theirs = by_turns(lambda: side("ours"), lambda: side("rival"), rounds=3)
    assert calls == ["ours", "rival", "ours", "rival", "rival", "ours", "ours", "rival"]
    assert (mine, theirs) == (5.0, 4.0)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0.01, 1.0))
def test_percentile_law(values: list[float], share: float) -> None:
    """It is one of the values, and at least the given share of them is at or below it."""
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values) - 1e-6
    assert sum(value < found for value in values) < share * len(values) + 1e-6


def test_percentile_of_nothing() -> None:
    with pytest.raises(BenchError):
        percentile([], 0.99)


def test_table() -> None:
    lines: list[Line] = [
        Measured(
            work="prepared lookups",
            unit="lookups/s",
            ours=52_345.6,
            rival=46_081.8,
            rival_name="PostgreSQL",
            ratio_least=1.0,
        ),
        Measured(
            work="scan",
            unit="ms",
            ours=150.0,
            rival=75.0,
            rival_name="PostgreSQL",
            better=Better.LOWER,
            ratio_least=1.0,
        ),
        Measured(
            work="p99",
            unit="ms",
            ours=12.5,
            rival=1.04,
            rival_name="PostgreSQL",
            better=Better.LOWER,
            ours_most=20.0,
        ),
        NotMeasured(work="http", reason="wrk is not installed", failed=False),
        NotMeasured(work="apply", reason="disk full", failed=True),
    ]
    assert table(lines).splitlines() == [
        "work                              ours   rival  unit        ratio       bar",
        "─" * 82,
        "prepared lookups vs PostgreSQL  52,346  46,082  lookups/s  1.14 x  ≥ 1.00 x  ok",
        "scan vs PostgreSQL                 150      75  ms         0.50 x  ≥ 1.00 x  BELOW",
        "p99 vs PostgreSQL                 12.5    1.04  ms         0.08 x   ≤ 20 ms  ok",
        "http: skipped: wrk is not installed",
        "apply: FAILED: disk full",
    ]


def test_table_with_latencies_and_costs() -> None:
    def day(clients: int, ours: float, **more: Any) -> Measured:
        work = f"day, {clients}"
        return Measured(
            work=work, unit="/s", ours=ours, rival=1000.0, rival_name="PostgreSQL", **more
        )

    latencies = (Latency(median_ms=0.5, p99_ms=2.25), Latency(median_ms=0.25, p99_ms=1.0))
    barred = {"latencies": latencies, "ratio_least": 0.3, "ratio_goal": 1.0}
    lines: list[Line] = [
        day(4, 500.0, **barred),
        day(1, 500.0),
        day(16, 1000.0, **barred),
        Counted(work="day, in process", took_us=51.25, calls=1234),
    ]
    shown = [line for line in table(lines).splitlines() if not line.startswith("─")]
    assert [re.split(r"  +", line) for line in shown] == [
        [*HEADER[:6], "ours median, p99 ms", "rival median, p99 ms"],
        [
            "day, 4 vs PostgreSQL", "500", "1,000", "/s", "0.50 x", "≥ 0.30 x, goal 1.00", "ok",
            "0.50, 2.25", "0.25, 1.00",
        ],
        ["day, 1 vs PostgreSQL", "500", "1,000", "/s", "0.50 x"],
        [
            "day, 16 vs PostgreSQL", "1,000", "1,000", "/s", "1.00 x", "≥ 0.30 x, goal 1.00",
            "goal", "0.50, 2.25", "0.25, 1.00",
        ],
        [""],
        ["work", "µs", "calls"],
        ["day, in process", "51.2", "1,234"],
    ]  # fmt: skip
    assert table(lines[-1:]).startswith("work ")


def test_rows_are_the_same_whenever_they_are_made() -> None:
    table_a, table_b = data.rows(1000), data.rows(1000)
    assert table_a.equals(table_b)
    assert table_a.schema.equals(data.SCHEMA.arrow_schema())
    ids = [str(each) for each in table_a.column("id").to_pylist()]
    assert ids[0] == str(data.FIRST_KEY)
    assert len(set(ids)) == 1000
    assert set(map(len, ids)) == {10}


def test_rows_spread_over_all_partitions() -> None:
    numbers = partition_column(data.rows(1000), data.SCHEMA.key, data.SCHEMA.partitions)
    assert set(numbers.tolist()) == set(range(data.SCHEMA.partitions))


def test_scripts_draw_from_existing_keys() -> None:
    assert "random(1000000001, 1000000010)" in script_text(PREPARED, 10)
    assert script_text(PREPARED, 10).endswith("WHERE id = :id\n")
    assert script_text(SIMPLE, 10).endswith("WHERE id = ':id'\n")
    assert "math.random(1, 2)" in SCRIPT.format(first=1, last=2)


def test_command_line_names_every_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in FAMILIES)
    with pytest.raises(SystemExit) as refused:
        main(["--keys", "0"])
    assert refused.value.code == 2
