"""Where the rows of a predicate are in a store, before and after the parameters are known.

Before, a `StaticRead` says of each disjunct whether it is read by lookups, ranges or a scan.
Afterwards, its `Region` has the keys, intervals of keys, and times. The regions of several
disjuncts are merged, so that no row is in two.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct, structs

from stategate.planner.binding.domains import (
    Domain,
    Span,
    hull,
    interval_after,
    place_of,
    span_of,
    united,
)
from stategate.planner.binding.predicates import (
    IN_LIST_MAX,
    Condition,
    Disjunct,
    Equals,
    OneOf,
    Predicate,
    describe_condition,
)
from stategate.planner.planning.time_ranges import EVER, Times, disjoint, hull_of, times_of
from stategate.stores.spec.query import Interval
from stategate.stores.spec.schema import Key, Row, StoreSchema

PREFIXES_MAX = 64
"""Maximum number of prefixes that are read one by one; more are read as one range."""


class Region(Struct, frozen=True, kw_only=True):
    """Whole keys and intervals of keys, and the times for which to read them."""

    keys: tuple[Key, ...] = ()
    intervals: tuple[Interval, ...] = ()
    times: Times = EVER
    is_exact: bool = True
    """Whether every row in it meets the disjunct."""


class _Path(NamedTuple):
    """The key columns that a disjunct fixes, from the first on."""

    at: int
    prefixes: tuple[Key, ...]
    used: frozenset[int]
    """The conditions that the prefixes apply, by their index in the disjunct."""


_NO_PATH = _Path(0, ((),), frozenset())


class RegionReader:
    """Finds the region of one disjunct for any parameters.

    Args:
        schema: the definition of the store.
        disjunct: the conditions.
    """

    __slots__ = ("_alone", "_has_times", "_names", "_rows", "_schema", "_undecided")

    def __init__(self, schema: StoreSchema, disjunct: Disjunct) -> None:
        self._schema = schema
        self._names = [column.name for column in schema.key]
        times = {column.name for column in schema.time_columns}
        self._has_times = any(not times.isdisjoint(c.columns) for c in disjunct)
        self._rows = [(i, c) for i, c in enumerate(disjunct) if isinstance(c, OneOf)]
        self._alone = {
            name: frozenset(i for i, c in enumerate(disjunct) if c.columns == (name,))
            for name in self._names
        }
        beside = {"_partition", *times}
        undecided = (i for i, c in enumerate(disjunct) if not beside.issuperset(c.columns))
        self._undecided = frozenset(undecided)

    def read(self, domains: Mapping[str, Domain], parameters: Row) -> Region | None:
        """Return the region for these parameters and their domains; None if no key is in it."""
        times = times_of(self._schema, domains) if self._has_times else EVER
        if not times.boxes:
            return None
        paths = self._paths(domains, parameters)
        at, prefixes, used = paths[-1]
        if not prefixes:
            return None
        if at == len(self._names):
            exact = times.is_exact and self._undecided <= used
            return Region(keys=prefixes, times=times, is_exact=exact)
        if len(prefixes) > PREFIXES_MAX:
            at, prefixes, used = next(p for p in reversed(paths) if len(p.prefixes) <= PREFIXES_MAX)
        following = self._names[at]
        domain = domains.get(following)
        if domain is not None and domain.values is not None:
            domain = hull(domain)
        elif domain is not None:
            used = used | self._alone[following]
        # No domain is empty, so no interval is.
        intervals = tuple([interval_after(prefix, domain) for prefix in prefixes])
        exact = times.is_exact and self._undecided <= used
        return Region(intervals=intervals, times=times, is_exact=exact)

    def _paths(self, domains: Mapping[str, Domain], parameters: Row) -> list[_Path]:
        """Return ever longer prefixes of the key, up to the first column that is not fixed."""
        paths = [_NO_PATH]
        while paths[-1].at < len(self._names):
            path = paths[-1]
            grown = self._by_rows(path, domains, parameters) if self._rows else None
            grown = grown or self._by_column(path, domains)
            if grown is None:
                break
            paths.append(grown)
        return paths

    def _by_column(self, path: _Path, domains: Mapping[str, Domain]) -> _Path | None:
        name = self._names[path.at]
        domain = domains.get(name)
        fixed = None if domain is None else domain.fixed
        if fixed is None or len(fixed) * len(path.prefixes) > IN_LIST_MAX:
            return None
        if path.at == 0:
            prefixes = tuple(zip(fixed))
        else:
            prefixes = tuple([(*prefix, value) for prefix in path.prefixes for value in fixed])
        return _Path(path.at + 1, prefixes, path.used | self._alone[name])

    def _by_rows(self, path: _Path, domains: Mapping[str, Domain], parameters: Row) -> _Path | None:
        """Extend a path by rows of a list: `(a, b) IN ((1, 2), (3, 4))`."""
        for number, condition in self._rows:
            width = len(condition.columns)
            wanted = self._names[path.at : path.at + width]
            if set(wanted) != set(condition.columns):
                continue
            places = [condition.columns.index(name) for name in wanted]
            allowed = [frozenset(domains[name].values or ()) for name in wanted]
            listed = [tuple([row[i] for i in places]) for row in condition.values(parameters)]
            rows = [
                row
                for row in listed
                if all(value in held for value, held in zip(row, allowed, strict=True))
            ]
            if len(rows) * len(path.prefixes) > IN_LIST_MAX:
                continue
            prefixes = tuple([(*prefix, *row) for prefix in path.prefixes for row in rows])
            used = path.used.union({number}, *(self._alone[name] for name in wanted))
            return _Path(path.at + width, prefixes, used)
        return None


def merged(schema: StoreSchema, regions: Sequence[Region]) -> tuple[Region, ...]:
    """Return regions with the same rows, each row in one of them only."""
    if len(regions) < 2:
        return tuple(regions)
    if schema.time_columns:
        return _merged_timed(schema, regions)
    spans = _joined([span_of(each) for region in regions for each in region.intervals])
    starts = [span.start for span in spans]
    keys = dict.fromkeys(key for region in regions for key in region.keys)
    alone = tuple(key for key in keys if not _is_within(key, spans, starts))
    exact = all(region.is_exact for region in regions)
    intervals = tuple(span.interval for span in spans)
    return (Region(keys=alone, intervals=intervals, is_exact=exact),)


def _joined(spans: list[Span]) -> list[Span]:
    found: list[Span] = []
    for span in sorted(spans, key=lambda span: span.start):
        if found and span.start <= found[-1].stop:
            found[-1] = united(found[-1], span)
        else:
            found.append(span)
    return found


def _is_within(key: Key, spans: Sequence[Span], starts: Sequence[object]) -> bool:
    place = place_of(key)
    at = bisect.bisect_right(starts, place) - 1  # type: ignore[type-var] # places compare
    return at >= 0 and place < spans[at].stop


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A span, its region, and the key if the span is a single key."""

    span: Span
    region: Region
    key: Key | None = None


