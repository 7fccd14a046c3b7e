"""Where the rows of a predicate are in a store, before and after the parameters are known.

Before, a `StaticRead` tells for each disjunct whether it is read by lookups, ranges or a scan.
After, its `Region` has the keys, intervals of keys, and times. The regions of several disjuncts are
merged, so that no row is in two.
"""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct, structs

from planner.binding.domains import (
    Domain,
    Span,
    hull,
    interval_behind,
    place_of,
    span_of,
    united,
)
from planner.binding.predicates import (
    IN_LIST_MAX,
    Condition,
    Disjunct,
    Equals,
    OneOf,
    Predicate,
    describe_condition,
)
from planner.planning.time_ranges import EVER, Times, disjoint, hull_of, times_of
from stores.spec.query import Interval
from stores.spec.schema import Key, Row, StoreSchema

PREFIXES_MAX = 64
"""Maximum number of prefixes that are read one by one; more are read as one range."""


class Region(Struct, frozen=True, kw_only=True):
    """Whole keys and spans of keys, and the times to read of them."""

    keys: tuple[Key, ...] = ()
    spans: tuple[Span, ...] = ()
    times: Times = EVER
    is_exact: bool = True
    """Whether every row in it meets the disjunct."""


class _Path(Struct, frozen=True, kw_only=True):
    """The key columns that a disjunct fixes, from the first on."""

    at: int
    prefixes: tuple[Key, ...]
    used: frozenset[int]
    """The conditions that the prefixes decide, by their index in the disjunct."""


def region_of(
    schema: StoreSchema, disjunct: Disjunct, domains: Mapping[str, Domain], parameters: Row
) -> Region | None:
    """Return the region of one disjunct; None if no key can be in it."""
    times = times_of(schema, domains)
    if not times.boxes:
        return None
    paths = _paths(schema, disjunct, domains, parameters)
    last = paths[-1]
    if not last.prefixes:
        return None
    skipped = {"_partition", *(column.name for column in schema.time_columns)}
    undecided = {
        i for i, condition in enumerate(disjunct) if not skipped.issuperset(condition.columns)
    }
    if last.at == len(schema.key):
        exact = times.is_exact and undecided <= last.used
        return Region(keys=last.prefixes, times=times, is_exact=exact)
    path = next(path for path in reversed(paths) if len(path.prefixes) <= PREFIXES_MAX)
    behind = schema.key[path.at].name
    domain = domains.get(behind)
    used = path.used
    if domain is not None and domain.values is not None:
        domain = hull(domain)
    elif domain is not None:
        used = used | {i for i, c in enumerate(disjunct) if c.columns == (behind,)}
    spans = (span_of(interval_behind(prefix, domain)) for prefix in path.prefixes)
    found = tuple(span for span in spans if not span.is_empty)
    exact = times.is_exact and undecided <= used
    return Region(spans=found, times=times, is_exact=exact) if found else None


def _paths(
    schema: StoreSchema, disjunct: Disjunct, domains: Mapping[str, Domain], parameters: Row
) -> list[_Path]:
    """Return ever longer prefixes of the key, up to the first column that is not fixed."""
    names = [column.name for column in schema.key]
    paths = [_Path(at=0, prefixes=((),), used=frozenset())]
    while paths[-1].at < len(names):
        path = paths[-1]
        grown = _by_rows(path, names, disjunct, domains, parameters)
        grown = grown or _by_column(path, names[path.at], disjunct, domains)
        if grown is None:
            break
        paths.append(grown)
    return paths


def _by_column(
    path: _Path, name: str, disjunct: Disjunct, domains: Mapping[str, Domain]
) -> _Path | None:
    domain = domains.get(name)
    fixed = None if domain is None else domain.fixed
    if fixed is None or len(fixed) * len(path.prefixes) > IN_LIST_MAX:
        return None
    prefixes = tuple((*prefix, value) for prefix in path.prefixes for value in fixed)
    used = {i for i, condition in enumerate(disjunct) if condition.columns == (name,)}
    return _Path(at=path.at + 1, prefixes=prefixes, used=path.used | used)


def _by_rows(
    path: _Path,
    names: Sequence[str],
    disjunct: Disjunct,
    domains: Mapping[str, Domain],
    parameters: Row,
) -> _Path | None:
    """Extend a path by rows of a list: `(a, b) IN ((1, 2), (3, 4))`."""
    for number, condition in enumerate(disjunct):
        if not isinstance(condition, OneOf):
            continue
        width = len(condition.columns)
        wanted = names[path.at : path.at + width]
        if set(wanted) != set(condition.columns):
            continue
        places = [condition.columns.index(name) for name in wanted]
        allowed = [frozenset(domains[name].values or ()) for name in wanted]
        listed = [tuple(row[i] for i in places) for row in condition.values(parameters)]
        rows = [
            row
            for row in listed
            if all(value in held for value, held in zip(row, allowed, strict=True))
        ]
        if len(rows) * len(path.prefixes) > IN_LIST_MAX:
            continue
        prefixes = tuple((*prefix, *row) for prefix in path.prefixes for row in rows)
        used = {i for i, c in enumerate(disjunct) if len(c.columns) == 1 and c.columns[0] in wanted}
        return _Path(at=path.at + width, prefixes=prefixes, used=path.used | used | {number})
    return None


def merged(schema: StoreSchema, regions: Sequence[Region]) -> tuple[Region, ...]:
    """Return regions with the same rows, each row in one of them only."""
    if len(regions) < 2:
        return tuple(regions)
    if schema.time_columns:
        return _merged_timed(schema, regions)
    spans = _joined([span for region in regions for span in region.spans])
    starts = [span.start for span in spans]
    keys = dict.fromkeys(key for region in regions for key in region.keys)
    alone = tuple(key for key in keys if not _is_within(key, spans, starts))
    exact = all(region.is_exact for region in regions)
    return (Region(keys=alone, spans=tuple(spans), is_exact=exact),)


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
    pieces = [_Piece(span=span, region=r) for r in regions for span in r.spans]
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
    return Region(spans=(span,), times=times, is_exact=exact)


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
    """Conditions that the queries do not decide; rows are filtered by them."""
    keys: int | None = None
    """The number of keys that are looked up, if known."""


def static_read(disjunct: Disjunct, schema: StoreSchema) -> StaticRead:
    """Return how a disjunct is read."""
    names = [column.name for column in schema.key]
    fixed = fixed_columns(disjunct, schema)
    behind = names[fixed : fixed + 1]
    beside = {"_partition", *(column.name for column in schema.time_columns)}
    usable = {*names[:fixed], *behind, *beside}
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
