"""Names of files in a store's directory, relative to it.

store.json                                 the definition
committed                                  empty: an epoch has been committed
epochs/<epoch, 20 digits>.json             the commit of an epoch, or a skip in its place
epochs/<number, 20 digits>.skip            empty: the record of this number may be a skip
terms/<term, 20 digits>.json               the writer that took the term
snapshots/<epoch, 20 digits>/commit.json   the record of a snapshot
"""

from __future__ import annotations

from collections.abc import Iterable

DEFINITION = "store.json"
COMMITTED = "committed"
"""An empty file, which shows that the store has had epochs if all their records are lost."""
_DIGITS = 20


def numbers_in(names: Iterable[str], suffix: str = "") -> set[int]:
    """Return the numbers of all names that are a number and this suffix."""
    stems = (name.removesuffix(suffix) for name in names if name.endswith(suffix))
    return {int(s) for s in stems if len(s) == _DIGITS and s.isascii() and s.isdigit()}


def commit_name(epoch: int) -> str:
    """Return the name of the record of an epoch."""
    return f"epochs/{epoch:0{_DIGITS}d}.json"


def skip_mark(number: int) -> str:
    """Return the name of the empty file that marks a number whose record may be a skip."""
    return f"epochs/{number:0{_DIGITS}d}.skip"


def term_name(term: int) -> str:
    """Return the name of the record of a term."""
    return f"terms/{term:0{_DIGITS}d}.json"


def snapshot_path(epoch: int) -> str:
    """Return the name of the directory of a snapshot."""
    return f"snapshots/{epoch:0{_DIGITS}d}"


def snapshot_name(epoch: int) -> str:
    """Return the name of the record of a snapshot."""
    return f"{snapshot_path(epoch)}/commit.json"
