"""Known defects, which the short form in `make test` leaves out.

Each entry names a feature of the grammar, or a form of `tests.fuzz.grammar.expressions` by its
text, and describes the defect. Remove an entry with its defect. `make fuzz` leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Mapping

OPEN: Mapping[str, str] = {}
