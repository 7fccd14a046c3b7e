"""Look up one key where the statement arrives."""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter

from msgspec.structs import replace

from stategate.planner.planning.access import Access
from stategate.planner.planning.draft import Draft
from stategate.planner.planning.limits import NO_LIMITS
from stategate.planner.planning.plan import Lookup
from stategate.stores.spec.schema import Row


def look_up_key(draft: Draft) -> Draft:
    """Read columns of one row, whose whole key the WHERE fixes, without another thread.

        SELECT age FROM people WHERE name = 'ann'

        stream
          lookup people; name = 'ann'; columns age; on 1 partition
    →
        inline lookup people; name = 'ann'; columns age; on 1 partition
    """
    plain = draft.plain
    if plain is None or plain.projection is None:
        return draft
    if plain.limits != NO_LIMITS or plain.tree.args.get("order"):
        return draft
    node = lookup_of(draft.access, plain.projection.names)
    return draft if node is None else draft.with_node(node, plain.source, plain.projection)


def lookup_of(access: Access, names: tuple[str, ...]) -> Lookup | None:
    """Return an access as a lookup; None if it reads in another way.

    Args:
        access: the read.
        names: the names of the columns to return.
    """
    operands = access.single_key
    stored = [c.name for c in (*access.schema.key, *access.schema.value)]
    if operands is None or not set(names).issubset(stored):
        return None
    return Lookup(
        access=replace(access, columns=tuple(dict.fromkeys(names))),
        operands=operands,
        project=_projector([stored.index(name) for name in names]),
    )


def _projector(places: list[int]) -> Callable[[Row], Row]:
    """Return a function that takes the values at these places out of a row."""
    if places == list(range(places[0], places[-1] + 1)):
        return itemgetter(slice(places[0], places[-1] + 1))
    return itemgetter(*places)
