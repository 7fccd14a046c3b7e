"""SCRAM by raw messages: mechanisms, proofs, errors and channel binding."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.gateway.credentials import (
    PASSWORD,
    USER,
    access_of,
)
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.entering import BOUND, TlsClient, binding_of, told
from tests.gateway.pgwire.scram_client import (
    PLAIN,
    PLUS,
    ScramClient,
    initial,
    log_in,
    read_request,
    response,
)
from tests.gateway.pgwire.serving import Serving, serving


def test_the_server_offers_mechanisms_and_proves_itself(guarded: Serving) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        assert read_request(client, 10) == PLAIN.encode() + b"\0\0"
        scram = ScramClient(PASSWORD)
        client.send(initial(PLAIN, scram.first()))
        client.send(response(scram.last(read_request(client, 11))))
        assert scram.accepts(read_request(client, 12))
        assert read_request(client, 0) == b""
        assert client.read_until("Z")[-1] == ("Z", b"I")


def test_a_mechanism_may_be_chosen_before_the_first_message(guarded: Serving) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(PLAIN, None))
        assert read_request(client, 11) == b""
        scram = ScramClient(PASSWORD)
        client.send(response(scram.first()))
        client.send(response(scram.last(read_request(client, 11))))
        assert client.read_until("Z", "E")[-1] == ("Z", b"I")


def test_an_unknown_user_looks_like_a_known_one(guarded: Serving, users: Path) -> None:
    def challenge(user: str) -> dict[str, str]:
        with guarded.connect() as client:
            client.send(wire.startup(user=user))
            read_request(client, 10)
            client.send(initial(PLAIN, ScramClient("x").first()))
            answer = read_request(client, 11).decode()
        return dict(part.split("=", 1) for part in answer.split(","))

    real, stranger, again, other = map(challenge, (USER, "nobody", "nobody", "nobody2"))
    assert stranger["s"] == again["s"] != other["s"]
    assert {len(each["s"]) for each in (real, stranger, other)} == {len(real["s"])}
    assert {each["i"] for each in (real, stranger, other)} == {"4096"}
    assert stranger["r"] != again["r"]
    with access_of(users) as access, serving(access=access) as restarted:
        guarded_port, guarded.port = guarded.port, restarted.port
        try:
            assert challenge("nobody")["s"] == stranger["s"], "a restart tells them apart"
        finally:
            guarded.port = guarded_port


@pytest.mark.parametrize("user", [USER, "nobody"])
def test_no_proof_fits_by_chance(guarded: Serving, user: str) -> None:
    with guarded.connect() as client:
        messages = log_in(client, ScramClient("wrong"), user=user)
        assert len(messages) == 1, "the server proves itself only to a client that has"
        fields = told(messages[0])
        assert (fields["S"], fields["C"]) == ("FATAL", "28P01")
        assert fields["M"] == f'password authentication failed for user "{user}"'
        assert client.at_end()


FIRSTS = [
    b"",
    b"n",
    b"n,,",
    b"n,,n=,r=",
    b"n,,n=",
    b"n,,r=x",
    b"x,,n=,r=abc",
    b"n,,n=,r=\xff",
    b"n,,n=,r=a\0b",
    "n,,n=,r=ä".encode(),
    b"p=tls-unique,,n=,r=abc",
    b"p=tls-server-end-point,,n=,r=abc",
]


@pytest.mark.parametrize("first", FIRSTS)
def test_a_malformed_first_message(guarded: Serving, first: bytes) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(PLAIN, first))
        fields = told(client.read())
        assert (fields["S"], fields["C"]) == ("FATAL", "08P01")
        assert client.at_end()
    with guarded.connect() as other:
        assert log_in(other, ScramClient(PASSWORD), user=USER)[-1] == ("Z", b"I")


@pytest.mark.parametrize(
    ("first", "expected"),
    [(b"n,a=root,n=,r=abc", "0A000"), (b"n,,m=x,n=,r=abc", "0A000")],
)
def test_unsupported_parts_of_scram_are_refused(
    guarded: Serving, first: bytes, expected: str
) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(PLAIN, first))
        assert told(client.read())["C"] == expected


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda last: b"", "08P01"),
        (lambda last: last[:-4], "08P01"),
        (lambda last: last + b",x=1", "08P01"),
        (lambda last: last.replace(b"c=biws", b"c=eSws"), "08P01"),
        (lambda last: last.replace(b",r=", b",r=x"), "08P01"),
        (lambda last: last.replace(b",r=", b",q="), "08P01"),
        (lambda last: last.replace(b",p=", b",p=!"), "08P01"),
        (lambda last: last.replace(b",p=", b",x=1,p="), "28P01"),
    ],
)
def test_a_final_message_that_was_changed(guarded: Serving, change: object, expected: str) -> None:
    assert callable(change)
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        scram = ScramClient(PASSWORD)
        client.send(initial(PLAIN, scram.first()))
        client.send(response(change(scram.last(read_request(client, 11)))))
        assert told(client.read())["C"] == expected
        assert client.at_end()


@pytest.mark.parametrize(
    "noise",
    [
        wire.query("SELECT 1"),
        wire.framed("p", b""),
        wire.framed("p", b"SCRAM-SHA-256"),
        wire.framed("p", b"SCRAM-SHA-256\0\0\0\0\x09n,,"),
        initial("PLAIN", b"\0joe\0secret"),
        initial(PLUS, b"p=tls-server-end-point,,n=,r=abc"),
        b"p\0\1\0\0",
        b"\x16\x03\x01\0\0",
    ],
)
def test_malformed_responses_are_refused(guarded: Serving, noise: bytes) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(noise)
        assert told(client.read())["C"] == "08P01"
        assert client.at_end()


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.binary(max_size=80), min_size=1, max_size=3), st.booleans())
def test_any_noise_is_refused_and_the_server_keeps_running(
    guarded: Serving, noise: list[bytes], proper: bool
) -> None:
    with guarded.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        if proper:
            client.send(initial(PLAIN, ScramClient(PASSWORD).first()))
            read_request(client, 11)
        client.send(initial(PLAIN, noise[0]), *map(response, noise[1:]))
        kind, body = client.read()
        if kind == "E":
            assert wire.error_fields(body)["C"] in {"08P01", "0A000", "28P01", "28000"}
        else:
            assert kind == "R"
            assert struct.unpack_from(">I", body) == (11,)
    with guarded.connect() as other:
        other.send(wire.startup(user=USER))
        read_request(other, 10)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_messages_split_anywhere(guarded: Serving, data: st.DataObject) -> None:
    """The server sees the same login however its bytes arrive."""

    def send(client: wire.RawClient, whole: bytes) -> None:
        at = data.draw(st.integers(0, len(whole)))
        client.socket.sendall(whole[:at])
        client.socket.sendall(whole[at:])

    with guarded.connect() as client:
        client.socket.setsockopt(6, 1, 1)  # sent separately, bytes arrive separately
        send(client, wire.startup(user=USER))
        read_request(client, 10)
        scram = ScramClient(PASSWORD)
        send(client, initial(PLAIN, scram.first()))
        send(client, response(scram.last(read_request(client, 11))))
        assert client.read_until("Z", "E")[-1] == ("Z", b"I")


def test_channel_binding_by_hand(guarded: Serving) -> None:
    with TlsClient(guarded.port) as client:
        client.send(wire.startup(user=USER))
        assert read_request(client, 10) == f"{PLUS}\0{PLAIN}\0\0".encode()
        scram = ScramClient(PASSWORD, header=BOUND, binding=binding_of(client))
        client.send(initial(PLUS, scram.first()))
        client.send(response(scram.last(read_request(client, 11))))
        assert scram.accepts(read_request(client, 12))


@pytest.mark.parametrize(
    ("mechanism", "header", "binding", "expected"),
    [
        (PLUS, BOUND, b"\0" * 32, "28000"),
        (PLUS, BOUND, b"", "28000"),
        (PLAIN, "y,,", b"", "28000"),
        (PLUS, "n,,", b"", "08P01"),
        (PLUS, "y,,", b"", "08P01"),
        (PLAIN, BOUND, b"", "08P01"),
        (PLUS, "p=tls-unique,,", b"x", "08P01"),
    ],
)
def test_channel_binding_that_does_not_bind(
    guarded: Serving, mechanism: str, header: str, binding: bytes, expected: str
) -> None:
    scram = ScramClient(PASSWORD, header=header, binding=binding)
    with TlsClient(guarded.port) as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        client.send(initial(mechanism, scram.first()))
        kind, body = client.read()
        if kind == "R":
            client.send(response(scram.last(body[4:])))
            kind, body = client.read()
        assert told((kind, body))["C"] == expected


def test_a_client_without_binding_logs_in_without_tls(guarded: Serving) -> None:
    with guarded.connect() as client:
        assert log_in(client, ScramClient(PASSWORD, header="y,,"), user=USER)[-1] == ("Z", b"I")
