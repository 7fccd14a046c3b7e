"""The distributions, built from copies of their folders, and installed into an environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.import_tree import TOPS
from tests.support.process import ROOT, plain_environment

PROJECTS: Mapping[str, Path] = {
    "stategate-client": ROOT / "gateway" / "client",
    "stategate-stores": ROOT / "stores",
    "stategate": ROOT,
}
"""Name of a distribution → the folder of its pyproject.toml, what it needs of ours before it."""
BUILD_TIMEOUT_S = 120.0
_COPIED = ("examples", "gateway", "planner", "stores", "pyproject.toml", "LICENSE")


def run(*command: str | Path, cwd: Path) -> str:
    """Run a program, and return its output."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=plain_environment(),
        capture_output=True,
        text=True,
        timeout=BUILD_TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """The wheel of each distribution, made of its sdist."""
    directory = tmp_path_factory.mktemp("wheels")
    clone = directory / "clone"
    clone.mkdir()
    for name in _COPIED:  # a build leaves files beside the sources
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build")
            shutil.copytree(source, clone / name, ignore=ignored)
        else:
            shutil.copy(source, clone / name)
    made = {}
    for name, folder in PROJECTS.items():
        built = directory / name
        command = (sys.executable, "-m", "build", "--no-isolation", "--outdir", built, ".")
        run(*command, cwd=clone / folder.relative_to(ROOT))
        (made[name],) = built.glob("*.whl")
    return made


class Environment:
    """A virtual environment that finds the libraries of this one, but nothing of ours.

    Args:
        directory: where it is made.
    """

    def __init__(self, directory: Path) -> None:
        venv.create(directory, with_pip=False, symlinks=True)
        self.python = directory / "bin" / "python"
        self.bin = directory / "bin"
        (packages,) = directory.glob("lib/python*/site-packages")
        # Its own .pth files are not read, so that the clone is not found.
        (packages / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def pip(self, *arguments: str | Path) -> str:
        """Run pip for this environment, without an index."""
        pip = (sys.executable, "-m", "pip", "--python", self.python, "--disable-pip-version-check")
        return run(*pip, *arguments, cwd=self.bin)

    def install(self, *wheels: Path) -> None:
        """Install wheels as they are: the libraries are there, and so is the clone, for pip."""
        self.pip("install", "--quiet", "--no-index", "--no-deps", "--ignore-installed", *wheels)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A user's project with folders and modules of our names."""
    project = tmp_path / "project"
    for name in (*TOPS, "tests", "examples"):
        (project / name).mkdir(parents=True)
        (project / name / "__init__.py").write_text("raise SystemExit('not this one')\n")
    return project


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(tmp_path / "environment")
