from __future__ import annotations

import pickle

import pytest
from psycopg import postgres

from stategate.stores.spec.schema import DataType, Kind
from stategate.stores.types.kinds import BY_ARROW, BY_EXTENSION, BY_NAME, BY_PARSED, SCALARS

OF_POSTGRES = [kind for kind in Kind if kind.record.oid]


@pytest.mark.parametrize("kind", Kind)
def test_a_kind_is_found_by_its_name(kind: Kind) -> None:
    assert kind.value == kind.record.name
    assert pickle.loads(pickle.dumps(kind)) is kind


@pytest.mark.parametrize("kind", OF_POSTGRES)
def test_names_and_numbers_are_those_of_postgres(kind: Kind) -> None:
    info = postgres.types[kind.record.postgres]
    assert (kind.record.oid, kind.record.array_oid) == (info.oid, info.array_oid)


@pytest.mark.parametrize("kind", SCALARS)
def test_columns_are_read_as_they_are_written(kind: Kind) -> None:
    record = kind.record
    if record.extension is not None:
        assert BY_EXTENSION[record.extension] is kind
    elif kind is Kind.TEXT or record.arrow != Kind.TEXT.record.arrow:
        assert BY_ARROW[record.arrow] is kind
    assert DataType(kind=kind).arrow == record.arrow


def test_each_name_means_one_kind() -> None:
    names = [name for kind in SCALARS for name in (kind.value, *kind.record.aliases)]
    parsed = [name for kind in Kind for name in kind.record.parsed]
    arrows = [arrow for kind in Kind for arrow in kind.record.read]
    assert len(names) == len(BY_NAME)
    assert len(parsed) == len(BY_PARSED)
    assert len(arrows) == len(BY_ARROW)
    assert all(DataType.parse(name) == DataType(kind=kind) for name, kind in BY_NAME.items())