def _merged_timed(schema: StoreSchema, regions: Sequence[Region]) -> tuple[Region, ...]:
    """Merge overlapping keys and spans; their times are united too."""
    pieces = [_Piece(span=span_of(each), region=r) for r in regions for each in r.intervals]
    pieces += [
        _Piece(span=span_of(Interval(lower=key, upper=key)), region=r, key=key)
        for r in regions
        for key in r.keys
    ]
    groups: list[tuple[Span, list[_Piece]]] = []
    for piece in sorted(pieces, key=lambda piece: piece.span.start):
        if groups and piece.span.start < groups[-1][0].stop:
            span, members = groups[-1]
            groups[-1] = (united(span, piece.span), [*members, piece])
        else:
            groups.append((piece.span, [piece]))
    return tuple(_group(schema, span, members) for span, members in groups)


def _group(schema: StoreSchema, span: Span, pieces: Sequence[_Piece]) -> Region:
    exact = all(piece.region.is_exact for piece in pieces)
    boxes = [box for piece in pieces for box in piece.region.times.boxes]
    if all(p.span.start == span.start and p.span.stop == span.stop for p in pieces):
        times = structs.replace(EVER, boxes=disjoint(boxes, schema.kind))
        # Times of sessions and versions are never exact, unless they include any time.
    else:
        times, exact = Times(boxes=(hull_of(boxes),)), False
    key = pieces[0].key
    if key is not None:
        return Region(keys=(key,), times=times, is_exact=exact)
    return Region(intervals=(span.interval,), times=times, is_exact=exact)


