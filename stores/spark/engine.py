"""Runs statements on Spark, by Spark Connect: a session that is kept warm, and renewed when lost.

Each statement has a thread that talks to Spark, so that its client never waits for a server that
does not answer: an interrupted statement ends at once here, and Spark is told beside.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql.connect.client.retries import DefaultPolicy
from pyspark.sql.connect.session import SparkSession

from stategate.stores.errors import EngineError
from stategate.stores.spark.connect_errors import is_lost, is_stopped, said, unavailable
from stategate.stores.spark.connect_server import ConnectServer
from stategate.stores.spark.engine_run import StatementRun
from stategate.stores.spark.filters import encode_filters
from stategate.stores.spark.source import FORMAT, StateGateSource
from stategate.stores.spec.query_engine import EngineRelation, EngineStatement, EngineStatus, listed

logger = logging.getLogger(__name__)

_LOOK_S = 10.0
"""Time between two looks at an idle session; Spark drops one after an hour without any."""
_LISTENING_S = 0.2
_CLOSE_S = 3.0
"""How long the end of the engine waits for a server that does not answer."""
_ENDING_S = 2.0
"""How long of that its statements may take to end in Spark."""
_AGAIN_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Pauses before a session is tried again; the last one goes on."""
_RETRIES: Mapping[str, Any] = {"max_retries": 4, "initial_backoff": 50, "max_backoff": 2_000}
_CONF: Mapping[str, str] = {
    "spark.sql.ansi.enabled": "true",  # overflows and wrong casts are errors
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.groupByOrdinal": "false",  # a number is a value, not a column
    "spark.sql.orderByOrdinal": "false",
    "spark.sql.groupByAliases": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "50000",
    "spark.connect.progress.reportInterval": "200ms",  # an interrupt waits for the first task
    "spark.sql.connect.serverStacktrace.enabled": "false",
    "spark.sql.pyspark.jvmStacktrace.enabled": "false",
}
"""What gives our SQL its meaning, whatever the cluster's own settings are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkEngineConfig:
    """Where the engine runs, and its limits."""

    remote: str
    """`sc://host:port` of a Spark Connect server, or `local[n]` for one that is started here."""
    root: str
    """The state log, which Spark's tasks must reach by the same path or URI."""
    statements_max: int = 4
    """Statements at once."""
    memory_mb: int = 2048
    """Memory of the JVM that is started here, in MiB."""
    shuffle_partitions: int = 8
    """Tasks behind a join or GROUP BY."""
    start_timeout_s: float = 600.0
    """How long a Spark that is started here may take to listen: minutes, on a busy machine."""


