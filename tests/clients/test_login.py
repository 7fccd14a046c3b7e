"""Every client logs in to a gateway with users by SCRAM over TLS, only with the right password."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from stategate.gateway.access.tls import Tls
from stategate.gateway.pgwire.entry import login as gateway_login
from stategate.gateway.pgwire.entry.login import ScramExchange
from tests.clients.environments import Made
from tests.clients.recording import recording_server
from tests.clients.running import CLIENTS, LOGINS, Login, answers_of, command_of, made_for
from tests.clients.running import variables_of as variables_of_program
from tests.gateway.credentials import PASSWORD, USER, access_of, make_users
from tests.support.certificates import Signed, make_authority, make_server

WRONG = "incorrect horse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A server with users and a certificate, which records the mechanisms of its clients."""

    port: int
    signed: Signed
    chosen: list[tuple[str, bool]] = field(default_factory=list)
    """The mechanism of each login, and whether it came over TLS."""

    def forget(self) -> None:
        """Forget the recorded mechanisms."""
        self.chosen.clear()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    directory = tmp_path_factory.mktemp("guarded")
    signed = make_server(directory, authority=make_authority(directory))
    chosen: list[tuple[str, bool]] = []

    class NotedExchange(ScramExchange):
        """An exchange that records its mechanism when it begins."""

        def begin(self, mechanism: str, message: bytes) -> bytes:
            chosen.append((mechanism, self._binding is not None))
            return super().begin(mechanism, message)

    with pytest.MonkeyPatch.context() as patched, access_of(make_users(directory)) as access:
        patched.setattr(gateway_login, "ScramExchange", NotedExchange)
        tls = Tls(certificate=signed.certificate, key=signed.key)
        with recording_server(access=access, tls=tls) as (_, port):
            yield Guarded(port=port, signed=signed, chosen=chosen)


def variables_of(login: Login, made: Made | None, guarded: Guarded, home: Path) -> dict[str, str]:
    """Return the environment variables of a login, without those of the current user."""
    return {
        **variables_of_program(login.program, made, pg_port=guarded.port),
        "HOME": str(home),
        "PGUSER": USER,
        "PGSSLMODE": "verify-full",
        "PGSSLROOTCERT": str(guarded.signed.authority),
    }


@pytest.mark.parametrize("login", LOGINS, ids=str)
def test_login(
    login: Login, environment: Callable[[str], Made], guarded: Guarded, tmp_path: Path
) -> None:
    made = made_for(login.program, environment)
    command = [*command_of(login.program, made), "--login", login.client]
    variables = variables_of(login, made, guarded, tmp_path)
    guarded.forget()
    answers = answers_of(command, variables=variables, given=[PASSWORD, WRONG])
    let_in, refused = answers[PASSWORD], answers[WRONG]
    assert let_in.rows is not None, let_in.error
    ((user, number),) = let_in.rows
    assert (user, int(number)) == (USER, 7)
    # There may be several logins, because some clients connect again for each action.
    assert set(guarded.chosen) == {(login.mechanism, True)}
    assert refused.rows is None, refused.rows
    assert refused.error is not None
    if login.sqlstate:
        assert refused.sqlstate == "28P01", refused.error
    assert f'password authentication failed for user "{USER}"' in refused.error


@pytest.mark.parametrize("login", [each for each in LOGINS if not each.insists], ids=str)
def test_an_unknown_authority_is_not_trusted(
    login: Login, environment: Callable[[str], Made], guarded: Guarded, tmp_path: Path
) -> None:
    made = made_for(login.program, environment)
    stranger, _ = make_authority(tmp_path, name="stranger")
    variables = variables_of(login, made, guarded, tmp_path)
    variables["PGSSLROOTCERT"] = str(stranger)
    guarded.forget()
    command = [*command_of(login.program, made), "--login", login.client]
    answer = answers_of(command, variables=variables, given=[PASSWORD])[PASSWORD]
    assert answer.rows is None
    assert guarded.chosen == [], "it has connected to a server that it should not trust"


def test_every_program_logs_in() -> None:
    assert {login.program for login in LOGINS} == {client.program for client in CLIENTS}
