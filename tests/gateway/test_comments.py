"""Comments that the command line sets while a gateway and a writer are at work."""

from __future__ import annotations

from pathlib import Path

import httpx
import psycopg
import pytest

from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from tests.gateway.real_gateway import PEOPLE, RealGateway
from tests.support.command_line import Ended, stategate
from tests.support.waiting import until

pytestmark = pytest.mark.server

SHOWN = """
    SELECT obj_description('people'::regclass, 'pg_class'), col_description('people'::regclass, 2)
"""


def comment(root: Path, *arguments: str) -> Ended:
    return stategate("comment", "--root", str(root), "--store", "people", *arguments)


def test_clients_see_comments_that_are_set_and_removed(tmp_path: Path) -> None:
    gateway = RealGateway(tmp_path)
    gateway.wait_until_ready()
    root = tmp_path / "log"
    try:
        with psycopg.connect(gateway.dsn, autocommit=True) as session:

            def shown() -> object:
                return session.execute(SHOWN).fetchone()

            before = shown()
            done = comment(root, "who's who")
            assert (done.returncode, done.stdout) == (0, "people: comment set\n"), done.stderr
            done = comment(root, "--column", "age", "in years")
            assert (done.returncode, done.stdout) == (0, "people.age: comment set\n"), done.stderr
            until(lambda: shown() == ("who's who", "in years"))
            document = httpx.get(f"http://127.0.0.1:{gateway.http_port}/v1/stores/people").json()
            assert document["comment"] == "who's who"
            assert document["columns"][1] == {
                "name": "age",
                "type": "integer",
                "not_null": False,
                "comment": "in years",
            }
            assert comment(root, "").stdout == "people: comment removed\n"
            assert comment(root, "--column", "age", "").returncode == 0
            until(lambda: shown() == before)
    finally:
        gateway.end()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--column", "x", "text"), 'store "people" has no key or value column "x"'),
        (("x" * 1_001,), "the comment of the store must be text of at most 1000 characters"),
        (("--store", "nothing", "text"), 'store "nothing" cannot be given a comment'),
        (("--root", "", "text"), "no state log is given"),
    ],
)
def test_mistakes_change_nothing(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    StoreWriter(tmp_path, PEOPLE)
    done = comment(tmp_path, *arguments)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert not any(StoreLog.open(tmp_path, "people").schema().comments)
