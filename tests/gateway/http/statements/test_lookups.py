"""Bodies of answers to lookups: those that are given again are those that are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import orjson
import pytest

from stategate.gateway.http.formats.json_renderers import JsonRenderer
from stategate.gateway.http.requests.parsing import QueryRequest
from stategate.gateway.http.statements.lookups import Body, Lookups
from stategate.planner.engine import Session
from stategate.planner.sql import SqlEngine
from stategate.stores.hosting.local_store import LocalStore
from stategate.stores.spec.position import EMPTY, Position
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

COUNTS = keyvalue("counts", {"k": "text"}, {"n": "bigint"}, partitions=2)
NEWEST = "SELECT k, n FROM counts ORDER BY n DESC LIMIT 2"
ONE = "SELECT n FROM counts WHERE k = 'a'"


@dataclass(frozen=True, slots=True)
class Served:
    """A store, and what answers lookups in it."""

    store: LocalStore
    engine: SqlEngine
    lookups: Lookups

    def ask(self, sql: str) -> dict[str, object]:
        self.engine.prepare(sql, Session())
        request = QueryRequest(sql=sql, settings={})
        body = self.lookups.answer(request, JsonRenderer, 0.0, user="")
        assert isinstance(body, Body)
        document: dict[str, object] = orjson.loads(body.data)
        del document["elapsed_ms"]
        return document


@pytest.fixture
def served() -> Iterator[Served]:
    store = open_store(COUNTS)
    engine = SqlEngine(FixedCatalog(store))
    yield Served(store, engine, Lookups(engine, node="n1", timeout_s=60.0))
    engine.close()


@pytest.mark.parametrize("sql", [ONE, NEWEST])
def test_answers_given_again_are_those_that_are_read(served: Served, sql: str) -> None:
    for epoch in range(3):
        fill(served.store, [("a", epoch), ("b", 7), ("c", -epoch)], epoch=epoch)
        given = served.engine.kept_answers_given()
        first, second, third, fourth = (served.ask(sql) for _ in range(4))
        assert first == second == third == fourth
        assert served.engine.kept_answers_given() >= given + 2
        rows = [[epoch]] if sql == ONE else [["b", 7], ["a", epoch]]
        assert first["rows"] == rows
        partitions = first["partitions"]
        assert isinstance(partitions, list)
        assert {(each["epoch"], each["node"]) for each in partitions} == {(epoch, "n1")}


@pytest.mark.parametrize("sql", [ONE, NEWEST, "SELECT n FROM counts WHERE k = 'missing'"])
def test_an_answer_has_the_epoch_and_position_at_which_it_is_right(
    served: Served, sql: str
) -> None:
    """Also if the epoch has left its rows as they were, and they are not encoded again."""
    fill(served.store, [("a", 8), ("b", 7)], epoch=0)
    rows = served.ask(sql)["rows"]
    for epoch in range(1, 4):
        fill(served.store, [(key, -1) for key in "cdefgh"], epoch=epoch)
        for _ in range(3):
            answer = served.ask(sql)
            assert answer["rows"] == rows
            partitions = answer["partitions"]
            assert isinstance(partitions, list)
            assert {each["epoch"] for each in partitions} == {epoch}
            position = EMPTY
            for each in partitions:
                position = position.merge(
                    served.store.replicas[each["partition"]].progress.position
                )
            assert Position.from_json(answer["position"]) == position


def test_statements_of_one_answer_each_have_their_columns(served: Served) -> None:
    """Two texts that share rows share no body."""
    fill(served.store, [("a", 1)], epoch=0)
    for _ in range(4):
        assert served.ask(ONE)["columns"] == [{"name": "n", "type": "bigint"}]
        named = "SELECT n AS number FROM counts WHERE k = 'a'"
        assert served.ask(named)["columns"] == [{"name": "number", "type": "bigint"}]
