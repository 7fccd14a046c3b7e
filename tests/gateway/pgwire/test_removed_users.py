"""The sessions of a user who was removed end, whatever they do; all others go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from stategate.gateway.access.changing_users import remove_user, set_password
from stategate.gateway.access.rules import Access
from tests.gateway.credentials import OTHER, PASSWORD, USER, access_of, make_users
from tests.gateway.pgwire import wire
from tests.gateway.pgwire.entering import told
from tests.gateway.pgwire.scram_client import (
    PLAIN,
    ScramClient,
    initial,
    log_in,
    read_request,
    response,
)
from tests.gateway.pgwire.serving import Serving, serving


@contextmanager
def guarded(path: Path) -> Iterator[tuple[Serving, Access]]:
    with access_of(path) as access, serving(access=access) as gateway:
        yield gateway, access


def look(gateway: Serving, access: Access) -> None:
    """Let the gateway notice a changed file, as it does each second."""

    async def looked() -> None:
        access.look()

    gateway.run(looked())


def session(closing: ExitStack, gateway: Serving, user: str, password: str) -> wire.RawClient:
    client = closing.enter_context(gateway.connect())
    assert log_in(client, ScramClient(password), user=user)[-1] == ("Z", b"I")
    return client


def assert_ended(client: wire.RawClient) -> None:
    fields = told(client.read_until("E")[-1])
    if fields["C"] == "57014":  # that of the running statement comes first
        fields = told(client.read_until("E")[-1])
    assert (fields["S"], fields["C"]) == ("FATAL", "57P01")
    assert fields["M"] == "terminating connection due to administrator command"
    assert "removed" in fields["D"]
    assert client.at_end()


def test_sessions_end_with_their_user(tmp_path: Path) -> None:
    path = make_users(tmp_path)
    with guarded(path) as (gateway, access), ExitStack() as closing:
        idle, transaction, busy = (session(closing, gateway, USER, PASSWORD) for _ in range(3))
        other = session(closing, gateway, OTHER, "Pafi ß")
        assert transaction.ask("BEGIN ISOLATION LEVEL REPEATABLE READ")[-1] == ("Z", b"T")
        busy.send(wire.query("SELECT sleep(60)"))
        assert gateway.engine.sleeping.wait(wire.TIMEOUT_S)
        set_password(path, name=OTHER, password="new")
        look(gateway, access)
        assert idle.ask("SELECT 1")[-1] == ("Z", b"I")
        remove_user(path, name=USER)
        look(gateway, access)
        for client in (idle, transaction, busy):
            assert_ended(client)
        assert other.ask("SELECT 1")[-1] == ("Z", b"I")
        assert len(access.sessions) == 1
    assert not len(access.sessions)


def test_a_login_that_ends_after_its_user_was_removed_has_no_session(tmp_path: Path) -> None:
    path = make_users(tmp_path)
    with guarded(path) as (gateway, access), gateway.connect() as client:
        client.send(wire.startup(user=USER))
        read_request(client, 10)
        scram = ScramClient(PASSWORD)
        client.send(initial(PLAIN, scram.first()))
        last = scram.last(read_request(client, 11))
        remove_user(path, name=USER)
        look(gateway, access)
        client.send(response(last))
        assert_ended(client)


@pytest.mark.parametrize("ends", ["close", "terminate"])
def test_a_session_that_has_ended_is_forgotten(tmp_path: Path, ends: str) -> None:
    path = make_users(tmp_path)
    with guarded(path) as (gateway, access):
        with ExitStack() as closing:
            client = session(closing, gateway, USER, PASSWORD)
            if ends == "terminate":
                client.send(wire.TERMINATE)
        assert gateway.eventually(lambda: not len(access.sessions))
        remove_user(path, name=USER)
        look(gateway, access)
