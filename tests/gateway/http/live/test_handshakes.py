"""Credentials in subprotocols, and messages in server-sent events: whatever is put in comes out."""

from __future__ import annotations

import base64

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Scope

from stategate.gateway.http.live.events import framed, json_of
from stategate.gateway.http.live.handshakes import chosen_protocol, handshake_headers
from stategate.planner.engine import FIRST_ROWS

ADDED = (b"authorization", b"Basic eA==")
HOST = (b"host", b"gateway:7420")


def scope_of(*protocols: str, headers: list[tuple[bytes, bytes]] | None = None) -> Scope:
    return {"type": "websocket", "subprotocols": list(protocols), "headers": headers or [HOST]}


@given(st.binary())
def test_credentials_arrive_as_in_a_header(credentials: bytes) -> None:
    text = base64.urlsafe_b64encode(credentials).decode().rstrip("=")
    for scheme, expected in (
        ("bearer", b"Bearer " + credentials),
        ("basic", b"Basic " + base64.b64encode(credentials)),
    ):
        scope = scope_of("stategate", f"stategate.{scheme}.{text}", headers=[HOST, ADDED])
        assert handshake_headers(scope) == [HOST, (b"authorization", expected)]
        assert chosen_protocol(scope) == "stategate"


@given(st.text())
def test_other_subprotocols_have_no_credentials(text: str) -> None:
    scope = scope_of(f"other.bearer.{text}", headers=[HOST, ADDED])
    assert handshake_headers(scope) == [HOST, ADDED]
    assert chosen_protocol(scope) is None


@given(st.text())
def test_what_is_not_base64_is_no_token(text: str) -> None:
    found = handshake_headers(scope_of(f"stategate.bearer.!{text}"))
    assert found == [HOST, (b"authorization", b"Bearer ")]


@pytest.mark.parametrize(
    ("more", "counts"),
    [
        ([], True),
        ([(b"origin", b"http://gateway:7420")], True),
        ([(b"origin", b"https://a.example"), (b"sec-fetch-site", b"same-origin")], True),
        ([(b"origin", b"https://a.example")], False),
        ([(b"origin", b"null")], False),
        ([(b"origin", b"http://[")], False),
    ],
)
def test_a_browser_adds_no_credentials_for_other_origins(
    more: list[tuple[bytes, bytes]], counts: bool
) -> None:
    found = handshake_headers(scope_of(headers=[HOST, ADDED, *more]))
    assert (ADDED in found) == counts


@given(st.recursive(st.text() | st.integers(0, 9), st.lists), st.sampled_from([None, FIRST_ROWS]))
def test_a_server_sent_event_contains_its_message(value: object, token: str | None) -> None:
    data = orjson.dumps({"event": "changes", "rows": value})
    assert json_of(framed("changes", data, token)) == data
