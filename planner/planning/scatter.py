"""The queries of an access for some parameters.

A `Scatter` is made for each run of a statement, by a function that is made once for its plan. That
function does all the work that does not depend on the parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from planner.binding.domains import Domain, domain_reader, place_of, sortable
from planner.binding.predicates import Disjunct, OneOf
from planner.planning.access import Access, partitions_in
from planner.planning.filters import Allowed, Keep, MaskOf, Test, batch_filter, row_test, rows_mask
from planner.planning.key_regions import Region, RegionReader, merged
from planner.planning.partition_queries import PartitionQueries, Route, Target
from stores.codec.rows import row_getter
from stores.spec.query import KeyQuery, Order
from stores.spec.schema import Key, Row, StoreKind, StoreSchema

KEYS_MAX = 64
"""So many keys are asked one by one in the time of a few streams of them."""
_WITH_KEYS = {StoreKind.KEYVALUE, StoreKind.GLOBAL}
"""Kinds that answer a `KeyQuery`; a third party's may not."""


class KeyReads(Struct, frozen=True):
    """Single keys to look up."""

    targets: Sequence[tuple[int, KeyQuery]]
    """Each partition and its query."""
    row_of: Callable[[Row], Row]
    """Takes the columns of the read out of a key and its value."""


class Scatter(Struct, frozen=True, kw_only=True):
    """The queries of an access for some parameters."""

    access: Access
    targets: Sequence[Target] = ()
    keys: KeyReads | None = None
    """Reads of single keys, which take the place of `targets`; None if there are none."""
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

    def rows_mask(self) -> MaskOf | None:
        """Return the function that tells which rows meet the predicate; None if all do."""
        return None if self.allowed is None else rows_mask(self.access.schema, self.allowed)

    def row_test(self) -> Test | None:
        """Return the function that tells whether a row meets the predicate; None if all meet it."""
        if self.allowed is None:
            return None
        access = self.access
        return row_test(access.schema, self.allowed, access.decoded(is_exact=False))

    def left_of(self, rows: list[Row]) -> list[Row]:
        """Return the rows that meet the predicate, of rows as they are read."""
        test = self.row_test()
        return rows if test is None else list(filter(test, rows))


def scatterer(access: Access, route: Route, *, by_key: bool = False) -> Callable[[Row], Scatter]:
    """Return the function from the parameters to the queries; none if no row can match.

    It raises QueryError if a parameter does not have its declared type, and CodecError if one
    cannot be a key.

    Args:
        access: what is read.
        route: gives the partition of a key.
        by_key: whether to ask for few whole keys one by one, if the rows have what is read.
    """
    schema, top = access.schema, access.top
    readers = [_DisjunctReader(schema, each) for each in access.predicate.disjuncts]
    exact, inexact = (_queries(access, is_exact=is_exact) for is_exact in (True, False))
    every = frozenset(range(schema.partitions))
    first = top or access.by_time
    limits = access.limit if first is None else first.limits
    held = 1 if top is not None and top.held is not None else 0
    row_of = _key_row_getter(access) if by_key else None
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
        allowed = None if is_exact else _all_allowed(schema, parts, parameters)
        enough = None if limits is None else limits.enough(parameters)
        if row_of is not None and len(disjoint) == 1 and _are_few_keys(disjoint[0]):
            placed = [(route(key), key) for key in disjoint[0].keys]
            of_keys = [(at, KeyQuery(key=key)) for at, key in _in_order(placed) if at in wanted]
            found = KeyReads(of_keys, row_of)
            return Scatter(access=access, keys=found, allowed=allowed, enough=enough)
        queries, limit = (exact, enough) if is_exact else (inexact, None)
        if limit is not None:
            limit += held
        targets = queries.targets(disjoint[0], route, limit)
        for region in disjoint[1:]:
            targets += queries.targets(region, route, limit)
        if wanted is not every:
            targets = [target for target in targets if target[0] in wanted]
        return Scatter(access=access, targets=targets, allowed=allowed, enough=enough)

    return scatter


def _are_few_keys(region: Region) -> bool:
    return 0 < len(region.keys) <= KEYS_MAX and not region.intervals


def _in_order(keys: list[tuple[int, Key]]) -> list[tuple[int, Key]]:
    """Return keys by partition, then in the order in which streams have them."""
    try:
        return sorted(keys)
    except TypeError:  # some are NULL
        return sorted(keys, key=lambda placed: (placed[0], place_of(placed[1])))


def _key_row_getter(access: Access) -> Callable[[Row], Row] | None:
    """Return what takes the columns of a read out of a key and its value, if they have them all.

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
