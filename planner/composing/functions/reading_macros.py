"""Macros that read texts as types that are held as texts, such as uuid, made from their records."""

from __future__ import annotations

from collections.abc import Iterator

from planner.composing.functions.scalar_macros import raising
from planner.values.quoting import quote_text
from planner.values.sqltypes import CANONICAL_TEXTS, reading_macro
from stores.types.kinds import Kind


def _macros(kind: Kind) -> Iterator[str]:
    """Yield the macro that reads a text, and the one that reads each text of a list."""
    record, name = kind.record, reading_macro(kind)
    assert record.spelling is not None, "only of types with a spelling"
    found, held = "lower(t)", quote_text(record.spelling.held)
    for pattern, fresh in record.spelling.steps:
        found = f"regexp_replace({found}, {quote_text(pattern)}, {quote_text(fresh)}, 'g')"
    invalid = quote_text(f'invalid input syntax for type {record.spelled}: "')
    error = raising("22P02", f"{invalid} || t || '\"'")
    yield f"""{name}_held(t, s) AS CASE WHEN regexp_full_match(s, {held})
        THEN s WHEN t IS NOT NULL THEN {error} END"""
    yield f"{name}(t) AS {name}_held(t, {found})"
    yield f"{name}s(l) AS list_transform(l, lambda e: {name}(e))"


READING_MACROS: tuple[str, ...] = tuple(
    macro for kind in Kind if kind in CANONICAL_TEXTS for macro in _macros(kind)
)
"""`name(parameters) AS body`; a macro may use those above it."""