class SparkEngine:
    """A `QueryEngine` by Spark Connect. Safe to use from many threads.

    Args:
        config: where it runs.
    """

    def __init__(self, config: SparkEngineConfig) -> None:
        self._config = config
        self._changed = threading.Condition()
        self._session: SparkSession | None = None
        self._server: ConnectServer | None = None
        self._error: str | None = None
        self._closed = self._is_stopped = False
        self._running: set[StatementRun] = set()
        self._statements = self._failures = self._sessions = 0
        self._thread = threading.Thread(target=self._keep, name="spark-engine", daemon=True)

    def start(self) -> None:
        """Begin to connect, in the background."""
        # Their errors are raised to us, too, and a statement that fails is no news for a log.
        for name in ("SQLQueryContextLogger", "pyspark.sql.connect.logging"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        warnings.filterwarnings("ignore", message=r"\[RETRIES_EXCEEDED\]")
        self._thread.start()

    @property
    def status(self) -> EngineStatus:
        """Whether it takes statements now."""
        with self._changed:
            state = "failed" if self._error else "starting"
            return EngineStatus(
                state="running" if self._session is not None else state,
                error=self._error,
                running=len(self._running),
                statements=self._statements,
                failures=self._failures,
                sessions=self._sessions,
            )

    def run(self, statement: EngineStatement) -> StatementRun:
        """Begin a statement.

        Raises:
            EngineError: there is no session now (57P03), or too many statements run (53300).
        """
        with self._changed:
            session = self._session
            if session is None:
                raise unavailable(self._error)
            if len(self._running) >= self._config.statements_max:
                raise EngineError(
                    f"the Spark engine runs {self._config.statements_max} statements already",
                    sqlstate="53300",
                    hint="Retry later.",
                )
            self._statements += 1
            run = StatementRun(session, statement, read=self._read, on_end=self._on_end)
            self._running.add(run)
        run.start()
        return run

    def close(self) -> None:
        """End all statements, and the server if it was started here."""
        with self._changed:
            self._closed = True
            running = tuple(self._running)
            self._changed.notify_all()
        for each in running:
            each.interrupt()
        if self._thread.is_alive():
            self._thread.join(_CLOSE_S)
        if self._server is not None:
            self._server.close()

    def _read(self, session: SparkSession, relation: EngineRelation) -> Any:
        """Return a relation as a DataFrame."""
        reader = session.read.format(FORMAT).option("root", self._config.root)
        reader = reader.option("columns", ",".join(relation.columns))
        partitions = relation.partitions if relation.epoch >= 0 else ()
        reader = reader.option("partitions", listed(partitions))
        if relation.epoch >= 0:
            reader = reader.option("epoch", str(relation.epoch))
        if filters := encode_filters(relation.filters):
            reader = reader.option("filters", filters)
        return reader.load(relation.store)

    def _on_end(self, run: StatementRun, error: BaseException | None) -> None:
        with self._changed:
            self._running.discard(run)
            if error is not None:
                self._failures += 1
                if is_lost(error) and run.session is self._session:
                    self._session = None
                    self._error = "the session is lost"
                    self._is_stopped = is_stopped(error)
            self._changed.notify_all()

    # The session

    def _keep(self) -> None:
        """Connect, look after the session, and connect again, until `close`."""
        attempt = 0
        while not self._closed:
            try:
                session = self._connect()
            except Exception as error:  # whatever failed, it may succeed later
                pause_s = _AGAIN_S[min(attempt, len(_AGAIN_S) - 1)]
                attempt += 1
                self._set(None, _reason(error, self._server))
                logger.warning("spark engine not connected error=%s", self._error)
                self._wait(pause_s, lambda: False)
                continue
            attempt = 0
            self._set(session, None)
            logger.info("spark engine connected")
            self._look_after(session)
            with self._changed:
                self._changed.wait_for(lambda: not (self._closed and self._running), _ENDING_S)
            with contextlib.suppress(Exception):
                session.client.close()
        self._set(None, "the engine is closed")

    def _connect(self) -> SparkSession:
        url = self._config.remote
        if url.startswith("local"):
            if self._server is not None and (self._is_stopped or not self._server.is_running):
                self._server.close()
                self._server = None
            if self._server is None and not self._closed:
                self._server = ConnectServer(
                    master=url,
                    memory_mb=self._config.memory_mb,
                    conf={"spark.sql.shuffle.partitions": str(self._config.shuffle_partitions)},
                )
            url = self._listening(self._server)
        builder: Any = SparkSession.builder
        session: SparkSession = builder.remote(url).create()
        try:
            self._prepare(session)
        except BaseException:
            session.client.close()
            raise
        self._is_stopped = False
        return session

    def _prepare(self, session: SparkSession) -> None:
        session.client.set_retry_policies([DefaultPolicy(**_RETRIES)])
        for name, value in _CONF.items():
            session.conf.set(name, value)
        session.conf.set("spark.sql.shuffle.partitions", str(self._config.shuffle_partitions))
        session.dataSource.register(StateGateSource)
        session.sql("SELECT 1").toArrow()  # compiles what every statement needs

    def _listening(self, server: ConnectServer | None) -> str:
        """Return the address of the server here, once it listens."""
        if server is None:
            raise EngineError("the engine is closed", sqlstate="57P03")
        until_s = time.monotonic() + self._config.start_timeout_s
        while server.is_running and not server.is_listening and not self._closed:
            if time.monotonic() > until_s:
                server.close()
                break
            self._wait(_LISTENING_S, lambda: False)
        if not server.is_running or self._closed:
            raise EngineError("Spark did not start", sqlstate="57P03")
        return server.url

    def _look_after(self, session: SparkSession) -> None:
        """Return once the session is lost, or the engine closed."""
        while True:
            self._wait(_LOOK_S, lambda: self._session is not session)
            if self._closed or self._session is not session:
                return
            try:
                session.conf.get("spark.sql.ansi.enabled")
            except Exception as error:  # as in `_keep`
                self._set(None, _reason(error, self._server))
                logger.warning("spark engine lost its session error=%s", self._error)
                return

    def _set(self, session: SparkSession | None, error: str | None) -> None:
        with self._changed:
            self._sessions += session is not None
            self._session, self._error = session, error
            self._changed.notify_all()

    def _wait(self, seconds: float, is_over: Callable[[], bool]) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or is_over(), seconds)


def _reason(error: Exception, server: ConnectServer | None) -> str:
    text = said(error)
    if server is not None and not server.is_running:
        last = server.output.strip().rpartition("\n")[2]
        return f"the Spark that was started here has ended: {last or text}"
    return text
