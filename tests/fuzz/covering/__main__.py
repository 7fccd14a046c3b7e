"""`python -m tests.fuzz.covering --seconds 600`: the coverage of `planner/` by `make fuzz` alone.

All arguments are those of the fuzz, but `--data DIRECTORY` before them, which keeps what was
reached: several runs with the same directory add up. The last line is the verdict; before it stand
the lines and branches that no case has reached, and the figure of each folder.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import coverage
import coverage.exceptions

from tests.support.process import ROOT

_CONFIGURATION = """
[run]
branch = true
source = planner
parallel = true
data_file = {directory}/coverage
disable_warnings = no-data-collected, module-not-measured, module-not-imported, couldnt-parse

[report]
show_missing = true
skip_covered = true
exclude_also =
    if TYPE_CHECKING:
    \\.\\.\\.$
"""


def _print_folders(measured: coverage.Coverage) -> None:
    for folder in sorted(path for path in (ROOT / "planner").iterdir() if path.is_dir()):
        with contextlib.suppress(coverage.exceptions.NoDataError), io.StringIO() as unread:
            part = measured.report(include=f"{folder}/*", file=unread)
            print(f"{part:6.1f} % of planner/{folder.name}")


def main(arguments: Sequence[str]) -> int:
    """Run the fuzz and report; return its status."""
    if arguments[:1] == ["--data"]:
        Path(arguments[1]).mkdir(parents=True, exist_ok=True)
        return _run(arguments[1], arguments[2:])
    with tempfile.TemporaryDirectory(prefix="stategate-covered-") as directory:
        return _run(directory, arguments)


def _run(directory: str, arguments: Sequence[str]) -> int:
    configuration = Path(directory, "coveragerc")
    configuration.write_text(_CONFIGURATION.format(directory=directory))
    path = [str(Path(__file__).parent), str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "COVERAGE_PROCESS_START": str(configuration),
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
    }
    command = [sys.executable, "-m", "tests.fuzz", *arguments]
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    measured = coverage.Coverage(config_file=str(configuration))
    measured.combine([directory], keep=True)
    total = measured.report()
    _print_folders(measured)
    print(f"coverage: {total:.1f} % of the branches and lines of planner/")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
