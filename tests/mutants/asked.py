"""A statement that mutants are asked, and the answer that it must have."""

from __future__ import annotations

from dataclasses import dataclass

from tests.planner.postgres.corpus import Answer

CORPUS, BULK, FUZZ = "corpus", "corpus without the row path", "fuzz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A statement and the answer that it must have."""

    kind: str
    sql: str
    answer: Answer | None = None
    is_ordered: bool = False
