"""The kinds of reads that each run must have checked, and who makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.chaos.answers import Answers
from tests.chaos.reads.held import CursorReader, PageReader, TagReader, TransactionReader
from tests.chaos.reads.live import SseReader, WireLiveReader
from tests.chaos.reads.pipelines import (
    BatchReader,
    HttpPipeline,
    TokenReader,
    TypedReader,
    WirePipeline,
)
from tests.chaos.reads.questions import ALL, PLAIN, WRITTEN
from tests.chaos.reads.reader import Reader
from tests.chaos.reads.statements import HttpStatements, WireStatements

_KEYED = ("latest", "totals")

READERS: Mapping[str, Sequence[type[Reader]]] = {
    "lookups in pipelines": (WirePipeline, HttpPipeline),
    "IN": (HttpStatements, WireStatements),
    "ranges": (HttpStatements, WireStatements),
    "windows": (HttpStatements, WireStatements),
    "composed": (HttpStatements, WireStatements),
    "joins": (HttpStatements, WireStatements),
    "cursors": (CursorReader,) * 3,
    "transactions": (TransactionReader,) * 4,
    "pages": (PageReader,) * 2,
    "ETags": (TagReader,),
    "batches": (BatchReader,) * 2,
    "typed queries": (TypedReader,),
    # Each event is one read, and most are of an epoch.
    "live by SSE": (SseReader,) * 12,
    "live by wire": (WireLiveReader,) * 12,
    "tokens between gateways": (TokenReader,) * 2,
}
"""Kind → who reads so."""
STORES: Mapping[str, Sequence[str]] = {"pages": _KEYED, "joins": _KEYED}
"""Kind → the stores that it is asked of, if not of all."""
KINDS = (PLAIN, WRITTEN, ALL, *READERS)
"""Those of which every run must have enough."""
_LEAST, _IN_S = 1_000, 1_200.0
_JUDGED_S = 120.0
"""Of a shorter run the pipeline may be down for most of the time."""


def least_reads(seconds: float) -> int:
    """Return how many reads of each kind a run must have checked."""
    return int(_LEAST * seconds / _IN_S)


def too_few(answers: Answers, seconds: float) -> None:
    """Note a violation for each kind of which too few reads were checked in so many seconds."""
    if seconds < _JUDGED_S:
        return
    least = least_reads(seconds)
    for kind in KINDS:
        if answers.checked[kind] < least:
            said = f"{kind}: {answers.checked[kind]} of {least} in {seconds:.0f} s"
            answers.violate("too few reads were checked", said)
