"""Write `planner/patterns/ranges.py`: PostgreSQL's classes of characters, asked of a server.

    python -m tests.planner.patterns.make_ranges "host=127.0.0.1 port=5499 user=postgres"

The database's `lc_ctype` must be C.UTF-8.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import psycopg

TARGET = Path(__file__).parents[3] / "planner/patterns/ranges.py"
_EVERY = "generate_series(1, 1114111) cp WHERE cp NOT BETWEEN 55296 AND 57343"
_CLASSES = ("alpha", "lower", "upper", "punct", "space", "print")
_HEADER = '''"""Classes of characters and their cases, as PostgreSQL has them by C.UTF-8.

Written by `tests/planner/patterns/make_ranges.py`. A class is the numbers of characters outside
and inside of it, in turn, to base 36. A case is (first, step, count, distance to the other case).
"""

from __future__ import annotations
'''


def runs(members: Iterable[int]) -> Iterator[int]:
    """Yield the lengths of the gaps and of the runs in turn."""
    at, start = 0, -1
    for each in members:
        if start < 0 or each != at:
            if start >= 0:
                yield at - start
            yield each - at
            start = each
        at = each + 1
    if start >= 0:
        yield at - start


def series(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (first, step, count, distance) of the series that make up a mapping."""
    at = 0
    while at < len(pairs):
        first, other = pairs[at]
        best = (1, 1)
        for step in (1, 2):
            count = 1
            while pairs[at + count : at + count + 1] == [
                (first + step * count, other + step * count)
            ]:
                count += 1
            best = max(best, (count, step))
        yield first, best[1], best[0], other - first
        at += best[0]


def digits(number: int) -> str:
    """Return a number to base 36."""
    text = ""
    while number or not text:
        number, last = divmod(number, 36)
        text = "0123456789abcdefghijklmnopqrstuvwxyz"[last] + text
    return text


def wrapped(words: Iterable[str]) -> Iterator[str]:
    """Yield lines of words."""
    line = ""
    for word in words:
        if len(line) + len(word) > 92:
            yield line
            line = ""
        line += word + " "
    yield line


def module(connection: psycopg.Connection) -> Iterator[str]:
    """Yield the lines of the module."""
    yield from _HEADER.splitlines()
    yield ""
    yield "CLASSES = {"
    for name in _CLASSES:
        found = connection.execute(f"SELECT cp FROM {_EVERY} AND chr(cp) ~ '[[:{name}:]]'")
        yield f'    "{name}": """'
        yield from wrapped(digits(each) for each in runs(cp for (cp,) in found))
        yield '""",'
    yield "}"
    yield '"""Name of a class → its runs."""'
    for name in ("lower", "upper"):
        query = f"SELECT cp, ascii({name}(chr(cp))) FROM {_EVERY} AND {name}(chr(cp)) <> chr(cp)"
        pairs = connection.execute(query).fetchall()
        found_series = list(series([(one, other) for one, other in pairs]))
        yield f'TO_{name.upper()} = """'
        yield from wrapped(":".join(map(str, each)) for each in found_series)
        yield '"""'
        yield f'"""The series of characters that have another one in {name} case."""'


if __name__ == "__main__":
    with psycopg.connect(sys.argv[1]) as postgres:
        lines = (line.rstrip() for line in module(postgres))
        TARGET.write_text("\n".join(lines) + "\n")
