"""Return the rows of one store as they are read."""

from __future__ import annotations

from msgspec.structs import replace

from stategate.planner.planning.draft import Draft
from stategate.planner.planning.limits import LIMIT_PUSHED_MAX, Limits
from stategate.planner.planning.plan import Stream


def stream_rows(draft: Draft) -> Draft:
    """Return columns of a store's rows without DuckDB, up to the LIMIT.

    Rows in an order are merged from the partitions, if `read_first_rows` found a way to read them.

        SELECT name FROM people WHERE name > 'b' LIMIT 2

        compose SELECT "name" FROM "r0" AS "people" LIMIT 2
          r0: range people; name > 'b'; columns name; on 3 partitions
    →
        stream; limit 2
          range people; name > 'b'; any 2 rows; columns name; on 3 partitions
    """
    plain = draft.plain
    if plain is None or plain.projection is None or plain.limits is None:
        return draft
    access, names = draft.access, plain.projection.names
    if access.top is not None:
        used = tuple(dict.fromkeys((*names, *(name for name, _ in access.top.columns))))
        access = replace(access, columns=used)
    elif plain.tree.args.get("order"):
        return draft
    else:
        used = tuple(dict.fromkeys(names))
        access = replace(access, columns=used, limit=_pushed(plain.limits))
    projection = tuple(used.index(name) for name in names)
    node = Stream(access=access, projection=projection, limits=plain.limits)
    return draft.with_node(node, plain.source, plain.projection)


def _pushed(limits: Limits) -> Limits | None:
    """Return the limits of each read; None if all rows are read."""
    known = limits.constant
    return None if limits.rows is None or (known or 0) > LIMIT_PUSHED_MAX else limits
