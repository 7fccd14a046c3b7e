"""How the definition of a store may change: which columns the new one takes from the old one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from stategate.stores.errors import SchemaError
from stategate.stores.spec.datatypes import DataType
from stategate.stores.spec.schema import Column, StoreKind, StoreSchema
from stategate.stores.types.kinds import Kind

_DIGITS = {Kind.TINYINT: 3, Kind.SMALLINT: 5, Kind.INTEGER: 10, Kind.BIGINT: 19}
_WIDER = {
    Kind.TINYINT: frozenset({Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.REAL, Kind.DOUBLE}),
    Kind.SMALLINT: frozenset({Kind.INTEGER, Kind.BIGINT, Kind.REAL, Kind.DOUBLE}),
    Kind.INTEGER: frozenset({Kind.BIGINT, Kind.DOUBLE}),
    Kind.REAL: frozenset({Kind.DOUBLE}),
}
_FIXED = ("name", "kind", "window_size_ms", "by_event_time")
"""The parts of a definition that no rebuild changes: they say what the old rows mean."""
_DIFFERENCES_MAX = 8
"""Differences that a message names."""


def widens(old: DataType, new: DataType) -> bool:
    """Whether every value of the old type has exactly one equal value of the new type.

    Integers widen to larger integers, to decimals with enough digits before the point, and to
    floats that hold them exactly; decimals to decimals with as many digits on both sides.
    """
    if old == new or new.kind in _WIDER.get(old.kind, ()):
        return True
    if new.kind is not Kind.DECIMAL:
        return False
    whole = new.precision - new.scale
    if old.kind in _DIGITS:
        return whole >= _DIGITS[old.kind]
    is_decimal = old.kind is Kind.DECIMAL
    return is_decimal and new.scale >= old.scale and whole >= old.precision - old.scale


@dataclass(frozen=True, slots=True, kw_only=True)
class Redefinition:
    """A store's old definition, its new one, and the old column of each new one."""

    before: StoreSchema
    after: StoreSchema
    sources: Mapping[str, str]
    """New column → old column, for key and value columns; added columns are left out."""

    @property
    def moves_rows(self) -> bool:
        """Whether rows may change their partition."""
        keys = [(self.sources[column.name], column.type) for column in self.after.key]
        return self.before.partitions != self.after.partitions or keys != [
            (column.name, column.type) for column in self.before.key
        ]

    @property
    def joins_keys(self) -> bool:
        """Whether two rows may get the same key."""
        kept = {self.sources[column.name] for column in self.after.key}
        return any(column.name not in kept for column in self.before.key)


def redefinition(
    before: StoreSchema, after: StoreSchema, renamed: Mapping[str, str] | None = None
) -> Redefinition:
    """Return how a store gets another definition.

    Columns may be added to the value, widened, renamed, dropped and put in another order. Columns
    may move between key and value, the number of partitions and the retention may change.

    Args:
        before: the old definition.
        after: the new one; its inputs are those of the old one, and so are comments where it
            has None.
        renamed: new name → old name.

    Raises:
        SchemaError: the rows of the old definition do not tell what they would be under the new
            one; or the definitions do not differ.
    """
    name = before.name
    for part in _FIXED:
        if getattr(before, part) != getattr(after, part):
            raise SchemaError(
                f'the {part.replace("_", " ")} of store "{name}" cannot change: build another store'
            )
    old = {column.name: column for column in (*before.key, *before.value)}
    new = {column.name: column for column in (*after.key, *after.value)}
    given = dict(renamed or {})
    for now, was in given.items():
        if was not in old or now not in new:
            missing = was if was not in old else now
            raise SchemaError(f'store "{name}" has no column "{missing}" to rename "{was}" with')
    sources = {n: given.get(n, n) for n in new if given.get(n, n) in old}
    after = replace(
        after,
        key=_commented(after.key, sources, old),
        value=_commented(after.value, sources, old),
        comment=merged_comment(before.comment, after.comment),
    )
    taken = list(sources.values())
    if twice := [was for was in taken if taken.count(was) > 1]:
        raise SchemaError(f'two columns of store "{name}" would be the old column "{twice[0]}"')
    for now, was in sources.items():
        if not widens(old[was].type, new[now].type):
            raise SchemaError(
                f'column "{now}" of store "{name}" cannot change from {old[was].type} to '
                f"{new[now].type}: only wider types can hold all its values"
            )
    _check_columns(before, after, sources)
    inputs = before.inputs
    found = Redefinition(before=before, after=replace(after, inputs=inputs), sources=sources)
    if found.moves_rows:
        # Partitions of inputs feed other partitions of the store than before.
        inputs = tuple(replace(topic, aligned=False) for topic in inputs)
        found = replace(found, after=replace(after, inputs=inputs))
    if not given and found.after == before:
        raise SchemaError(f'store "{name}" has this definition already')
    return found


def widened(before: StoreSchema, given: StoreSchema) -> Redefinition | None:
    """Return how a store gets the further columns and wider types of a given definition.

    Args:
        before: the store's definition.
        given: the definition that its writer has now.

    Returns:
        None if they differ in their inputs, comments and the order of value columns at most.

    Raises:
        SchemaError: they differ in more, which a program must not decide by itself.
    """
    ordered = replace(before, value=given.value)
    if set(before.value) == set(given.value) and ordered.means_same(given):
        return None
    names = {column.name for column in given.value}
    lacking = [column.name for column in before.value if column.name not in names]
    if lacking:
        raise SchemaError(
            f'store "{before.name}" has a column "{lacking[0]}", which its writer does not have: '
            "drop or rename it with stategate rebuild"
        )
    for part in ("key", "partitions", "retention_ms", "not_null"):
        if getattr(before, part) != getattr(given, part):
            raise SchemaError(
                f'store "{before.name}" is defined with another {part.replace("_", " ")}: change '
                "it with stategate rebuild"
            )
    return redefinition(before, given)