def fixed_columns(disjunct: Disjunct, schema: StoreSchema) -> int:
    """Return how many key columns a disjunct fixes, from the first on, for any parameters."""
    fixed = {c.column for c in disjunct if isinstance(c, Equals)}
    fixed |= {name for c in disjunct if isinstance(c, OneOf) for name in c.columns}
    names = [column.name for column in schema.key]
    return next((i for i, name in enumerate(names) if name not in fixed), len(names))


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticRead:
    """How a disjunct is read, whatever the parameters are."""

    name: str
    used: tuple[Condition, ...]
    left: tuple[Condition, ...]
    """Conditions that the queries do not apply; rows are filtered by them."""
    keys: int | None = None
    """The number of keys that are looked up, if known."""


def static_read(disjunct: Disjunct, schema: StoreSchema) -> StaticRead:
    """Return how a disjunct is read."""
    names = [column.name for column in schema.key]
    fixed = fixed_columns(disjunct, schema)
    following = names[fixed : fixed + 1]
    beside = {"_partition", *(column.name for column in schema.time_columns)}
    usable = {*names[:fixed], *following, *beside}
    used = tuple(c for c in disjunct if usable.issuperset(c.columns))
    used = tuple(sorted(used, key=lambda c: _rank(c, names, beside)))
    left = tuple(c for c in disjunct if c not in used)
    if fixed == len(names):
        return StaticRead(name="lookup", used=used, left=left, keys=_key_count(disjunct, names))
    reads = any(c.columns[0] != "_partition" for c in used)
    return StaticRead(name="range" if reads else "scan", used=used, left=left)


def _rank(condition: Condition, names: list[str], beside: set[str]) -> tuple[int, int]:
    column = condition.columns[0]
    if column in beside:
        return (2 if column == "_partition" else 1), 0
    return 0, names.index(column)


def _key_count(disjunct: Disjunct, names: list[str]) -> int | None:
    count = 1
    left = set(names)
    for condition in disjunct:
        if not left.issuperset(condition.columns):
            continue
        if isinstance(condition, OneOf):
            count *= len(condition.known or condition.rows)
        elif isinstance(condition, Equals):
            if any(operand.is_list for operand in condition.operands):
                return None
            count *= len(condition.operands) + condition.null
        left -= set(condition.columns)
    return count


def describe_reads(predicate: Predicate, reads: Sequence[StaticRead]) -> list[str]:
    """Return the conditions of the reads, and those that rows are filtered by."""
    if len(reads) == 1:
        parts = [_conjunction(reads[0].used)] if reads[0].used else []
        return parts + ([f"filter {_conjunction(reads[0].left)}"] if reads[0].left else [])
    parts = (
        [" or ".join(f"({_conjunction(r.used)})" for r in reads)]
        if all(r.used for r in reads)
        else []
    )
    if any(read.left for read in reads):
        parts.append("filter " + " or ".join(f"({_conjunction(d)})" for d in predicate.disjuncts))
    return parts


def _conjunction(conditions: Sequence[Condition]) -> str:
    return " and ".join(map(describe_condition, conditions))
