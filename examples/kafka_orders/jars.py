"""Fetches the jars of `jars.txt` from Maven Central: Spark's Kafka connector, and a broker.

    python examples/kafka_orders/jars.py [connector] [broker] [--to DIR]

It prints the path of each jar. A jar that is there already is not fetched again. MAVEN_CENTRAL
names another repository with the same files. No Maven is needed, only Python.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PINS = Path(__file__).with_name("jars.txt")
CENTRAL = "https://repo1.maven.org/maven2"
_TIMEOUT_S = 30
_AT_ONCE = 8
_TRIED_WITH = re.compile(r"tried with pyspark ([\d., ]*\d)")


class JarError(Exception):
    """A jar that cannot be had, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """One line of `jars.txt`."""

    sha256: str
    group: str
    artifact: str
    version: str

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.artifact}-{self.version}.jar"

    @property
    def path(self) -> str:
        """Its path in a Maven repository."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.name}"


def pinned(section: str) -> list[Jar]:
    """Return the jars of one section: `connector` or `broker`."""
    text = PINS.read_text()
    lines = text.partition(f"[{section}]\n")[2].partition("[")[0].split("\n")
    parts = [(sha256, *place.split(":")) for sha256, place in map(str.split, filter(None, lines))]
    return [Jar(sha256=s, group=g, artifact=a, version=v) for s, g, a, v in parts]


def tried_with() -> list[str]:
    """Return the versions of pyspark that the connector was tried with."""
    found = _TRIED_WITH.search(PINS.read_text())
    assert found is not None, f"{PINS.name} names the versions of pyspark"
    return found[1].split(", ")


def cache_directory() -> Path:
    """Return the directory that keeps the jars: `stategate/jars` in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "stategate" / "jars"


def missing(section: str, directory: Path | None = None) -> list[Jar]:
    """Return the jars of a section that are not in the directory yet."""
    directory = directory or cache_directory()
    return [jar for jar in pinned(section) if not (directory / jar.name).is_file()]


def paths(section: str, directory: Path | None = None) -> list[Path]:
    """Return the paths of the jars of a section, whether they are there or not."""
    return [(directory or cache_directory()) / jar.name for jar in pinned(section)]


def fetch(sections: Sequence[str], directory: Path | None = None) -> int:
    """Fetch the jars that are missing, and return their number.

    Raises:
        JarError: a jar cannot be had, or is another file than the pinned one.
    """
    directory = directory or cache_directory()
    directory.mkdir(parents=True, exist_ok=True)
    wanted = [jar for section in sections for jar in missing(section, directory)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _ in pool.map(lambda jar: _fetch(jar, directory), wanted):
            pass
    return len(wanted)


def _fetch(jar: Jar, directory: Path) -> None:
    url = f"{os.environ.get('MAVEN_CENTRAL', CENTRAL).rstrip('/')}/{jar.path}"
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as response:
            content: bytes = response.read()
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise JarError(f"{url} cannot be had: {error}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != jar.sha256:
        raise JarError(f"{url} has the SHA-256 {found}, not {jar.sha256} as {PINS.name} says")
    # Whole or not at all, also when several processes fetch it.
    with tempfile.NamedTemporaryFile(dir=directory, delete=False) as draft:
        draft.write(content)
    os.chmod(draft.name, 0o644)
    os.replace(draft.name, directory / jar.name)


def main() -> int:
    """Fetch the jars and print their paths."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("sections", nargs="*", default=["connector", "broker"])
    parser.add_argument("--to", type=Path, help="directory; by default one in the user's cache")
    args = parser.parse_args()
    try:
        fetch(args.sections, args.to)
    except JarError as error:
        print(error, file=sys.stderr)
        return 1
    for section in args.sections:
        print(*paths(section, args.to), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
