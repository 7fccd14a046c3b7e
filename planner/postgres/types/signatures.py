"""The choice among the signatures of a PostgreSQL function for a call.

An argument whose type is open, a parameter or a bare text, takes its type from the signature. The
choice is PostgreSQL's. If it depends on a type that is not certain, no choice is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from stategate.planner.postgres.types.type_choice import mismatch, name_of
from stategate.planner.records.functions import RECORDS
from stategate.planner.records.record import Parameter, Signature
from stategate.planner.values.array_types import array_of, depth_of, leaf_of
from stategate.stores.spec.schema import TEXT, DataType, Kind

T = TypeVar("T")
OPEN = DataType(kind=Kind.NULL)
"""The type of an argument that takes its type from its context."""
_ARRAYS = {"anyarray", "anycompatiblearray"}
_STRICT = {"anyarray", "anyelement"}
"""Pseudo types that no text is taken for where nothing says what they are."""


SIGNATURES: Mapping[str, Sequence[Signature]] = {
    name: record.signatures for name, record in RECORDS.items() if record.signatures
}
"""The signatures of each function that has some."""

_NUMBERS = (Kind.SMALLINT, Kind.INTEGER, Kind.BIGINT, Kind.DECIMAL, Kind.REAL, Kind.DOUBLE)
_NUMERIC = frozenset({Kind.TINYINT, *_NUMBERS})
_FOREIGN = frozenset({Kind.MAP, Kind.STRUCT})
"""Kinds of values that PostgreSQL lacks."""
_IMPLICIT: dict[Kind, tuple[Kind, ...]] = {
    Kind.TINYINT: _NUMBERS,
    **{kind: _NUMBERS[at + 1 :] for at, kind in enumerate(_NUMBERS)},
    Kind.DATE: (Kind.TIMESTAMP, Kind.TIMESTAMPTZ),
    Kind.TIMESTAMP: (Kind.TIMESTAMPTZ,),
    Kind.TIME: (Kind.INTERVAL,),
}
"""PostgreSQL's implicit casts: the kinds that a kind becomes where they are needed."""
_CATEGORIES = {
    **dict.fromkeys(_NUMBERS, "number"),
    **dict.fromkeys((Kind.DATE, Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ), "time"),
    Kind.INTERVAL: "length",
    Kind.TEXT: "text",
    Kind.BOOLEAN: "boolean",
    Kind.ARRAY: "array",
}
_PREFERRED = {Kind.DOUBLE, Kind.TIMESTAMPTZ, Kind.INTERVAL, Kind.TEXT, Kind.BOOLEAN}
"""The preferred type of each category."""


def resolve(name: str, given: Sequence[DataType | None]) -> tuple[DataType | None, ...] | None:
    """Return the types of the parameters of the signature that a call means.

    Args:
        name: the function.
        given: the types of its arguments; `OPEN` for an open one, None for an unknown one.

    Returns:
        A type for each argument, None where it is not known; None if no signature fits, or several
        do.

    Source: PostgreSQL's manual, 10.3, Functions.
    """
    fitting = _candidates(name, given)
    return _concrete(fitting[0], given) if len(fitting) == 1 else None


def is_ambiguous(name: str, given: Sequence[DataType | None]) -> bool:
    """Return whether several signatures fit a call equally well; False if a type is not known."""
    return None not in given and len(set(_candidates(name, given))) > 1


def is_undetermined(name: str, given: Sequence[DataType | None]) -> bool:
    """Return whether no argument of a call says what the pseudo types of its signature are."""
    listed = [each for each in SIGNATURES.get(name, ()) if len(each) == len(given)]
    return bool(listed) and all(_asks_in_vain(signature, given) for signature in listed)


def _asks_in_vain(signature: Signature, given: Sequence[DataType | None]) -> bool:
    asked = [each for wanted, each in zip(signature, given, strict=True) if wanted in _STRICT]
    return bool(asked) and all(each == OPEN for each in asked)


def _candidates(name: str, given: Sequence[DataType | None]) -> list[Signature]:
    """Return the signatures that fit; the best of them if all types are known."""
    fitting = [
        signature
        for signature in SIGNATURES.get(name, ())
        if len(signature) == len(given) and all(map(_fits, given, signature))
    ]
    if len(fitting) > 1 and None not in given:
        fitting = _best(fitting, [each for each in given if each is not None])
    return fitting


def is_taken(name: str, given: Sequence[DataType | None], known: Sequence[DataType | None]) -> bool:
    """Whether a signature takes arguments of these types; functions without signatures take any.

    All numbers count as one type here, and values of types that PostgreSQL lacks as any.

    Args:
        name: the name of the function.
        given: the types; None for those of the catalog, which may become others, and for open ones.
        known: the types with those of the catalog.
    """
    every = RECORDS[name].forms if name in RECORDS else ()
    listed = [found for form in every for found in form.taking(len(given))]
    return not listed or any(
        all(map(_may_fit, given, signature)) and _agree(known, signature) for signature in listed
    )


