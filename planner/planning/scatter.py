"""The queries of an access for given parameters.

A `Scatter` is made for each run of a statement, by a function that is made once for its plan. That
function does all the work that does not depend on the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from stategate.planner.binding.domains import Domain, domain_reader, sortable
from stategate.planner.binding.predicates import Condition, Disjunct, OneOf
from stategate.planner.planning.access import Access, partitions_in
from stategate.planner.planning.filters import (
    Allowed,
    Keep,
    MaskOf,
    Test,
    batch_filter,
    column_types,
    row_test,
    rows_mask,
)
from stategate.planner.planning.key_regions import Region, RegionReader, merged
from stategate.planner.planning.partition_queries import PartitionQueries, Route, Target, few_keys
from stategate.planner.planning.row_path import ROWS_MAX
from stategate.planner.planning.whole_keys import whole_keys
from stategate.stores.codec.rows import row_getter
from stategate.stores.spec.query import FewKeysQuery, Order
from stategate.stores.spec.schema import Row, StoreKind, StoreSchema
from stategate.stores.spec.windows import WindowKeyQuery

_WITH_KEYS = {StoreKind.KEYVALUE, StoreKind.GLOBAL}
"""Kinds that answer a `FewKeysQuery`; a third party's may not."""


class KeyReads(Struct, frozen=True):
    """Keys to look up."""

    targets: Sequence[tuple[int, FewKeysQuery]]
    """Each partition and its query."""
    row_of: Callable[[Row], Row]
    """Takes the columns of the read out of those of a row."""


class Scatter(Struct, frozen=True, kw_only=True):
    """The queries of an access for given parameters."""

    access: Access
    targets: Sequence[Target] = ()
    keys: KeyReads | None = None
    """Reads of few keys, which take the place of `targets`; None without such reads."""
    allowed: Sequence[Allowed] | None = None
    """The predicate that rows must meet; None if all rows that are read meet it."""
    tested: tuple[str, ...] = ()
    """The columns of the rows if they must meet the predicate."""
    enough: int | None = None
    """The number of rows that are needed; None for all."""

    def batch_filter(self) -> Keep | None:
        """Return the function that keeps rows that meet the predicate; None if all rows do."""
        access = self.access
        if self.allowed is None:
            return None
        return batch_filter(access.schema, self.allowed, access.columns)

    def rows_mask(self) -> MaskOf | None:
        """Return the function that tells which rows meet the predicate; None if all do."""
        if self.allowed is None:
            return None
        return rows_mask(column_types(self.access.schema), self.allowed)

    def row_test(self) -> Test | None:
        """Return the function that tells whether a row meets the predicate; None if all meet it."""
        if self.allowed is None:
            return None
        return row_test(self.access.schema, self.allowed, self.tested)

    def left_of(self, rows: list[Row]) -> list[Row]:
        """Return the rows that meet the predicate, of rows as they are read."""
        test = self.row_test()
        return rows if test is None else list(filter(test, rows))


def scatterer(access: Access, route: Route, *, by_key: bool = False) -> Callable[[Row], Scatter]:
    """Return the function from the parameters to the queries; none if no row can match.

    It raises QueryError if a parameter does not have its declared type, and CodecError if one
    cannot be a key.

    Args:
        access: the read of one relation.
        route: gives the partition of a key.
        by_key: whether to ask for the rows of few whole keys, if rows have all columns of the read.
    """
    schema, top = access.schema, access.top
    readers = [_DisjunctReader(schema, each) for each in access.predicate.disjuncts]
    exact, inexact = (_queries(access, is_exact=is_exact) for is_exact in (True, False))
    every = frozenset(range(schema.partitions))
    first = top or access.by_time
    limits = access.limit if first is None else first.limits
    held = 1 if top is not None and top.held is not None else 0
    row_of = _key_row_getter(access) if by_key else None
    nothing, tested = Scatter(access=access), access.decoded(is_exact=False)
    look_up = None if first or limits else _lookups(access, route, row_of)

    def scatter(parameters: Row) -> Scatter:
        found = None if look_up is None else look_up(parameters)
        if found is not None:
            return found
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
        allowed = None if is_exact else _all_allowed(schema, parts, parameters)
        enough = None if limits is None else limits.enough(parameters)
        if row_of is not None and len(disjoint) == 1 and _are_few_keys(disjoint[0]):
            of_keys = few_keys(disjoint[0].keys, schema, route)
            if wanted is not every:
                of_keys = [target for target in of_keys if target[0] in wanted]
            reads = KeyReads(of_keys, row_of)
            return Scatter(access=access, keys=reads, allowed=allowed, tested=tested, enough=enough)
        queries, limit = (exact, enough) if is_exact else (inexact, None)
        if limit is not None:
            limit += held
        targets = queries.targets(disjoint[0], route, limit)
        for region in disjoint[1:]:
            targets += queries.targets(region, route, limit)
        if wanted is not every:
            targets = [target for target in targets if target[0] in wanted]
        return Scatter(
            access=access, targets=targets, allowed=allowed, tested=tested, enough=enough
        )

    return scatter