def differences(before: StoreSchema, after: StoreSchema) -> str:
    """Return in words what a definition has in place of another: columns, key, partitions, ….

    It is empty if rows, keys and partitions are the same. A renamed column is one that is missing,
    and a further one.
    """
    old, new = ({each.name: each.type for each in (*s.key, *s.value)} for s in (before, after))
    found = [f"without column {name}" for name in old if name not in new]
    found += [f"with column {name} {kind}" for name, kind in new.items() if name not in old]
    found += [
        f"column {name} is {kind}, not {old[name]}"
        for name, kind in new.items()
        if name in old and kind != old[name]
    ]
    keys = [", ".join(column.name for column in each.key) for each in (before, after)]
    found += [f"the key is ({keys[1]})"] if keys[0] != keys[1] else []
    if before.partitions != after.partitions:
        found.append(f"{after.partitions} partitions, not {before.partitions}")
    if before.retention_ms != after.retention_ms:
        kept = "forever" if after.retention_ms is None else f"for {after.retention_ms} ms"
        found.append(f"rows are kept {kept}")
    found += [f"column {name} is NOT NULL" for name in sorted(after.not_null - before.not_null)]
    found += [f"column {name} may be NULL" for name in sorted(before.not_null - after.not_null)]
    more = len(found) - _DIFFERENCES_MAX
    return "; ".join(found[:_DIFFERENCES_MAX]) + (f"; {more} more" if more > 0 else "")


def merged_comment(old: str | None, new: str | None) -> str | None:
    """Return a comment after a change: None keeps the old one, an empty text removes it."""
    return old if new is None else new or None


def _commented(
    columns: tuple[Column, ...], sources: Mapping[str, str], old: Mapping[str, Column]
) -> tuple[Column, ...]:
    return tuple(
        replace(each, comment=merged_comment(old[sources[each.name]].comment, each.comment))
        if each.name in sources
        else each
        for each in columns
    )


def _check_columns(before: StoreSchema, after: StoreSchema, sources: Mapping[str, str]) -> None:
    old = [column.name for column in before.key]
    if added := sorted(after.not_null - sources.keys()):
        raise SchemaError(
            f'column "{added[0]}" of store "{before.name}" cannot be added as NOT NULL: the rows '
            "do not have it"
        )
    for column in after.key:
        if column.name not in sources:
            raise SchemaError(
                f'column "{column.name}" of store "{before.name}" cannot be added to its key: the '
                "rows do not have it"
            )
    remembers = before.by_event_time or before.kind is StoreKind.VERSIONED
    if remembers and {sources[column.name] for column in after.key} != {*old}:
        raise SchemaError(
            f'the key of store "{before.name}" cannot get or lose a column: its deletions are '
            "kept by key. Build another store"
        )


def changed_columns(
    schema: StoreSchema,
    *,
    add: Mapping[str, DataType] | None = None,
    drop: Collection[str] = (),
    rename: Mapping[str, str] | None = None,
    widen: Mapping[str, DataType] | None = None,
    key: tuple[str, ...] | None = None,
    not_null: Collection[str] = (),
    nullable: Collection[str] = (),
) -> tuple[StoreSchema, dict[str, str]]:
    """Return a definition with changed columns, and its renamed columns, new name → old name.

    Args:
        schema: the definition.
        add: the types of new value columns, by name.
        drop: columns to leave out, by their old names.
        rename: old name → new name.
        widen: new types, by the columns' old names.
        key: the columns of the key, by their new names; None for the same ones.
        not_null: columns that are NOT NULL from now on, by their new names.
        nullable: columns that may be NULL from now on, by their new names.

    Raises:
        SchemaError: a column does not exist, or the columns do not make a store.
    """
    add, rename, widen = add or {}, rename or {}, widen or {}
    known = {column.name for column in (*schema.key, *schema.value)}
    drop = frozenset(drop)
    if missing := sorted({*drop, *rename, *widen} - known):
        raise SchemaError(f'store "{schema.name}" has no column "{missing[0]}"')
    # An added column of that name would be taken for the old one, with its values.
    if both := sorted(drop & {*rename, *widen, *add}):
        raise SchemaError(f'column "{both[0]}" cannot be dropped and kept: rebuild the store twice')
    columns = {
        rename.get(each.name, each.name): replace(
            each, name=rename.get(each.name, each.name), type=widen.get(each.name, each.type)
        )
        for each in (*schema.key, *schema.value)
        if each.name not in drop
    }
    if len(columns) < len(known) - len(drop) or columns.keys() & add.keys():
        raise SchemaError(f'store "{schema.name}" would have two columns of one name')
    columns |= {name: Column(name=name, type=data_type) for name, data_type in add.items()}
    if key is None:
        key = tuple(rename.get(c.name, c.name) for c in schema.key if c.name not in drop)
    if unknown := [name for name in key if name not in columns]:
        raise SchemaError(f'store "{schema.name}" has no column "{unknown[0]}"')
    kept = {rename.get(name, name) for name in schema.not_null - drop}
    if unknown := sorted({*not_null, *nullable} - columns.keys()):
        raise SchemaError(f'store "{schema.name}" has no column "{unknown[0]}"')
    changed = replace(
        schema,
        not_null=frozenset(kept - {*nullable} | {*not_null}),
        key=tuple(columns[name] for name in key),
        value=tuple(column for name, column in columns.items() if name not in key),
    )
    return changed, {new: old for old, new in rename.items()}
