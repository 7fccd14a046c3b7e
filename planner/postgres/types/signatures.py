"""The signatures of PostgreSQL's functions, and the choice among them for a call.

An argument whose type is open, a parameter or a bare text, takes its type from the signature. The
choice is PostgreSQL's. If it depends on a type that is not certain, no choice is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from stores.spec.schema import TEXT, DataType, Kind
from stores.types.kinds import BY_NAME

_TABLE = """
    anyarray: array_dims array_ndims array_to_json cardinality unnest
    anyelement: first_value lag last_value lead
    bigint: abs avg bit_and bit_or bit_xor factorial stddev stddev_pop stddev_samp sum to_hex
      var_pop var_samp variance
    boolean: bool_and bool_or every
    bytea: bit_count bit_length length md5 octet_length sha256
    date: isfinite
    double: abs acos acosh asin asinh atan atanh avg cbrt ceil ceiling cos cosh cot degrees exp
      floor ln log log10 radians round sign sin sinh sqrt stddev stddev_pop stddev_samp sum tan
      tanh to_timestamp trunc var_pop var_samp variance
    integer: abs avg bit_and bit_or bit_xor chr make_interval ntile stddev stddev_pop
      stddev_samp sum to_hex var_pop var_samp variance
    interval: avg isfinite justify_days justify_hours justify_interval sum
    json: json_array_elements json_array_elements_text json_array_length json_object_keys
      json_strip_nulls json_typeof jsonb_array_elements jsonb_array_elements_text
      jsonb_array_length jsonb_object_keys jsonb_pretty jsonb_strip_nulls jsonb_typeof
    numeric: abs avg ceil ceiling exp floor ln log log10 round sign sqrt stddev stddev_pop
      stddev_samp sum trunc var_pop var_samp variance
    real: abs avg stddev stddev_pop stddev_samp sum var_pop var_samp variance
    smallint: abs avg bit_and bit_or bit_xor stddev stddev_pop stddev_samp sum var_pop var_samp
      variance
    text: ascii bit_length btrim char_length character_length current_setting format initcap
      length lower ltrim md5 normalize octet_length parse_ident quote_ident quote_literal
      quote_nullable reverse rtrim upper
    timestamp: age date isfinite
    timestamptz: age date isfinite
    anyarray boolean: array_to_json
    anyarray integer: array_length array_lower array_upper generate_subscripts trim_array
    anyarray text: array_to_string
    anycompatible anycompatiblearray: array_prepend width_bucket
    anycompatiblearray anycompatible: array_append array_position array_positions array_remove
    anycompatiblearray anycompatiblearray: array_cat
    anyelement integer: lag lead nth_value
    anyelement integer[]: array_fill
    bigint bigint: gcd generate_series lcm mod
    bigint text: to_char
    bytea bytea: btrim ltrim position rtrim string_agg
    bytea integer: substr substring
    bytea text: convert_from encode length
    double anyelement: percentile_disc
    double double: atan2 corr covar_pop covar_samp percentile_cont pow power regr_avgx regr_avgy
      regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
    double interval: percentile_cont
    double text: to_char
    double[] anyelement: percentile_disc
    double[] double: percentile_cont
    integer integer: gcd generate_series lcm make_interval mod
    integer text: to_char
    interval text: to_char
    interval timestamp: timezone
    interval timestamptz: timezone
    numeric integer: round trunc
    numeric numeric: div gcd generate_series lcm log mod pow power
    numeric text: to_char
    real text: to_char
    smallint smallint: mod
    text boolean: current_setting parse_ident
    text date: date_part
    text integer: left lpad repeat right rpad substr substring
    text interval: date_part date_trunc
    text text: btrim decode ltrim normalize position regexp_count regexp_like regexp_match
      regexp_matches regexp_split_to_array regexp_split_to_table regexp_substr rtrim starts_with
      string_agg string_to_array string_to_table strpos substring to_date to_number to_timestamp
    text time: date_part
    text timestamp: date_part date_trunc timezone
    text timestamptz: date_part date_trunc timezone
    timestamp text: to_char
    timestamp timestamp: age
    timestamptz text: to_char
    timestamptz timestamptz: age
    anyarray integer boolean: generate_subscripts
    anyarray text text: array_to_string
    anycompatible integer anycompatible: lag lead
    anycompatiblearray anycompatible anycompatible: array_replace
    anycompatiblearray anycompatible integer: array_position
    anyelement integer[] integer[]: array_fill
    bigint bigint bigint: generate_series
    bytea bytea integer: overlay
    bytea integer integer: substr substring
    integer integer double: make_time
    integer integer integer: generate_series make_date make_interval
    interval timestamp timestamp: date_bin
    interval timestamptz timestamptz: date_bin
    json text[] json: jsonb_insert jsonb_set
    numeric numeric numeric: generate_series
    text integer integer: substr substring
    text integer text: lpad rpad
    text text integer: overlay regexp_count regexp_substr split_part
    text text text: regexp_like regexp_match regexp_matches regexp_replace regexp_split_to_array
      regexp_split_to_table replace string_to_array string_to_table substring translate
    text timestamptz text: date_trunc
    timestamp timestamp interval: generate_series
    timestamptz timestamptz interval: generate_series
    bytea bytea integer integer: overlay
    double double double integer: width_bucket
    integer integer integer integer: make_interval
    json text[] json boolean: jsonb_insert jsonb_set
    numeric numeric numeric integer: width_bucket
    text text integer integer: overlay regexp_substr
    text text integer text: regexp_count
    text text text integer: regexp_replace
    text text text text: regexp_replace
    integer integer integer integer integer: make_interval
    text text integer integer text: regexp_substr
    text text text integer integer: regexp_replace
    integer integer integer integer integer double: make_timestamp make_timestamptz
    integer integer integer integer integer integer: make_interval
    text text integer integer text integer: regexp_substr
    text text text integer integer text: regexp_replace
    integer integer integer integer integer double text: make_timestamptz
    integer integer integer integer integer integer double: make_interval
