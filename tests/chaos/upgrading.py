"""Upgrades in a chaos run: nodes are restarted from the sources of another release, and back."""

from __future__ import annotations

import io
import subprocess
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.chaos.processes import Gateway
from tests.support.process import ROOT


class SourcesError(Exception):
    """Older sources cannot be had, and why."""


def sources_of(revision: str, directory: Path) -> Path:
    """Return the directory of a release's sources.

    Args:
        revision: a commit, a tag or a branch of this clone; or such a directory, by its path.
        directory: where the sources of a commit are written.

    Raises:
        SourcesError: there is neither.
    """
    given = Path(revision)
    if (given / "gateway" / "main.py").is_file():
        return given.resolve()
    archive = ["git", "archive", "--format=tar", f"{revision}^{{commit}}"]
    try:
        made = subprocess.run(archive, cwd=ROOT, capture_output=True, check=True)
    except FileNotFoundError as error:
        raise SourcesError("git is not installed; name a directory of older sources") from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.decode(errors="replace").strip()
        raise SourcesError(
            f"{revision} is neither a directory of sources nor a commit: {said}"
        ) from error
    found = directory / "older"
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as tar:
        tar.extractall(found, filter="data")
    return found


def upgrades(gateways: Sequence[Gateway], older: Path) -> Iterator[tuple[Gateway, str]]:
    """Yield the next node to restart, and what that is: all are upgraded, then all go back, ….

    Its sources are those that it has to be started from.
    """
    while True:
        for kind, sources in (("node upgraded", ROOT), ("node downgraded", older)):
            for gateway in gateways:
                gateway.sources = sources
                yield gateway, kind
