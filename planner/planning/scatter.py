"""The queries of an access for some parameters.

A `Scatter` is made for each run of a statement, by a function that is made once for its plan. That
function does all the work that does not depend on the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from planner.binding.domains import Domain, domain_reader, sortable
from planner.binding.predicates import Disjunct, OneOf
from planner.planning.access import Access, partitions_in
from planner.planning.filters import Allowed, Keep, Test, batch_filter, row_test
from planner.planning.key_regions import Region, RegionReader, merged
from planner.planning.partition_queries import PartitionQueries, Route, Target
from stores.spec.query import Order
from stores.spec.schema import Row, StoreSchema


class Scatter(Struct, frozen=True, kw_only=True):
    """The queries of an access for some parameters."""

    access: Access
    targets: Sequence[Target] = ()
    allowed: Sequence[Allowed] | None = None
    """The predicate that rows must meet; None if all rows that are read meet it."""
    enough: int | None = None
    """The number of rows that are needed; None for all."""

    def batch_filter(self) -> Keep | None:
        """Return the function that keeps rows that meet the predicate; None if all rows do."""
        access = self.access
        if self.allowed is None:
            return None
        return batch_filter(access.schema, self.allowed, access.columns)

    def row_test(self) -> Test | None:
        """Return the function that tells whether a row meets the predicate; None if all meet it."""
        if self.allowed is None:
            return None
        access = self.access
        return row_test(access.schema, self.allowed, access.decoded(is_exact=False))


def scatterer(access: Access, route: Route) -> Callable[[Row], Scatter]:
    """Return the function from the parameters to the queries; none if no row can match.

    It raises QueryError if a parameter does not have its declared type, and CodecError if one
    cannot be a key.
    """
    schema, top = access.schema, access.top
    readers = [_DisjunctReader(schema, each) for each in access.predicate.disjuncts]
    exact, inexact = (_queries(access, is_exact=is_exact) for is_exact in (True, False))
    every = frozenset(range(schema.partitions))
    first = top or access.by_time
    limits = access.limit if first is None else first.limits
    held = 1 if top is not None and top.held is not None else 0
    nothing = Scatter(access=access)

    def scatter(parameters: Row) -> Scatter:
        parts = [part for each in readers if (part := each.read(parameters)) is not None]
        if not parts:
            return nothing
        if len(parts) == 1:
            (only,) = parts
            disjoint: Sequence[Region] = (only.region,)
            wanted = every if only.partitions is None else only.partitions
            is_exact = only.region.is_exact
        else:
            disjoint = merged(schema, [part.region for part in parts])
            each_wanted = [every if p.partitions is None else p.partitions for p in parts]
            wanted = frozenset().union(*each_wanted)
            is_exact = all(p == wanted for p in each_wanted) and all(r.is_exact for r in disjoint)
        enough = None if limits is None else limits.enough(parameters)
        queries, limit = (exact, enough) if is_exact else (inexact, None)
        if limit is not None:
            limit += held
        targets = queries.targets(disjoint[0], route, limit)
        for region in disjoint[1:]:
            targets += queries.targets(region, route, limit)
        if wanted is not every:
            targets = [target for target in targets if target[0] in wanted]
        allowed = None if is_exact else _all_allowed(schema, parts, parameters)
        return Scatter(access=access, targets=targets, allowed=allowed, enough=enough)

    return scatter


def _queries(access: Access, *, is_exact: bool) -> PartitionQueries:
    top = access.top
    first = top or access.by_time
    return PartitionQueries(
        schema=access.schema,
        columns=access.decoded(is_exact=is_exact),
        order=Order.ASCENDING if first is None else first.order,
        split=None if top is None else top.split,
        only_ends=is_exact and access.ends is not None,
        is_by_time=access.by_time is not None,
    )


class _Part(Struct, frozen=True):
    """The read of one disjunct for some parameters."""

    disjunct: Disjunct
    domains: Mapping[str, Domain]
    region: Region
    partitions: frozenset[int] | None
    """The partitions that its conditions allow; None for all."""


class _DisjunctReader:
    """Finds the read of one disjunct for any parameters."""

    __slots__ = ("_disjunct", "_domains", "_has_partition", "_region", "_schema")

    def __init__(self, schema: StoreSchema, disjunct: Disjunct) -> None:
        self._schema, self._disjunct = schema, disjunct
        self._domains = domain_reader(disjunct)
        self._region = RegionReader(schema, disjunct).read
        self._has_partition = any("_partition" in each.columns for each in disjunct)

    def read(self, parameters: Row) -> _Part | None:
        """Return the read; None if no row can match."""
        domains = self._domains(parameters)
        region = None if domains is None else self._region(domains, parameters)
        if domains is None or region is None:
            return None
        partitions = None
        if self._has_partition:
            partitions = frozenset(partitions_in(domains.get("_partition"), self._schema))
        return _Part(self._disjunct, domains, region, partitions)


def _all_allowed(schema: StoreSchema, parts: Sequence[_Part], parameters: Row) -> list[Allowed]:
    found = [_allowed(part, parameters) for part in parts]
    if len(parts) == 1 and parts[0].region.keys:
        # The read has only these keys.
        return [found[0].without({column.name for column in schema.key})]
    return found


def _allowed(part: _Part, parameters: Row) -> Allowed:
    rows = tuple(
        (c, frozenset(tuple(map(sortable, row)) for row in c.values(parameters)))
        for c in part.disjunct
        if isinstance(c, OneOf)
    )
    return Allowed(domains=part.domains, rows=rows)
