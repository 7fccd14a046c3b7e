"""PostgreSQL's functions that DuckDB lacks or computes otherwise, as macros.

Their names begin with `pg_sg_`. No statement can name them: `planner.postgres` puts the calls into
trees. DuckDB expands a macro where it is called, so a call costs what the macro's body costs.
"""

from __future__ import annotations

from planner.composing.functions.array_macros import ARRAY_MACROS
from planner.composing.functions.json_macros import JSON_MACROS
from planner.composing.functions.number_macros import NUMBER_MACROS
from planner.composing.functions.text_macros import TEXT_MACROS
from planner.composing.functions.time_macros import TIME_MACROS

MACROS: tuple[str, ...] = (
    *NUMBER_MACROS,
    *TIME_MACROS,
    *TEXT_MACROS,
    *ARRAY_MACROS,
    *JSON_MACROS,
)
"""`name(parameters) AS body`, in the order in which they are created: some use those above."""
