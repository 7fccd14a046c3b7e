"""Count the rows of a store as they are read."""

from __future__ import annotations

from msgspec.structs import replace
from sqlglot import exp

from stategate.planner.planning.draft import Draft
from stategate.planner.planning.plan import Count
from stategate.planner.trees.known_arguments import known_node
from stategate.stores.spec.schema import BIGINT, Column


def count_rows(draft: Draft) -> Draft:
    """Answer `SELECT count(*)` of one store without DuckDB; no value is decoded.

        SELECT count(*) FROM people

        compose SELECT COUNT(*) AS "count" FROM "r0" AS "people"
          r0: scan people; columns _partition; on 3 partitions
    →
        count
          scan people; columns _partition; on 3 partitions
    """
    plain, bound = draft.plain, draft.bound
    if plain is None or not plain.is_whole or not _is_count(plain.tree):
        return draft
    names = bound.names()
    name = plain.tree.expressions[0].alias_or_name if names is None else names[0]
    return replace(
        draft,
        node=Count(access=replace(draft.access, columns=("_partition",))),
        columns=(Column(name=name, type=BIGINT),),
        origins=(None,),
    )


def _is_count(select: exp.Select) -> bool:
    inner = known_node(select.expressions[0].unalias()) if len(select.expressions) == 1 else None
    return isinstance(inner, exp.Count) and isinstance(inner.this, exp.Star)
