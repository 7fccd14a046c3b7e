"""Signatures of functions; `postgres/prepared.sql` has PostgreSQL's types of arguments."""

from __future__ import annotations

import pytest

from stategate.planner.postgres.types.functions import FUNCTIONS
from stategate.planner.postgres.types.signatures import OPEN, SIGNATURES, resolve
from stategate.stores.spec.schema import DataType, Kind

KINDS = {kind.value: DataType(kind=kind) for kind in Kind} | {"?": OPEN}


def taken(name: str, given: str) -> str | None:
    types: list[DataType | None] = []
    for word in given.split():
        if word.endswith("[]"):
            types.append(DataType(kind=Kind.ARRAY, element=KINDS[word[:-2]]))
        else:
            types.append(KINDS.get(word))
    found = resolve(name, types)
    return None if found is None else " ".join(_name(each) for each in found)


def _name(data_type: DataType | None) -> str:
    if data_type is None:
        return "unknown"
    return data_type.kind.value if data_type.element is None else f"{_name(data_type.element)}[]"


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("abs", "?", "double"),
        ("abs", "smallint", "smallint"),
        ("sqrt", "integer", "double"),
        ("round", "? ?", "decimal integer"),
        ("mod", "? integer", "integer integer"),
        ("mod", "bigint ?", "bigint bigint"),
        ("lpad", "? ?", "text integer"),
        ("age", "date ?", "timestamptz timestamptz"),
        ("age", "timestamp ?", "timestamp timestamp"),
        ("date_trunc", "text date", "text timestamptz"),
        ("date_trunc", "? interval", "text interval"),
        ("array_append", "? bigint", "bigint[] bigint"),
        ("array_append", "text[] ?", "text[] text"),
        ("array_append", "? ?", "text[] text"),
        ("array_length", "? ?", "unknown integer"),
        ("starts_with", "who text", "text text"),
        ("abs", "who", None),
        ("sum", "?", None),
        ("abs", "text", None),
        ("abs", "", None),
        ("no_such", "?", None),
    ],
)
def test_chosen_signature_is_that_of_postgresql(name: str, given: str, wanted: str | None) -> None:
    assert taken(name, given) == wanted


def test_functions_with_signatures_can_be_called() -> None:
    assert set(SIGNATURES) <= FUNCTIONS
