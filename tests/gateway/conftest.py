"""The fake engine behind an application without a socket, and behind a process with one."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator

import httpx
import pytest
from starlette.applications import Starlette

from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.gateway.http.metrics.committed_epochs import CommittedEpochs
from stategate.gateway.http.metrics.exposition import Metrics
from stategate.gateway.http.metrics.sources import Node
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from tests.support.fake_engine import FakeEngine
from tests.support.process import ROOT, plain_environment
from tests.support.waiting import WAIT_S


@pytest.fixture(scope="session", autouse=True)
def _engines_share_a_process(shared_process: None, patient_reads: None) -> None:
    """Use them in all tests of this folder."""


@pytest.fixture
def engine() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def threads() -> Iterator[StatementThreads]:
    made = StatementThreads(count=2, queue_max=8)
    yield made
    made.close()


STORES: list[dict[str, object]] = [
    {"name": "clicks", "kind": "keyvalue", "replicas": [{"partition": 0, "state": "running"}]}
]


@pytest.fixture
def services(engine: FakeEngine, threads: StatementThreads) -> Services:
    return Services(
        engine=engine,
        threads=threads,
        settings=Settings(chunk_bytes=16 << 10),
        describe_stores=lambda: STORES,
        not_ready=list,
    )


@pytest.fixture
def make_metrics(threads: StatementThreads) -> Iterator[Callable[[Node], Metrics]]:
    """Return a function that makes metrics of a node; they are closed at the end."""
    with contextlib.ExitStack() as closing:

        def make(node: Node) -> Metrics:
            made = Metrics(node, threads=threads, epochs=CommittedEpochs(wait_s=0.2))
            closing.callback(made.close)
            return made

        yield make


@pytest.fixture
def app(services: Services) -> Starlette:
    return create_app(services)


@pytest.fixture
async def client(app: Starlette) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as made:
        yield made


@pytest.fixture
def anyio_backend() -> str:
    """Return the event loop that the gateway runs on."""
    return "asyncio"


class FakeGateway:
    """A process that serves the fake engine over real sockets."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.gateway.fake_gateway", *arguments],
            cwd=ROOT,
            env=plain_environment(**environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def line(self) -> str:
        """Return the next line that the process prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def url(self) -> str:
        """Wait until it listens; return its URL."""
        return self.line().removeprefix("HTTP on ")

    def end(self, number: signal.Signals | None = None) -> tuple[int, str, str]:
        """Send a signal; return the exit status and the rest of the output."""
        if number is not None:
            self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=WAIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        return self.process.returncode, out, err


@pytest.fixture
def start_gateway() -> Iterator[Callable[..., FakeGateway]]:
    """Return a function that starts fake gateways; those that still run are ended."""
    started: list[FakeGateway] = []

    def start(*arguments: str, **environment: str) -> FakeGateway:
        started.append(FakeGateway(*arguments, **environment))
        return started[-1]

    yield start
    for each in started:
        if each.process.poll() is None:
            each.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A fake gateway for all tests of a module."""
    gateway = FakeGateway()
    yield gateway.url()
    assert gateway.end(signal.SIGTERM)[0] == 0
