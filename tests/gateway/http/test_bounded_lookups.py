"""Lookups with a bound, and those in NDJSON: answered at once, with the answer of the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.http.app import create_app
from stategate.gateway.http.at_once import AtOnce
from stategate.gateway.http.endpoint import Services
from tests.gateway.http.connections import Connected, body_of
from tests.gateway.http.serving import serving
from tests.gateway.http.test_connection import query
from tests.support.stores import batch, fill, keyvalue, open_store, progress

pytestmark = pytest.mark.anyio

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint", "at": "timestamptz"}, partitions=2)
KEYS = ["ada", "bob", "cid", "dee"]
ONE = "SELECT n, at FROM clicks WHERE usr = $1"
NDJSON = "application/x-ndjson"
EPOCH = 5


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    store = open_store(CLICKS)
    fill(store, [(key, n, n * 1_000_000) for n, key in enumerate(KEYS)], epoch=EPOCH)
    with serving(store) as made:
        yield made


def connected(services: Services, *, at_once: bool = True) -> Connected:
    return Connected(create_app(services), AtOnce(services) if at_once else None)


async def answer(each: Connected, request: bytes) -> tuple[bytes, bytes]:
    """Return the status line, and the body without what differs from run to run."""
    begun = len(each.transport.written)
    await each.receive([request])
    written = each.transport.written[begun:]
    body = body_of(written)
    lines = [json.loads(line) for line in body.splitlines()]
    lines[-1].pop("elapsed_ms", None)
    return written.partition(b"\r\n")[0], json.dumps(lines).encode()


def bound(offset: int, topic: str = "events") -> dict[str, dict[str, int]]:
    return {topic: {"0": offset}}


BOUNDS = st.sampled_from([bound(0), bound(EPOCH), bound(EPOCH + 1), bound(1, "odd"), {}, "x", "{}"])
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "bound": BOUNDS,
        "wait_ms": st.sampled_from([0, 1]),
        "consistency": st.sampled_from(["eventual", "monotonic", "latest", "odd"]),
        "unknown_topics": st.sampled_from(["ignore", "error", "odd"]),
    },
)
STATEMENTS = st.sampled_from(
    [
        ONE,
        f"{ONE} WITH BOUND (UNBOUNDED)",
        f"{ONE} WITH BOUND (events[0] >= 6)",
        "SELECT n FROM clicks WHERE usr IN ($1, 'ada') ORDER BY n",
    ]
)


@given(
    sql=STATEMENTS,
    key=st.sampled_from([*KEYS, "unknown", None]),
    accept=st.sampled_from(["application/json", NDJSON]),
    fields=FIELDS,
)
async def test_the_answer_is_that_of_the_engine(
    services: Services, sql: str, key: str | None, accept: str, fields: dict[str, object]
) -> None:
    """Whatever was planned before; a request that names `partial` is answered by the engine."""
    each = connected(services)
    given_ = {"params": [key], **fields}
    await each.receive([query(sql, accept, **given_)])  # plans it
    found = await answer(each, query(sql, accept, **given_))
    wanted = await answer(each, query(sql, accept, partial=False, **given_))
    assert found == wanted


@pytest.mark.parametrize("accept", ["application/json", NDJSON])
@pytest.mark.parametrize(
    ("fields", "takes_a_task"),
    [
        ({}, False),
        ({"bound": bound(EPOCH), "consistency": "monotonic", "wait_ms": 5000}, False),
        ({"bound": bound(EPOCH), "unknown_topics": "ignore"}, False),
        ({"wait_ms": 5}, False),
        ({"bound": bound(EPOCH + 1)}, True),
        ({"bound": {**bound(EPOCH), **bound(1, "odd")}, "unknown_topics": "ignore"}, True),
        ({"consistency": "latest"}, True),
        ({"partial": True}, True),
    ],
)
async def test_a_bound_that_is_met_takes_no_task(
    services: Services, accept: str, fields: dict[str, object], *, takes_a_task: bool
) -> None:
    each = connected(services)
    request = query(ONE, accept, params=["bob"], **fields)
    await each.receive([request])
    each.connection.data_received(request)
    assert bool(each.state.tasks) is takes_a_task
    await each.settle()
    last = each.transport.written.rpartition(b"HTTP/1.1 ")[2]
    head = last.partition(b"\r\n\r\n")[0]
    assert last.startswith(b"503 ") if bound(EPOCH + 1) in fields.values() else (
        last.startswith(b"200 ") and f"content-type: {accept}".encode() in head.lower()
    )  # fmt: skip


async def test_the_farthest_partition_does_not_meet_the_bound_of_another() -> None:
    """A statement over two partitions has the position of the farther one, and one is behind."""
    store = open_store(CLICKS)
    fill(store, [(key, 0, None) for key in KEYS], epoch=0)
    store.replicas[0].apply(progress(7), [batch(CLICKS, [])])
    sql = "SELECT n FROM clicks WHERE usr IN ('ada', 'bob', 'cid', 'dee') ORDER BY n"
    with serving(store) as services:
        each = connected(services)
        await each.receive([query(sql)])
        assert b'"position":{"events":{"0":7}}' in each.transport.written
        status, body = await answer(each, query(sql, bound=bound(7)))
        assert status.startswith(b"HTTP/1.1 503")
        assert b"55S01" in body


async def test_a_wrong_setting_is_an_error_once_the_plan_is_kept(services: Services) -> None:
    each = connected(services)
    for _ in range(2):
        await each.receive([query(ONE, params=["bob"])])
        status, body = await answer(each, query(ONE, params=["bob"], unknown_topics="odd"))
        assert (status, b"22023" in body) == (b"HTTP/1.1 400 Bad Request", True)


async def test_ndjson_of_a_client_without_a_shortcut_has_the_same_bytes(services: Services) -> None:
    request = query(ONE, NDJSON, params=["bob"])
    found = []
    for at_once in (True, False):
        each = connected(replace(services), at_once=at_once)
        await each.receive([request])
        found.append(await answer(each, request))
    assert found[0] == found[1]
