"""Hints to gateways: what is sent, and that a writer never waits for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest

from stategate.stores.errors import ArgumentError
from stategate.stores.log.writing.hints import GATEWAYS_MAX, Hints
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.stores import keyvalue
from tests.support.waiting import WAIT_S, until

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
ROWS = pa.table({"usr": ["ann"], "n": [1]})


class FakeGateway:
    """Takes hints; it answers once `may_answer` is set."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str | None]] = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.status = 202
        gateway = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                gateway.told.append((self.path, self.headers.get("Authorization")))
                gateway.may_answer.wait(10)
                self.send_response(gateway.status)
                if gateway.status == 302:
                    self.send_header("Location", f"{gateway.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def gateway() -> Iterator[FakeGateway]:
    made = FakeGateway()
    yield made
    made.close()


def test_each_gateway_is_told_of_an_epoch(
    tmp_path: Path, gateway: FakeGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATEGATE_TOKEN", "s3cret")
    writer = StoreWriter(tmp_path, CLICKS, notify=[gateway.url, f"{gateway.url}/below/"])
    writer.write(ROWS, position=Position.of({"events": {0: 1}}))
    until(lambda: len(gateway.told) == 2)
    assert gateway.told == [
        ("/v1/stores/clicks/notify", "Bearer s3cret"),
        ("/below/v1/stores/clicks/notify", "Bearer s3cret"),
    ]


def test_a_writer_does_not_wait_and_hints_become_one(gateway: FakeGateway) -> None:
    gateway.may_answer.clear()
    hints = Hints([gateway.url], "clicks")
    hints.send()
    until(lambda: len(gateway.told) == 1)
    began = time.monotonic()
    for _ in range(1_000):
        hints.send()
    assert time.monotonic() - began < WAIT_S / 2
    gateway.may_answer.set()
    until(lambda: len(gateway.told) == 2)
    time.sleep(0.1)
    assert len(gateway.told) == 2


def test_the_name_of_a_store_is_quoted(gateway: FakeGateway) -> None:
    Hints([gateway.url], "a b/ä").send()
    until(lambda: gateway.told)
    assert gateway.told[0][0] == "/v1/stores/a%20b%2F%C3%A4/notify"


def test_a_gateway_that_does_not_answer_is_reported_once(
    gateway: FakeGateway, caplog: pytest.LogCaptureFixture
) -> None:
    gateway.status = 503
    hints = Hints([gateway.url, "http://127.0.0.1:1"], "clicks")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            hints.send()
            until(lambda: not hints._is_sending)
    assert len(gateway.told) == 3
    messages = [record.message.split(" url=")[0] for record in caplog.records]
    assert messages == ["gateway not notified"] * 2


def test_credentials_do_not_follow_a_redirect(gateway: FakeGateway) -> None:
    gateway.status = 302
    hints = Hints([gateway.url], "clicks", credentials="Bearer s3cret")
    hints.send()
    until(lambda: gateway.told)
    until(lambda: not hints._is_sending)
    assert [path for path, _ in gateway.told] == ["/v1/stores/clicks/notify"]


@pytest.mark.parametrize(
    "gateways",
    [
        ["gateway:7420"],
        ["ftp://gateway"],
        ["http://"],
        ["http://user:word@gateway:7420"],
        ["http://gateway:99999999"],
        ["http://gateway?x=1"],
        [7],
        "http://gateway:7420",
        ["http://gateway:7420"] * (GATEWAYS_MAX + 1),
    ],
)
def test_bad_urls_are_refused_before_anything_is_written(
    tmp_path: Path, gateways: list[str]
) -> None:
    with pytest.raises(ArgumentError, match="notify"):
        StoreWriter(tmp_path, CLICKS, notify=gateways)
    assert list(tmp_path.iterdir()) == []


def test_credentials_are_not_sent_in_clear_to_another_machine() -> None:
    with pytest.raises(ArgumentError, match="in clear"):
        Hints(["http://gateway:7420"], "clicks", credentials="Bearer s3cret")
    Hints(["https://gateway:7420", "http://localhost:7420"], "clicks", credentials="Bearer x")
