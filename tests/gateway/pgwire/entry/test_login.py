"""The authentication method for each address, and malformed responses."""

from __future__ import annotations

from pathlib import Path

import pytest

from stategate.gateway.access.peers import Peer
from stategate.gateway.access.rules import Access, Method
from stategate.gateway.pgwire.entry.login import Login
from stategate.gateway.pgwire.protocol.server_messages import (
    AuthenticationCleartextPassword,
    AuthenticationSASL,
    BackendMessage,
)
from stategate.planner.engine import QueryError
from tests.gateway.credentials import USER, access_of, make_users

NEAR = Peer(address="127.0.0.1", secured=False)
FAR = Peer(address="192.0.2.7", secured=False)
FAR_SECURED = Peer(address="192.0.2.7", secured=True)
NOWHERE = Peer(address=None, secured=False)
CLEARTEXT = AuthenticationCleartextPassword()
PLAIN = AuthenticationSASL(mechanisms=("SCRAM-SHA-256",))
PLUS = AuthenticationSASL(mechanisms=("SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"))


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_users(tmp_path_factory.mktemp("users"))


def asked(access: Access, peer: Peer, *, user: str = USER) -> BackendMessage | None:
    binding = b"x" * 32 if peer.secured else None
    login = Login(access=access, peer=peer, user=user, binding=binding)
    request = login.ask()
    assert login.done == (request is None)
    return request


@pytest.mark.parametrize(
    ("method", "anonymous", "peer", "expected"),
    [
        (Method.TRUST, False, NEAR, None),
        (Method.TRUST, True, FAR, None),
        (Method.SCRAM, False, NEAR, PLAIN),
        (Method.SCRAM, True, NEAR, PLAIN),
        (Method.SCRAM, False, FAR, PLAIN),
        (Method.SCRAM, False, FAR_SECURED, PLUS),
        (Method.PASSWORD, False, NEAR, CLEARTEXT),
        (Method.PASSWORD, False, FAR_SECURED, CLEARTEXT),
    ],
)
@pytest.mark.parametrize("user", [USER, "nobody"])
def test_the_method_depends_on_the_address(
    users: Path, method: Method, anonymous: bool, peer: Peer, expected: object, user: str
) -> None:
    with access_of(users, method=method, anonymous=anonymous) as access:
        assert asked(access, peer, user=user) == expected


@pytest.mark.parametrize(
    ("method", "peer", "said"),
    [
        (Method.TRUST, FAR, "anonymous access is for loopback only"),
        (Method.TRUST, FAR_SECURED, "anonymous access is for loopback only"),
        (Method.TRUST, NOWHERE, "anonymous access is for loopback only"),
        (Method.PASSWORD, FAR, "over TLS only"),
        (Method.PASSWORD, NOWHERE, "over TLS only"),
    ],
)
def test_refused_clients(users: Path, method: Method, peer: Peer, said: str) -> None:
    with access_of(users, method=method) as access, pytest.raises(QueryError) as refused:
        asked(access, peer)
    assert refused.value.sqlstate == "28000"
    assert said in refused.value.message


def test_tls_may_be_required(users: Path) -> None:
    with access_of(users, tls_required=True) as access:
        assert asked(access, NEAR) == PLAIN
        assert asked(access, FAR_SECURED) == PLUS
        with pytest.raises(QueryError, match="without encryption are refused"):
            asked(access, FAR)