"""
"""Types of arguments, and the functions that take them; a continued line is indented."""

Parameter: TypeAlias = DataType | str
"""The type of a parameter; the name of a pseudo type such as `anyarray`."""
Signature: TypeAlias = tuple[Parameter, ...]
OPEN = DataType(kind=Kind.NULL)
"""The type of an argument that takes its type from its context."""
_PSEUDO = {"anyarray", "anyelement", "anycompatible", "anycompatiblearray"}
_ARRAYS = {"anyarray", "anycompatiblearray"}


def _type(name: str) -> DataType:
    if name.endswith("[]"):
        return DataType(kind=Kind.ARRAY, element=_type(name[:-2]))
    return DataType(kind=Kind.DECIMAL if name == "numeric" else BY_NAME[name])


def _signatures() -> dict[str, list[Signature]]:
    found: dict[str, list[Signature]] = {}
    taken: Signature = ()
    for line in _TABLE.strip("\n").splitlines():
        given, colon, names = line[4:].partition(":")
        if colon:
            taken = tuple(t if t in _PSEUDO else _type(t) for t in given.split())
        for name in (names if colon else given).split():
            found.setdefault(name, []).append(taken)
    return found


SIGNATURES: Mapping[str, Sequence[Signature]] = _signatures()
"""The signatures of each function."""

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
    return None not in given and len(_candidates(name, given)) > 1


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


def is_taken(name: str, given: Sequence[DataType | None]) -> bool:
    """Whether a signature takes arguments of these types; functions without signatures take any.

    All numbers count as one type here, and values of types that PostgreSQL lacks as any.
    """
    listed = [each for each in SIGNATURES.get(name, ()) if len(each) == len(given)]
    return not listed or any(all(map(_may_fit, given, signature)) for signature in listed)


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
    return _is_same(given, wanted) or wanted.kind in _IMPLICIT.get(given.kind, ())


def _is_same(given: DataType, wanted: Parameter) -> bool:
    """Whether a type is a parameter's; the digits of numerics do not count."""
    if isinstance(wanted, str):
        return False
    if given.element is not None and wanted.element is not None:
        return _is_same(given.element, wanted.element)
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
        found_element = each.element if wanted in _ARRAYS else each
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
    for wanted in signature:
        if not isinstance(wanted, str):
            found.append(wanted)
        elif element is None or wanted not in _ARRAYS:
            found.append(element)
        else:
            found.append(DataType(kind=Kind.ARRAY, element=element))
    return tuple(found)
