"""A Spark Connect server that this process starts for itself, on this machine only.

It ends with this process, however that ends: a shell between both waits for the end of its input,
which is a pipe from here. Clients need a token, since whoever reaches the server can run any code.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import pyspark

from stategate.stores.spark.session import use_java

logger = logging.getLogger(__name__)

_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
_HOST = "127.0.0.1"
_LINES_KEPT = 40
"""Lines of output that are kept for the report of a failure."""
_END_S = 5.0
"""How long the server may take to end before it is killed."""
_GUARD = """
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
trap 'kill $server' TERM INT
(cat <&3 >/dev/null; kill $server) 2>/dev/null &
wait $server
"""


class ConnectServer:
    """A server in a process of its own.

    Args:
        master: Spark's master, such as `local[2]`.
        memory_mb: memory of the JVM, in MiB.
        conf: further settings, by their names in Spark.

    Raises:
        JavaMissingError: no Java that Spark can run on was found.
        OSError: the process cannot be started.
    """

    def __init__(self, *, master: str, memory_mb: int, conf: Mapping[str, str]) -> None:
        use_java()
        self._directory = Path(tempfile.mkdtemp(prefix="stategate-spark-"))
        self._token = secrets.token_urlsafe(24)
        self._port = _free_port()
        self._lines: deque[str] = deque(maxlen=_LINES_KEPT)
        home = Path(pyspark.__file__).parent
        settings = {**self._settings(memory_mb), **conf}
        command = [str(home / "bin" / "spark-submit"), "--master", master]
        command += ["--driver-memory", f"{memory_mb}m", "--class", _CLASS]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "stategate-spark", *command, "spark-internal"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self._directory,
            env=self._environment(home),
            start_new_session=True,
            text=True,
            errors="replace",
        )
        threading.Thread(target=self._read_output, name="spark-output", daemon=True).start()

    @property
    def url(self) -> str:
        """The address for clients, with the token."""
        return f"sc://localhost:{self._port}/;token={self._token}"

    @property
    def is_listening(self) -> bool:
        """Whether clients can connect."""
        try:
            socket.create_connection((_HOST, self._port), timeout=1.0).close()
        except OSError:
            return False
        return True

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def output(self) -> str:
        """The last lines that the server has printed."""
        return "\n".join(self._lines)

    def close(self) -> None:
        """End the server, and remove its files."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # the guard ends the server
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _settings(self, memory_mb: int) -> Mapping[str, str]:
        return {
            # A Spark without memory goes on, but runs no statement: it is better to start again.
            "spark.driver.extraJavaOptions": "-XX:+ExitOnOutOfMemoryError -Xss4m",
            "spark.driver.maxResultSize": f"{memory_mb // 2}m",
            "spark.connect.grpc.binding.address": _HOST,
            "spark.connect.grpc.binding.port": str(self._port),
            # The name of the machine may not resolve, or its network may change.
            "spark.driver.host": _HOST,
            "spark.driver.bindAddress": _HOST,
            "spark.local.dir": str(self._directory),
            "spark.sql.warehouse.dir": str(self._directory / "warehouse"),
            # A Python process may start slowly on a busy machine.
            "spark.python.authenticate.socketTimeout": "100s",
            "spark.ui.enabled": "false",
            "spark.log.level": "WARN",
        }

    def _environment(self, home: Path) -> Mapping[str, str]:
        return {
            **os.environ,
            "SPARK_HOME": str(home),
            "SPARK_LOCAL_IP": _HOST,
            "SPARK_CONNECT_AUTHENTICATE_TOKEN": self._token,
            # Otherwise workers run the `python3` of the PATH, which may lack our packages.
            "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
        }

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.append(line.rstrip())
            logger.debug("spark: %s", line.rstrip())


def _free_port() -> int:
    with socket.socket() as found:
        found.bind((_HOST, 0))
        return int(found.getsockname()[1])
