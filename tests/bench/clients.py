"""Run the load generators pgbench and wrk, and read their output."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from stategate.gateway.short_slices import take_short_slices
from tests.bench.harness import BenchError, UnavailableError

STARTUP_S = 30.0
"""Seconds that a client may take beyond the length of its run."""
RUN_S = 600.0
"""Timeout in seconds of a client with a fixed amount of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PgTarget:
    """A server that speaks the Postgres wire protocol, on loopback."""

    port: int
    user: str
    database: str

    @property
    def dsn(self) -> str:
        """A connection string."""
        return f"postgresql://{self.user}@127.0.0.1:{self.port}/{self.database}"


def pgbench_tps(
    target: PgTarget, script: Path, *, clients: int, protocol: str, seconds: float
) -> float:
    """Return transactions per second, without the time to connect.

    Args:
        target: the server.
        script: the statements of a transaction.
        clients: connections.
        protocol: `simple`, `extended` or `prepared`.
        seconds: length of the run.

    Raises:
        UnavailableError: pgbench is not installed.
        BenchError: it failed, or a transaction did.
    """
    arguments = ["--client", str(clients), "--protocol", protocol, *_for(seconds)]
    return parse_pgbench_tps(_pgbench(target, script, arguments, seconds=seconds))


def pgbench_run(target: PgTarget, script: Path, *, clients: int, transactions: int) -> None:
    """Run a prepared script a number of times in each client; `:n` starts at 0.

    Raises:
        UnavailableError: pgbench is not installed.
        BenchError: it failed, or a transaction did.
    """
    arguments = ["--client", str(clients), "--protocol", "prepared", "--define", "n=0"]
    arguments += ["--transactions", str(transactions)]
    parse_pgbench_tps(_pgbench(target, script, arguments, seconds=RUN_S))


@dataclass(frozen=True, slots=True, kw_only=True)
class PgbenchResult:
    """Results of pgbench."""

    per_s: float
    """Transactions per second, without the time to connect."""
    latencies_ms: list[float]
    """The latency of each transaction."""


def pgbench_logged(
    target: PgTarget,
    script: Path,
    *,
    clients: int,
    protocol: str,
    seconds: float,
    rate: int | None = None,
) -> PgbenchResult:
    """Run a script for a time, with a log of its transactions.

    Args:
        target: the server.
        script: the statements of a transaction.
        clients: connections.
        protocol: `simple`, `extended` or `prepared`.
        seconds: length of the run.
        rate: transactions that fall due per second; their latencies then include waiting. None
            begins each when the one before it has ended.

    Raises:
        UnavailableError: pgbench is not installed.
        BenchError: it failed, or a transaction did.
    """
    with tempfile.TemporaryDirectory(prefix="stategate-bench-") as directory:
        prefix = Path(directory) / "pgbench"
        arguments = ["--client", str(clients), "--protocol", protocol]
        arguments += [] if rate is None else ["--rate", str(rate)]
        arguments += ["--log", "--log-prefix", str(prefix), *_for(seconds)]
        per_s = parse_pgbench_tps(_pgbench(target, script, arguments, seconds=seconds))
        logs = sorted(Path(directory).iterdir())
        latencies = [latency for log in logs for latency in parse_pgbench_log(log.read_text())]
    return PgbenchResult(per_s=per_s, latencies_ms=latencies)


def _pgbench(target: PgTarget, script: Path, arguments: list[str], *, seconds: float) -> str:
    command = [program("pgbench"), "--host", "127.0.0.1", "--port", str(target.port)]
    command += ["--username", target.user, "--no-vacuum", "--file", str(script)]
    return _run([*command, *arguments, target.database], seconds=seconds)


def _for(seconds: float) -> list[str]:
    return ["--time", str(max(1, round(seconds)))]


def parse_pgbench_tps(output: str) -> float:
    """Read the rate that pgbench prints.

    Raises:
        BenchError: the rate is missing, or a transaction failed.
    """
    failed = re.search(r"number of failed transactions: (\d+)", output)
    if failed and int(failed[1]) > 0:
        raise BenchError(f"{failed[1]} transactions failed")
    if "aborted" in output:
        raise BenchError(f"a client was aborted: {output[-500:]}")
    found = re.search(r"^tps = ([\d.]+) \((?:without|excluding)", output, re.MULTILINE)
    if found is None:
        raise BenchError(f"pgbench printed no rate: {output[-500:]}")
    return float(found[1])


def parse_pgbench_log(text: str) -> list[float]:
    """Read milliseconds from a log of transactions: microseconds are each line's third field.

    Raises:
        BenchError: a transaction failed, or a line is not pgbench's.
    """
    latencies = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) < 6 or not fields[2].isdigit():
            raise BenchError(f"pgbench logged: {line[:200]}")
        latencies.append(int(fields[2]) / 1000)
    return latencies


@dataclass(frozen=True, slots=True, kw_only=True)
class WrkResult:
    """Results of wrk."""

    requests_per_s: float
    p99_ms: float


def wrk(url: str, script: Path, *, connections: int, seconds: float) -> WrkResult:
    """Load one URL with the requests that a Lua script makes.

    Raises:
        UnavailableError: wrk is not installed.
        BenchError: it failed, or an answer was not 2xx.
    """
    command = [program("wrk"), "--threads", "1", "--connections", str(connections)]
    command += ["--duration", f"{max(1, round(seconds))}s", "--latency", "--script", str(script)]
    return parse_wrk(_run([*command, url], seconds=seconds))


def parse_wrk(output: str) -> WrkResult:
    """Read wrk's report.

    Raises:
        BenchError: it contains errors, or no rate.
    """
    if errors := re.search(r"Non-2xx or 3xx responses: (\d+)", output):
        raise BenchError(f"{errors[1]} answers were errors")
    sockets = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout", output)
    if sockets and any(int(count) for count in sockets.groups()):
        raise BenchError(sockets[0])
    rate = re.search(r"Requests/sec:\s+([\d.]+)", output)
    p99 = re.search(r"^\s+99%\s+([\d.]+)(us|ms|s)$", output, re.MULTILINE)
    if rate is None or p99 is None:
        raise BenchError(f"wrk printed no rate: {output[-500:]}")
    return WrkResult(
        requests_per_s=float(rate[1]),
        p99_ms=float(p99[1]) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[p99[2]],
    )


def program(name: str) -> str:
    """Find a program.

    Raises:
        UnavailableError: it is not on the PATH.
    """
    found = shutil.which(name)
    if found is None:
        raise UnavailableError(f"{name} is not installed")
    return found


def _run(command: list[str], *, seconds: float) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds + STARTUP_S,
            # Clients work on other machines: here a late turn would count as a late answer.
            preexec_fn=take_short_slices,
        )
    except subprocess.TimeoutExpired as error:
        raise BenchError(f"{command[0]} did not end after {error.timeout:.0f} s") from error
    if done.returncode != 0:
        raise BenchError(f"{command[0]} failed: {(done.stderr or done.stdout)[-500:].strip()}")
    return done.stdout + done.stderr
