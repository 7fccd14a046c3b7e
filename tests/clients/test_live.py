"""Live queries of a running gateway that follows a log: by httpx, psycopg and psql."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
from collections.abc import Iterator

import httpx
import psycopg
import pyarrow as pa
import pytest

from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.gateway import Gateway, running_gateway
from tests.support.stores import keyvalue
from tests.support.waiting import WAIT_S, until

SCHEMA = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
SUBSCRIBED = "SELECT count(*) FROM stategate.queries WHERE sql LIKE 'SELECT * FROM clicks%'"
ALL = "SELECT * FROM clicks ORDER BY usr"


class Pipeline:
    """The writer of the store, and the gateway that follows it."""

    def __init__(self, writer: StoreWriter, gateway: Gateway) -> None:
        self._writer, self.gateway = writer, gateway
        self.epoch = 0

    def write(self, **rows: int) -> None:
        """Commit an epoch."""
        self.epoch += 1
        commit(self._writer, self.epoch, **rows)


def commit(writer: StoreWriter, offset: int, **rows: int) -> None:
    table = pa.table({"usr": list(rows), "n": list(rows.values())})
    writer.write(table, position=Position.of({"events": {0: offset}}))


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipeline]:
    directory = tmp_path_factory.mktemp("live")
    writer = StoreWriter(directory / "log", SCHEMA)
    commit(writer, 0, ann=1, bob=2)
    with running_gateway(directory / "log", directory) as gateway:
        yield Pipeline(writer, gateway)


def test_httpx_reads_events_and_goes_on(pipeline: Pipeline) -> None:
    url = f"http://127.0.0.1:{pipeline.gateway.http_port}/v1/subscribe"
    with httpx.stream("GET", url, params={"sql": ALL}, timeout=WAIT_S) as response:
        lines = response.iter_lines()
        data = [
            json.loads(line[6:])
            for line in _until(lines, "event: progress")
            if line[:6] == "data: "
        ]
        assert [each["event"] for each in data] == ["columns", "rows"]
        assert data[1]["rows"][0] == ["ann", 1]
        assert next(lines).startswith("id: ")
        assert json.loads(next(lines)[6:])["event"] == "progress"
        pipeline.write(ann=10)
        *_, last = _until(lines, "id: ")
        change = json.loads(next(lines)[6:])
        assert change["updated"] == [[["ann", 1], ["ann", 10]]]
        assert change["position"] == {"events": {"0": pipeline.epoch}}
    pipeline.write(ann=11)
    pipeline.write(ann=1)
    headers = {"Last-Event-ID": last[4:]}
    with httpx.stream("GET", url, params={"sql": ALL}, headers=headers, timeout=WAIT_S) as again:
        lines = again.iter_lines()
        *_, _ = _until(lines, "id: ")
        assert json.loads(next(lines)[6:])["updated"] == [[["ann", 10], ["ann", 11]]]


def _until(lines: Iterator[str], start: str) -> Iterator[str]:
    """Yield lines up to and including the first that begins so."""
    for line in lines:
        yield line
        if line.startswith(start):
            return


def test_psycopg_copies_and_fetches(pipeline: Pipeline) -> None:
    with psycopg.connect(pipeline.gateway.pg_dsn, autocommit=True) as connection:
        cursor = connection.cursor()
        with cursor.copy(f"COPY (SUBSCRIBE ({ALL})) TO STDOUT") as copy:
            rows = copy.rows()
            assert [next(rows)[0] for _ in range(3)] == ["insert", "insert", "progress"]
            pipeline.write(cid=3)
            assert next(rows)[4:] == ("cid", "3")
            connection.cancel()
            with pytest.raises(psycopg.errors.QueryCanceled):
                list(rows)
        with connection.transaction():
            connection.execute(f"DECLARE c CURSOR FOR SUBSCRIBE ({ALL})")
            assert len(connection.execute("FETCH ALL c").fetchall()) == 4
            pipeline.write(cid=4)
            found = connection.execute("FETCH 1 c").fetchall()
            assert (found[0][0], *found[0][4:]) == ("update_old", "cid", 3)


def test_psql_fetches_and_copies(pipeline: Pipeline) -> None:
    if (psql := shutil.which("psql")) is None:
        pytest.skip("psql is not on PATH")
    target = f"host=127.0.0.1 port={pipeline.gateway.pg_port} user=stategate dbname=stategate"
    script = """BEGIN;
DECLARE c CURSOR FOR SUBSCRIBE (SELECT n FROM clicks WHERE usr = 'bob');
FETCH 1 c;
FETCH 5 c WITH (TIMEOUT = '1 s');
COMMIT;
"""
    done = subprocess.run(
        [psql, "-X", "-At", "-v", "ON_ERROR_STOP=1", target],
        input=script,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[2].split("|")[::4] == ["insert", "2"]
    assert lines[3].startswith("progress|")
    copying = subprocess.Popen(
        [psql, "-X", target, "-c", f"COPY (SUBSCRIBE ({ALL})) TO STDOUT"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with psycopg.connect(pipeline.gateway.pg_dsn, autocommit=True) as connection:
        until(lambda: connection.execute(SUBSCRIBED).fetchone() == (1,))
    copying.send_signal(signal.SIGINT)  # as Ctrl-C does; psql writes its output at the end
    out, err = copying.communicate(timeout=WAIT_S)
    assert out.startswith("insert\t")
    assert "canceling statement due to user request" in err
