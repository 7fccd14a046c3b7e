"""Builds the client's wheel from the clone, without the network."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.process import ROOT

CLIENT = ROOT / "gateway" / "client"
BUILD_TIMEOUT_S = 60.0
_BUILD = (
    "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
)


def build_client_wheel(directory: Path) -> Path:
    """Return a wheel of `stategate-client`, built in a directory.

    It is built from a copy, because a build leaves files beside the sources.
    """
    source = directory / "source"
    shutil.copytree(CLIENT, source, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", _BUILD, str(directory)],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=BUILD_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return directory / done.stdout.splitlines()[-1]


def client_digest() -> str:
    """Return a digest of the files that the wheel is built from."""
    found = hashlib.sha256()
    for path in sorted(CLIENT.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(f"{path.relative_to(CLIENT)}\n".encode() + path.read_bytes())
    return found.hexdigest()