def _lookups(
    access: Access, route: Route, row_of: Callable[[Row], Row] | None
) -> Callable[[Row], Scatter | None] | None:
    """Return the function from the parameters to lookups of few whole keys.

    None if there are other conditions. The function returns None for many keys.

    Args:
        access: what is read.
        route: gives the partition of a key.
        row_of: takes the columns of the read out of a row; None to ask for no rows of keys.
    """
    disjuncts = access.predicate.disjuncts
    if len(disjuncts) != 1:
        return None
    if row_of is not None:
        return _row_lookups(access, route, row_of)
    return _window_lookups(access, route) if access.schema.kind is StoreKind.WINDOW else None


def _row_lookups(
    access: Access, route: Route, row_of: Callable[[Row], Row]
) -> Callable[[Row], Scatter | None] | None:
    """Return `_lookups` of rows by their keys; they may be tested for other conditions."""
    schema, (disjunct,) = access.schema, access.predicate.disjuncts
    names = {column.name for column in schema.key}
    # A condition on a key column and others is passed to `whole_keys`, which then declines.
    others = [c for c in disjunct if names.isdisjoint(c.columns)]
    keys_of = whole_keys(schema, tuple([c for c in disjunct if c not in others]), ())
    if keys_of is None:
        return None
    domains_of = domain_reader(others) if others else None
    tested, nothing = access.decoded(is_exact=False), Scatter(access=access)

    def look_up(parameters: Row) -> Scatter | None:
        found = keys_of(parameters)
        if found is None:
            return None
        allowed = None
        if domains_of is not None:
            domains = domains_of(parameters)
            if domains is None:
                return nothing
            allowed = [_allowed(others, domains, parameters)]
        if not found.keys:
            return nothing
        reads = KeyReads(few_keys(found.keys, schema, route), row_of)
        return Scatter(access=access, keys=reads, allowed=allowed, tested=tested)

    return look_up


def _window_lookups(access: Access, route: Route) -> Callable[[Row], Scatter | None] | None:
    """Return `_lookups` of the windows of keys."""
    schema, (disjunct,) = access.schema, access.predicate.disjuncts
    exact, tested = (access.decoded(is_exact=is_exact) for is_exact in (True, False))
    keys_of = whole_keys(schema, disjunct, tested)
    if keys_of is None:
        return None

    def look_up(parameters: Row) -> Scatter | None:
        found = keys_of(parameters)
        if found is None:
            return None
        time, columns = found.time, exact if found.allowed is None else tested
        targets = [
            (route(key), WindowKeyQuery(key=key, time=time, columns=columns)) for key in found.keys
        ]
        return Scatter(access=access, targets=targets, allowed=found.allowed, tested=tested)

    return look_up


def _are_few_keys(region: Region) -> bool:
    return 0 < len(region.keys) <= ROWS_MAX and not region.intervals


def _key_row_getter(access: Access) -> Callable[[Row], Row] | None:
    """Return a function that takes the columns of a read out of a row; None if a column is missing.

    As in rows of streams, columns of the predicate follow those of the access.
    """
    schema = access.schema
    stored = [column.name for column in (*schema.key, *schema.value)]
    wanted = access.decoded(is_exact=False)
    if schema.kind not in _WITH_KEYS or not set(wanted).issubset(stored):
        return None
    return row_getter([stored.index(name) for name in wanted])


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
    """The read of one disjunct for given parameters."""

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
    found = [_allowed(part.disjunct, part.domains, parameters) for part in parts]
    if len(parts) == 1 and parts[0].region.keys:
        # The read has only these keys.
        return [found[0].without({column.name for column in schema.key})]
    return found


def _allowed(
    conditions: Sequence[Condition], domains: Mapping[str, Domain], parameters: Row
) -> Allowed:
    rows = tuple(
        [
            (c, frozenset(tuple(map(sortable, row)) for row in c.values(parameters)))
            for c in conditions
            if isinstance(c, OneOf)
        ]
    )
    return Allowed(domains=domains, rows=rows)
