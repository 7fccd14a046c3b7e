"""The processes of a chaos run: gateways that keep their ports, and drivers with all they start."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tests.chaos.links import Links
from tests.import_tree import make_import_tree
from tests.support.process import ROOT, answers, free_ports, plain_environment

Process: TypeAlias = subprocess.Popen[bytes]


def start(
    program: str, fault: str, arguments: Sequence[str], output: Path, *, sources: Path = ROOT
) -> Process:
    """Start a program in a process group of its own; it ends with this process.

    The thread that calls this must live as long as the program.

    Args:
        program: `planted` for one of ours, `planted_pipeline` or `planted_rebuild`.
        fault: a defect of that module, or `none`.
        arguments: those of the program.
        output: a file, to whose end the output goes.
        sources: the clone whose modules run.
    """
    paths = {}
    if sources != ROOT:
        imports = output.with_suffix(".imports")
        make_import_tree(sources, imports)
        paths = {"PYTHONPATH": f"{sources}{os.pathsep}{imports}"}
    command = [sys.executable, "-m", f"tests.chaos.{program}", str(os.getpid()), fault, *arguments]
    with output.open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=sources,
            env=plain_environment(**paths),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def signal_group(process: Process, number: signal.Signals) -> None:
    """Signal a program and all that it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def members(session: int) -> dict[int, str]:
    """Return the processes of a session: id → command line.

    The Python workers of Spark have a group of their own in their driver's session.
    """
    found = {}
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            with contextlib.suppress(OSError):
                if os.getsid(int(path.name)) == session:
                    line = (path / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(path.name)] = line.decode(errors="replace")
    return found


@dataclass(slots=True, kw_only=True)
class Gateway:
    """A gateway that can be killed and started again with the same ports."""

    name: str
    root: Path
    directory: Path
    fault: str = "none"
    more: Sequence[str] = ()
    is_node: bool = False
    """Whether it is one of a cluster."""
    sources: Path = ROOT
    """The clone whose modules it runs when it is started the next time."""
    pg_port: int = field(init=False)
    http_port: int = field(init=False)
    up_since_s: float | None = None
    """When it was ready; None while it is not, or may be dying."""
    floor: dict[str, dict[int, int]] = field(default_factory=dict)
    """Store → position that its answers have to reach, because there were such answers before."""
    _process: Process | None = None
    _lives: int = 0

    def __post_init__(self) -> None:
        self.pg_port, self.http_port = free_ports(2)

    @property
    def dsn(self) -> str:
        """Connection string of its Postgres wire."""
        return f"postgresql://chaos@127.0.0.1:{self.pg_port}/stategate?connect_timeout=5"

    @classmethod
    def cluster(
        cls, links: Links, root: Path, directory: Path, fault: str, sources: Path = ROOT
    ) -> list[Gateway]:
        """Return the nodes of one cluster, with two replicas of each partition."""
        return [
            cls(
                name=name,
                root=root,
                directory=directory,
                fault=fault,
                more=_set(
                    node=name, nodes=f"127.0.0.1:{port}", peers=links.peers(name), copies="2"
                ),
                sources=sources,
                is_node=True,
            )
            for name, port in links.ports.items()
        ]

    def start(self, floor: dict[str, dict[int, int]], *, fresh: bool = False) -> None:
        """Start it; with `fresh`, over empty replicas."""
        self._lives += fresh
        self.floor = floor
        arguments = [
            "stategate.gateway.main",
            "serve",
            "--root",
            str(self.root),
            "--http",
            f"127.0.0.1:{self.http_port}",
        ]
        arguments += ["--pg", f"127.0.0.1:{self.pg_port}", *self.more]
        arguments += ["--data", str(self.directory / f"{self.name}-data{self._lives}")]
        arguments += ["--set", "statement_timeout_ms=30000"]
        log = self.directory / f"{self.name}.log"
        self._process = start("planted", self.fault, arguments, log, sources=self.sources)

    @property
    def alive(self) -> bool:
        """Whether its process exists."""
        return self._process is not None and self._process.poll() is None

    def look(self) -> None:
        """Note whether it is ready by now."""
        if self.up_since_s is None and answers(f"http://127.0.0.1:{self.http_port}/readyz"):
            self.up_since_s = time.monotonic()

    def stop(self, number: signal.Signals, timeout_s: float = 30.0) -> int | None:
        """Signal it, and return its status; None if it did not end in time and was killed.

        Its workers must end by themselves when it is killed.
        """
        assert self._process is not None
        self.up_since_s = None
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)
        # It may be stopped, and a stopped process does not end.
        signal_group(self._process, signal.SIGCONT)
        status: int | None
        try:
            status = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            status = None
        deadline_s = time.monotonic() + timeout_s
        while status is not None and members(self._process.pid):
            if time.monotonic() > deadline_s:
                status = None
            time.sleep(0.05)
        signal_group(self._process, signal.SIGKILL)
        self._process.wait(timeout_s)
        return status

    def kill(self) -> None:
        """Kill it with its workers."""
        self.up_since_s = None
        if self._process is not None:
            signal_group(self._process, signal.SIGKILL)
            self._process.wait(30)

    def pause(self, number: signal.Signals) -> None:
        """Stop or continue it, with its workers."""
        self.up_since_s = None
        assert self._process is not None
        signal_group(self._process, number)


