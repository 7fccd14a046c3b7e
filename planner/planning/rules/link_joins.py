"""Find the relations that can be read by the keys in another relation's rows."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from stategate.planner.binding.predicates import Equals
from stategate.planner.binding.pushdown import Pair
from stategate.planner.planning.access import Access
from stategate.planner.planning.draft import Draft
from stategate.planner.planning.key_regions import fixed_columns
from stategate.planner.planning.plan import Link, LinkedColumn, LinkedTime
from stategate.planner.values.comparison_bounds import fitter
from stategate.stores.spec.schema import TIMESTAMPTZ


def link_joins(draft: Draft) -> Draft:
    """Record which relations of a join can be looked up if the other side turns out to be small.

        SELECT o.name, p.age FROM orders o LEFT JOIN people p ON p.name = o.name WHERE o.paid

        compose …
          r0: scan orders; filter paid = true; columns name, paid; on 3 partitions
          r1: scan people; columns name, age; on 3 partitions
        residual o.paid
    →
        compose …
          r0: scan orders; filter paid = true; columns name, paid; on 3 partitions
          r1: scan people; columns name, age; on 3 partitions
            or lookup by name = r0.name, for at most 10000 keys
        residual o.paid
    """
    accesses = {name: each for name, each in draft.inputs if isinstance(each, Access)}
    names = {source.table: source.name for source in draft.bound.sources}
    found: list[Link] = []
    for source in draft.bound.sources:
        access = accesses.get(source.name)
        for compared in source.compared:
            by = names.get(compared.table)
            other = None if by is None else accesses.get(by)
            if by is None or access is None or other is None:
                continue
            link = _link(source.name, access, (by, other), compared.pairs)
            if link is not None:
                found.append(link)
    return replace(draft, links=tuple(found)) if found else draft


def _link(
    name: str, access: Access, other: tuple[str, Access], pairs: Sequence[Pair]
) -> Link | None:
    """Return the link between two relations; None if it fixes no key column and no time.

    Args:
        name: the relation to look up in.
        access: how it is read without the link.
        other: the other relation's name and access.
        pairs: how columns of the one compare with columns of the other.
    """
    by, theirs = other
    ours, given = access.schema.column_by_name, theirs.schema.column_by_name
    linked: dict[str, LinkedColumn] = {}
    for column, source in ((pair.column, pair.other) for pair in pairs if pair.operator == "="):
        fit = fitter(given[source].type, ours[column].type)
        if fit is not None and source in theirs.columns:
            linked.setdefault(
                column,
                LinkedColumn(column=column, other=source, other_type=given[source].type, fit=fit),
            )
    key = [column.name for column in access.schema.key]
    disjuncts = access.predicate.disjuncts
    if len(disjuncts) != 1:
        return None
    is_fixed = fixed_columns(disjuncts[0], access.schema) == len(key)
    fixed = {c.column for c in disjuncts[0] if isinstance(c, Equals)}
    reach = 0
    while reach < len(key) and (key[reach] in linked or key[reach] in fixed):
        reach += 1
    used = [linked[c] for c in key[:reach] if c in linked and c not in fixed and not is_fixed]
    timed = {column.name for column in access.schema.time_columns}
    times = tuple(
        LinkedTime(column=pair.column, operator=pair.operator, other=pair.other)
        for pair in pairs
        if pair.column in timed
        and given[pair.other].type == TIMESTAMPTZ
        and pair.other in theirs.columns
    )
    if not (used or (is_fixed and times)):
        return None
    is_whole = is_fixed or reach == len(key)
    return Link(name=name, by=by, columns=tuple(used), is_whole=is_whole, times=times)
