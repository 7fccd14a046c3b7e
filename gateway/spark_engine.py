"""The Spark engine of a gateway, made in the background: its libraries take seconds to import."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from stategate.gateway.errors import SettingsError
from stategate.gateway.settings import Settings
from stategate.stores.errors import EngineError
from stategate.stores.spec.query_engine import EngineRun, EngineStatement, EngineStatus, QueryEngine

logger = logging.getLogger(__name__)

_PACKAGES = ("pyspark", "pandas", "grpc", "grpc_status", "google.rpc", "zstandard")
"""What Spark's client for Spark Connect imports."""


class _Made(QueryEngine, Protocol):
    def close(self) -> None: ...


class BackgroundEngine:
    """An engine that takes statements once it has been made.

    Args:
        make: makes and starts the engine.
    """

    def __init__(self, make: Callable[[], _Made]) -> None:
        self._make, self._lock = make, threading.Lock()
        self._engine: _Made | None = None
        self._error: str | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._start, name="spark-start", daemon=True)
        self._thread.start()

    @property
    def status(self) -> EngineStatus:
        """Whether it takes statements now."""
        engine = self._engine
        if engine is not None:
            return engine.status
        return EngineStatus(state="failed" if self._error else "starting", error=self._error)

    def run(self, statement: EngineStatement) -> EngineRun:
        """Begin a statement.

        Raises:
            EngineError: it takes none now.
        """
        engine = self._engine
        if engine is None:
            raise EngineError(
                "the Spark engine is not running",
                sqlstate="57P03",
                detail=self._error or "It is starting.",
                hint="Retry later, or SET stategate.engine = 'local'.",
            )
        return engine.run(statement)

    def close(self) -> None:
        """End the engine."""
        with self._lock:
            self._closed = True
            engine = self._engine
        if engine is not None:
            engine.close()

    def _start(self) -> None:
        try:
            made = self._make()
        except Exception as error:  # the gateway serves without it
            self._error = str(error) or type(error).__name__
            logger.exception("the spark engine does not start")
            return
        with self._lock:
            self._engine = made
            closed = self._closed
        if closed:
            made.close()


def open_spark(settings: Settings) -> BackgroundEngine | None:
    """Return the engine that the settings name; None without one.

    Raises:
        SettingsError: its packages are not installed.
    """
    if not settings.spark_remote:
        return None
    missing = [name for name in _PACKAGES if not _is_installed(name)]
    if missing:
        raise SettingsError(
            f'setting "spark_remote" needs packages that are missing: {", ".join(missing)}',
            hint="Install them: pip install 'stategate[engine]'.",
        )

    def make() -> _Made:
        from stategate.stores.spark.engine import SparkEngine, SparkEngineConfig  # noqa: PLC0415 - slow

        engine = SparkEngine(
            SparkEngineConfig(
                remote=settings.spark_remote,
                root=_absolute(settings.root),
                statements_max=settings.spark_statements_max,
                memory_mb=settings.spark_memory_bytes >> 20,
                shuffle_partitions=settings.spark_tasks,
                start_timeout_s=settings.spark_start_timeout_ms / 1000,
            )
        )
        engine.start()
        return engine

    return BackgroundEngine(make)


def _absolute(root: str) -> str:
    """Return a root that means the same in other processes, which run in other directories."""
    return root if "://" in root else str(Path(root).absolute())


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # its parent is missing
        return False
