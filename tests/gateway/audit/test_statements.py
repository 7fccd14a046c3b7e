"""The lines of statements, and the law that no value is in them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.audit.log import AuditLog
from stategate.gateway.settings import Settings
from stategate.gateway.statement_traces import open_watching
from stategate.planner.engine import Cancellation, Engine, QueryError, Row, Session
from stategate.planner.sql import EngineLimits, SqlEngine
from tests.support.stores import FixedCatalog, fill, keyvalue, open_store

AGES = keyvalue("ages", {"name": "text"}, {"age": "bigint"}, partitions=3)
LOOKUP = "SELECT age FROM ages WHERE name = $1"


class Kept:
    """An audit in memory."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = []

    def note(self, event: str, /, **fields: object) -> None:
        self.lines.append({"event": event, **fields})

    def take(self) -> list[dict[str, Any]]:
        found, self.lines = self.lines, []
        return found


class Audited:
    """An engine whose statements are audited."""

    def __init__(self, audit: Any) -> None:
        watching = open_watching(Settings(), audit)
        assert watching is not None
        store = open_store(AGES)
        fill(store, [(f"n{number}", number % 5) for number in range(40)])
        limits = EngineLimits(few_rows=False)
        self._inner = SqlEngine(
            FixedCatalog(store), limits=limits, watch_look_up=watching.watch_look_up
        )
        self.engine: Engine = watching.engine(self._inner)

    def run(self, sql: str, parameters: Row = (), *, few: bool = False) -> None:
        session = Session(user="ann")
        session.client = "wire", "10.0.0.7"
        statement = self.engine.prepare(sql, session)
        if few and statement.look_up is not None:
            statement.look_up(statement.literals or parameters, session)
            return
        result = self.engine.execute(statement, parameters, session, cancellation=Cancellation())
        deque(result.batches or (), maxlen=0)
        result.close()

    def close(self) -> None:
        self._inner.close()


@pytest.fixture(scope="module")
def kept() -> Kept:
    return Kept()


@pytest.fixture(scope="module")
def audited(kept: Kept) -> Iterator[Audited]:
    made = Audited(kept)
    yield made
    made.close()


def line(**fields: object) -> dict[str, object]:
    usual: dict[str, object] = {
        "event": "statement",
        "user": "ann",
        "client": "10.0.0.7",
        "protocol": "wire",
        "kind": "SELECT",
        "stores": ["ages"],
        "sqlstate": "00000",
    }
    return {**usual, **fields}


@pytest.mark.parametrize("few", [True, False])
def test_a_lookup(few: bool, kept: Kept, audited: Audited) -> None:
    audited.run(LOOKUP, ("n7",), few=few)
    (found,) = kept.take()
    assert found.pop("ms") >= 0
    assert found == line(statement=LOOKUP, rows=1)


def test_a_scan_is_noted_with_its_last_row(kept: Kept, audited: Audited) -> None:
    audited.run("SELECT name FROM ages WHERE age < 3 -- secret")
    (found,) = kept.take()
    assert found.pop("ms") >= 0
    assert found == line(statement="SELECT name FROM ages WHERE age < ?", rows=24)


@pytest.mark.parametrize(
    ("sql", "sqlstate", "shape"),
    [
        ("SELECT 'x'::int FROM ages", "22P02", "SELECT ?::int FROM ages"),
        ("SELECT missing FROM ages", "42703", "SELECT missing FROM ages"),
        ("SELECT FROM WHERE 'x", "42601", "SELECT FROM WHERE ?"),
    ],
)
def test_failures_have_their_code(
    sql: str, sqlstate: str, shape: str, kept: Kept, audited: Audited
) -> None:
    with pytest.raises(QueryError):
        audited.run(sql)
    (found,) = kept.take()
    assert (found["sqlstate"], found["statement"], found["rows"]) == (sqlstate, shape, 0)


SECRETS = st.text("0123456789abcdef", min_size=12, max_size=20).map(lambda text: f"q{text}")
NUMBERS = st.integers(10**11, 10**17)
TEMPLATES = (
    "SELECT age FROM ages WHERE name = '{text}'",
    "SELECT age FROM ages WHERE name IN ('{text}', 'a''{text}') AND age = {number}",
    "SELECT name, '{text}' FROM ages WHERE age > {number} OR name < '{text}'",
    "SELECT count(*) FROM ages WHERE name LIKE '%{text}%' GROUP BY age + {number}",
    "SELECT E'\\'{text}', $a${text}$a$, {number}.5, '{text}'::int",
    "SELECT name FROM ages /* {text} */ WHERE age = {number} -- {text}",
    "SELECT age FROM ages WHERE name = '{text}' LIMIT {number}",
    "SELECT age FROM ages WHERE nothing = '{text}' ORDER BY",
    "SET application_name = '{text}'",
    "DECLARE c CURSOR FOR SELECT '{text}', {number}",
    "SELECT '{text}",
    "SELECT $b${text}",
)


@given(text=SECRETS, number=NUMBERS, data=st.data())
def test_no_value_is_kept(
    kept: Kept, audited: Audited, text: str, number: int, data: st.DataObject
) -> None:
    """Neither a literal nor a parameter, whether the statement succeeds, fails or is no SQL."""
    template = data.draw(st.sampled_from(TEMPLATES))
    sql, few = template.format(text=text, number=number), data.draw(st.booleans())
    with suppress(QueryError):
        audited.run(sql, few=few)
    with suppress(QueryError):
        audited.run(LOOKUP, (text,), few=few)
    with suppress(QueryError):
        audited.run("SELECT name FROM ages WHERE age = $1", (number,), few=few)
    found = kept.take()
    assert len(found) == 3
    written = json.dumps(found)
    assert text not in written
    assert str(number) not in written


def test_the_file_has_what_the_audit_was_told(tmp_path: Path) -> None:
    audit = AuditLog(str(tmp_path / "audit"), node="n1")
    engine = Audited(audit)
    engine.run(LOOKUP, ("n7",))
    engine.close()
    audit.close()
    (found,) = [json.loads(each) for each in (tmp_path / "audit").read_text().splitlines()]
    assert (found["user"], found["statement"], found["stores"]) == ("ann", LOOKUP, ["ages"])
