"""What is known to be wrong, and so is left out of the short form that `make test` runs.

Each entry names a feature of the grammar, or a form of `tests.fuzz.expressions` by its text, and
says what is wrong with it. An entry goes when the defect does. `make fuzz` leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Mapping

OPEN: Mapping[str, str] = {}