@dataclass(slots=True, kw_only=True)
class Driver:
    """One run of the pipeline's program, with its JVM and Python workers."""

    process: Process
    output: Path
    disturbed: bool = False
    """Whether something was done to it that may end it."""
    terminated: bool = False
    """Whether it was asked to end, with all it has started."""
    killed: bool = False
    """Whether we have ended it ourselves."""

    @staticmethod
    def start(arguments: Sequence[str], directory: Path, number: int, fault: str) -> Driver:
        """Start a driver, with an output file of its own."""
        output = directory / f"driver{number}.log"
        process = start("planted_pipeline", fault, arguments, output)
        return Driver(process=process, output=output)

    @property
    def alive(self) -> bool:
        """Whether its main process exists."""
        return self.process.poll() is None

    def kill(self) -> None:
        """Kill all of its processes."""
        self.killed = self.killed or self.alive
        signal_group(self.process, signal.SIGKILL)
        self.process.wait(30)

    def kill_part(self, wanted: Callable[[str], bool]) -> bool:
        """Kill its newest process with such a command line; return whether there was one."""
        found = [pid for pid, line in sorted(members(self.process.pid).items()) if wanted(line)]
        if not found:
            return False
        self.disturbed = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(found[-1], signal.SIGKILL)
        return True

    def signal(self, number: signal.Signals) -> None:
        """Signal all of its processes."""
        self.disturbed = True
        signal_group(self.process, number)

    def terminate(self) -> None:
        """Ask all of its processes to end, as a service manager does."""
        self.terminated = True
        signal_group(self.process, signal.SIGTERM)

    def said(self) -> str:
        """Return the lines of its output that are no progress."""
        text = self.output.read_text(errors="replace")
        return "\n".join(line for line in text.splitlines() if not line.startswith('{"store"'))

    @property
    def has_committed(self) -> bool:
        """Whether it has committed an epoch."""
        return '{"store"' in self.output.read_text(errors="replace")


def _set(**given: str) -> list[str]:
    """Return the arguments that give settings."""
    return [text for name, value in given.items() for text in ("--set", f"{name}={value}")]


def is_jvm(line: str) -> bool:
    """Whether a command line is that of a driver's JVM."""
    return "org.apache.spark.deploy.SparkSubmit" in line


def is_python_worker(line: str) -> bool:
    """Whether a command line is that of the Python workers of tasks."""
    return "pyspark.daemon" in line
