"""A folder from which Python imports a clone: `python -m tests.import_tree FOLDER`.

An installed clone needs none: setuptools maps the names below `stategate` to the folders at the top
of the clone. mypy does not ask setuptools, and a copy of the sources is not installed.
"""

import shutil
import sys
from pathlib import Path

from tests.support.process import ROOT

CLIENT = Path("gateway/client/stategate")
TOPS = ("gateway", "planner", "stores")


def make_import_tree(sources: Path, folder: Path) -> None:
    """Make a folder anew with the package `stategate`, as links to these sources."""
    shutil.rmtree(folder, ignore_errors=True)
    package = folder / "stategate"
    package.mkdir(parents=True)
    for path in (*(sources / CLIENT).iterdir(), *(sources / top for top in TOPS)):
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path.resolve())


if __name__ == "__main__":
    make_import_tree(ROOT, Path(sys.argv[1]))
