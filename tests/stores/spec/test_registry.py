"""Registered kinds and queries, and the example of the README."""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from stategate import stores
from stategate.stores.engines.memory.partition import MemoryPartition
from stategate.stores.errors import FailureReason, SchemaError
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.hosting.replica import Replica
from stategate.stores.log.metadata.definitions import decode_definition, encode_definition
from stategate.stores.spec.query import BatchStream, FirstRowsQuery, KeyQuery, Query, RangeQuery
from stategate.stores.spec.registry import (
    KEY,
    Opening,
    RegistryError,
    Remote,
    register_kind,
    register_query,
    registered_factory,
    registered_handler,
    remote_queries,
)
from stategate.stores.spec.result import Failure, Success
from stategate.stores.spec.schema import DataType, StoreKind
from stategate.stores.spec.store import Handler, StorePartition, View
from tests.support.stores import fill, keyvalue, open_store

CLICKS = keyvalue("clicks", {"k": "text"}, {"n": "bigint"}, partitions=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountQuery(Query[int]):
    """The number of rows; no store of this package answers it."""


def count(engine: StorePartition, view: View, query: CountQuery) -> int:
    return sum(b.num_rows for b in engine.handlers[RangeQuery](view, RangeQuery(columns=())))


@dataclass(frozen=True)
class AllQuery(Query[BatchStream]):
    """All rows."""


@dataclass(frozen=True)
class UnknownQuery(Query[BatchStream]):
    """A query that nothing answers."""


def read_all(engine: StorePartition, view: View, query: AllQuery) -> BatchStream:
    found: BatchStream = engine.handlers[RangeQuery](view, RangeQuery())
    return found


def open_mine(opening: Opening) -> StorePartition:
    return MemoryPartition(opening.schema, opening.partition)


MINE = register_kind("test_registry_mine", open_mine)
register_query(StoreKind.KEYVALUE, CountQuery, count)
register_query(StoreKind.KEYVALUE, AllQuery, read_all)


def test_a_registered_query_is_answered_like_a_built_in_one(tmp_path: Path) -> None:
    for directory in (None, tmp_path):
        store = open_store(CLICKS, directory=directory)
        fill(store, [("a", 1), ("b", 2)])
        answer = store.query_partition(0, CountQuery())
        assert isinstance(answer, Success)
        assert (answer.value, answer.epoch) == (2, 0)
        store.close()


def test_first_rows_of_a_registered_query(tmp_path: Path) -> None:
    for directory in (None, tmp_path):
        store = open_store(CLICKS, directory=directory)
        fill(store, [("a", 1), ("b", 2), ("c", 3)])
        answer = store.query_partition(0, FirstRowsQuery(AllQuery(), 3))
        assert isinstance(answer, Success)
        assert answer.value == [("a", 1), ("b", 2), ("c", 3)]
        unknown = store.query_partition(0, FirstRowsQuery(UnknownQuery(), 3))
        assert isinstance(unknown, Failure)
        assert unknown.reason is FailureReason.UNKNOWN_QUERY_TYPE
        store.close()


def test_a_query_is_known_only_to_its_kind() -> None:
    store = open_store(replace(CLICKS, kind=StoreKind.GLOBAL))
    answer = store.query_partition(0, CountQuery())
    assert isinstance(answer, Failure)
    assert answer.reason is FailureReason.UNKNOWN_QUERY_TYPE
    assert answer.message == 'global store "clicks" does not answer CountQuery'


def test_an_error_of_a_handler_becomes_a_failure() -> None:
    @dataclass(frozen=True)
    class Broken(Query[int]):
        """A query whose handler raises."""

    def fail(engine: StorePartition, view: View, query: Broken) -> int:
        raise ZeroDivisionError("mine")

    register_query(StoreKind.KEYVALUE, Broken, fail)
    answer = open_store(CLICKS).query_partition(0, Broken())
    assert isinstance(answer, Failure)
    assert answer.message == "ZeroDivisionError: mine"


def test_the_engines_own_handler_wins(tmp_path: Path) -> None:
    class Own(MemoryPartition):
        @property
        def handlers(self) -> Mapping[type[Query[Any]], Handler]:
            return {**super().handlers, CountQuery: lambda view, query: -1}

    engine = Own(CLICKS, 0)
    store = LocalStore(CLICKS, {0: Replica(engine, schema=CLICKS, partition=0)})
    answer = store.query_partition(0, CountQuery())
    assert isinstance(answer, Success)
    assert answer.value == -1


def test_a_kind_is_known_by_its_name() -> None:
    assert StoreKind("test_registry_mine") is MINE
    assert MINE.value == "test_registry_mine"
    assert registered_factory(MINE) is open_mine
    schema = replace(CLICKS, kind=MINE)
    assert decode_definition(encode_definition(schema), "store.json") == schema
    assert {kind.value for kind in StoreKind} == {
        "keyvalue",
        "window",
        "session",
        "versioned",
        "global",
    }


@pytest.mark.parametrize("name", ["", "Window", "window", "test_registry_mine", "a b", "é", "1a"])
def test_a_name_in_use_or_malformed_is_refused(name: str) -> None:
    with pytest.raises(RegistryError):
        register_kind(name, open_mine)


def test_a_type_is_registered_once_and_must_be_a_query() -> None:
    with pytest.raises(RegistryError, match="CountQuery is registered"):
        register_query(StoreKind.KEYVALUE, CountQuery, count)
    with pytest.raises(RegistryError, match="not a type of query"):
        register_query(StoreKind.KEYVALUE, int, count)  # type: ignore[arg-type]
    assert registered_handler(StoreKind.KEYVALUE, KeyQuery) is None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearQuery(Query[int]):
    """The number of keys near a key."""

    key: tuple[Any, ...]
    distance: float = 1.0
    tags: tuple[str, ...] = field(default_factory=tuple)


class PlainQuery(Query[int]):
    """A query that is not a dataclass."""


NEAR = Remote(name="near", arguments={"key": KEY, "distance": "double"}, result="bigint")


@pytest.mark.usefixtures("own_registry")
def test_a_remote_query_is_found_by_its_name() -> None:
    assert remote_queries(StoreKind.WINDOW) == {}
    register_query(StoreKind.WINDOW, NearQuery, count, remote=NEAR)
    register_query(StoreKind.WINDOW, PlainQuery, count)
    (found,) = remote_queries(StoreKind.WINDOW).values()
    assert (found.query_type, found.name) == (NearQuery, "near")
    assert found.arguments == {"key": None, "distance": DataType.parse("double")}
    assert found.required == {"key"}
    assert found.result == DataType.parse("bigint")
    assert registered_handler(StoreKind.WINDOW, NearQuery) is count
    assert remote_queries(StoreKind.SESSION) == {}


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize(
    ("query_type", "remote", "said"),
    [
        (PlainQuery, Remote(name="plain"), "not a dataclass"),
        (NearQuery, Remote(name="near", arguments={"key": KEY, "far": "text"}), 'no field "far"'),
        (NearQuery, Remote(name="near", arguments={"tags": "text[]"}), 'without its field "key"'),
        (NearQuery, Remote(name="taken", arguments={"key": KEY}), '"taken" is registered'),
    ],
)
def test_a_remote_that_does_not_fit_its_query_is_refused(
    query_type: type[Query[int]], remote: Remote, said: str
) -> None:
    @dataclass(frozen=True)
    class Other(Query[int]):
        """A query that claims the same name."""

    register_query(StoreKind.WINDOW, Other, count, remote=Remote(name="taken"))
    with pytest.raises(RegistryError, match=said):
        register_query(StoreKind.WINDOW, query_type, count, remote=remote)
    assert registered_handler(StoreKind.WINDOW, query_type) is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Remote(name="No"),
        lambda: Remote(name=""),
        lambda: Remote(name="near", arguments={"a": "nothing"}),
        lambda: Remote(name="near", result="nothing"),
        lambda: Remote(name="near", result=KEY),
    ],
)
def test_an_invalid_remote_is_refused(wrong: Callable[[], Remote]) -> None:
    with pytest.raises((RegistryError, SchemaError)):
        wrong()


@pytest.mark.usefixtures("own_registry")
def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks run in order as one program, and its engine passes the contract."""
    text = (Path(stores.__file__).parent / "README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    monkeypatch.chdir(tmp_path)
    program = types.ModuleType("stores_readme")
    monkeypatch.setitem(sys.modules, program.__name__, program)
    names: dict[str, Any] = program.__dict__
    for block in blocks:
        exec(compile(block, "stores/README.md", "exec"), names)
    contract = names["TestVolatile"]()
    laws = [name for name in dir(contract) if name.startswith("test_")]
    assert len(laws) > 10
    for law in laws:
        (tmp_path / law).mkdir()
        getattr(contract, law)(tmp_path / law)


def test_the_extension_of_the_readme_is_short() -> None:
    text = (Path(stores.__file__).parent / "README.md").read_text()
    (block,) = re.findall(r"^```python\n([^`]*register_kind\([^`]*)^```", text, re.MULTILINE)
    assert len(block.splitlines()) < 60