def _agree(given: Sequence[DataType | None], wanted: Signature) -> bool:
    """Whether the arguments that are cast to one type have one."""
    names = [
        name_of(leaf_of(each) if pseudo == "anycompatiblearray" else each)
        for each, pseudo in zip(given, wanted, strict=True)
        if each is not None and str(pseudo).startswith("anycompatible")
    ]
    return mismatch(names) is None


def takes_exactly(signature: Signature, given: Sequence[DataType | None]) -> bool:
    """Whether a signature takes arguments of these types, None for open ones, by implicit casts."""
    return len(signature) == len(given) and all(map(_fits, given, signature))


def alike(name: str, given: Sequence[T]) -> list[T]:
    """Return the arguments of a call that are cast to one type: those of a pseudo type."""
    taken = next((s for s in SIGNATURES[name] if len(s) == len(given)), ())
    return [each for each, wanted in zip(given, taken, strict=False) if isinstance(wanted, str)]


def _may_fit(given: DataType | None, wanted: Parameter) -> bool:
    """Whether a parameter may take an argument of a type, if numbers are cast as need be."""
    if _fits(given, wanted):
        return True
    if given is None or isinstance(wanted, str):
        return given is not None and given.kind in _FOREIGN
    return given.kind in _FOREIGN or (given.kind in _NUMERIC and wanted.kind in _NUMERIC)


def _fits(given: DataType | None, wanted: Parameter) -> bool:
    """Whether a parameter takes an argument of a type."""
    if given is None or given == OPEN:
        return True
    if isinstance(wanted, str):
        return wanted not in _ARRAYS or given.kind is Kind.ARRAY
    if depth_of(given) and depth_of(wanted):
        return _fits(leaf_of(given), leaf_of(wanted))
    return _is_same(given, wanted) or wanted.kind in _IMPLICIT.get(given.kind, ())


def _is_same(given: DataType, wanted: Parameter) -> bool:
    """Whether a type is a parameter's; the digits of numerics do not count."""
    if isinstance(wanted, str):
        return False
    if depth_of(given) and depth_of(wanted):
        return _is_same(leaf_of(given), leaf_of(wanted))
    return given.kind is wanted.kind


def _best(fitting: list[Signature], given: list[DataType]) -> list[Signature]:
    known = [at for at, each in enumerate(given) if each != OPEN]
    exact = [s for s in fitting if all(_is_same(given[at], s[at]) for at in known)]
    if len(known) == len(given) and len(exact) == 1:
        return exact

    def most(count: list[int]) -> list[Signature]:
        return [s for s, n in zip(left, count, strict=True) if n == max(count)]

    left = fitting
    left = most([sum(_is_same(given[at], s[at]) for at in known) for s in left])
    left = most(
        [sum(_is_same(given[at], s[at]) or _is_preferred(s[at]) for at in known) for s in left]
    )
    for at in range(len(given)):
        if at not in known and len(left) > 1:
            left = _by_category(left, at)
    if len(left) > 1 and known and len({given[at].kind for at in known}) == 1:
        alike = given[known[0]]
        unknown = [at for at in range(len(given)) if at not in known]
        kept = [s for s in left if all(_fits(alike, s[at]) for at in unknown)]
        same = [s for s in kept if all(_is_same(alike, s[at]) for at in unknown)]
        left = same if len(same) == 1 else kept or left
    return left


def _is_preferred(wanted: Parameter) -> bool:
    return not isinstance(wanted, str) and wanted.kind in _PREFERRED


def _category(wanted: Parameter) -> str:
    return wanted if isinstance(wanted, str) else _CATEGORIES.get(wanted.kind, wanted.kind.value)


def _by_category(left: list[Signature], at: int) -> list[Signature]:
    """Return the signatures that PostgreSQL keeps for an open argument, by type category."""
    categories = {_category(signature[at]) for signature in left}
    chosen = "text" if "text" in categories else next(iter(categories))
    if len(categories) > 1 and chosen != "text":
        return left
    kept = [signature for signature in left if _category(signature[at]) == chosen]
    preferred = [signature for signature in kept if _is_preferred(signature[at])]
    return preferred or kept


def _concrete(
    signature: Signature, given: Sequence[DataType | None]
) -> tuple[DataType | None, ...]:
    """Return a signature's types, with pseudo types replaced by those of the arguments."""
    element: DataType | None = None
    for wanted, each in zip(signature, given, strict=True):
        if not isinstance(wanted, str) or each is None or each == OPEN:
            continue
        found_element = leaf_of(each) if wanted in _ARRAYS else each
        if element is None or found_element is None:
            element = element or found_element
        elif found_element.kind in _IMPLICIT.get(element.kind, ()):
            element = found_element  # an integer next to a bigint becomes a bigint
    is_told = element is not None or any(
        isinstance(wanted, str) and each is None
        for wanted, each in zip(signature, given, strict=True)
    )
    if not is_told and any(str(wanted).startswith("anycompatible") for wanted in signature):
        element = TEXT
    found: list[DataType | None] = []
    for wanted, each in zip(signature, given, strict=True):
        if not isinstance(wanted, str):
            found.append(wanted)
        elif element is None or wanted not in _ARRAYS:
            found.append(element)
        else:
            found.append(array_of(element, depth_of(each) or 1))
    return tuple(found)
