"""Authentication over HTTP: in the process, over sockets with TLS, from the command line."""

from __future__ import annotations

import asyncio
import base64
import signal
import ssl
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from stategate.gateway.access.changing_users import add_token, remove_user, set_password
from stategate.gateway.access.rules import Access, AccessRules, Method
from stategate.gateway.access.verifiers import make_verifier
from stategate.gateway.cli.client import Client
from stategate.gateway.errors import ClientError, RemoteError
from stategate.gateway.http.app import create_app
from stategate.gateway.http.endpoint import Services
from stategate.planner.engine import QueryError
from stategate.stores.credentials import authorization
from tests.gateway import fake_gateway
from tests.gateway.conftest import FakeGateway
from tests.gateway.credentials import (
    OTHER,
    OTHER_PASSWORD,
    PASSWORD,
    USER,
    access_of,
    make_users,
)
from tests.support.certificates import make_authority, make_server
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio
FAR = "192.0.2.7"


def basic(user: str, password: str) -> dict[str, str]:
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@asynccontextmanager
async def asking(
    services: Services, access: Access, *, address: str = "127.0.0.1", scheme: str = "http"
) -> AsyncIterator[httpx.AsyncClient]:
    """A client with the given address."""
    app = create_app(services, access=access)
    transport = httpx.ASGITransport(app=app, client=(address, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://localhost") as made:
        yield made


@pytest.fixture
def users(tmp_path: Path) -> Path:
    return make_users(tmp_path)


async def select(client: httpx.AsyncClient, **headers: str) -> httpx.Response:
    return await client.post("/v1/query", json={"sql": "SELECT 1"}, headers=headers)


@pytest.mark.parametrize(
    ("address", "scheme"), [("127.0.0.1", "http"), ("::1", "http"), (FAR, "https")]
)
async def test_a_user_is_answered(
    services: Services, users: Path, address: str, scheme: str
) -> None:
    token = add_token(users, name=USER)
    with access_of(users) as access:
        async with asking(services, access, address=address, scheme=scheme) as client:
            for headers in (
                basic(USER, PASSWORD),
                basic(OTHER, OTHER_PASSWORD),
                bearer(token),
                {"Authorization": f"bEaReR  {token}"},
            ):
                response = await select(client, **headers)
                assert response.status_code == 200, response.text
            assert (await client.get("/v1/stores", headers=basic(USER, PASSWORD))).is_success


@pytest.mark.parametrize(
    ("headers", "sqlstate"),
    [
        ({}, "28000"),
        ({"Authorization": ""}, "28000"),
        ({"Authorization": "Digest x"}, "28000"),
        ({"Authorization": "Basic"}, "28000"),
        ({"Authorization": "Basic !"}, "28000"),
        ({"Authorization": "Basic am9l"}, "28000"),
        ({"Authorization": "Basic /////w=="}, "28000"),
        (basic(USER, "wrong"), "28P01"),
        (basic(USER, ""), "28P01"),
        (basic(USER, "x" * 5000), "28P01"),
        (basic("nobody", PASSWORD), "28P01"),
        (bearer(""), "28P01"),
        (bearer("sgt_wrong"), "28P01"),
        (bearer(PASSWORD), "28P01"),
    ],
)
async def test_a_client_without_credentials_is_asked_for_them(
    services: Services, users: Path, headers: dict[str, str], sqlstate: str
) -> None:
    with access_of(users) as access:
        async with asking(services, access) as client:
            for path in ("/v1/query", "/v1/stores", "/v1/stores/clicks", "/nowhere"):
                response = await client.request("POST", path, headers=headers, content=b"{}")
                assert response.status_code == 401
                assert response.json()["error"]["sqlstate"] == sqlstate
                assert 'Basic realm="stategate"' in response.headers["WWW-Authenticate"]
                assert "wrong" not in response.text


async def test_forged_addresses_count_as_one_client(services: Services, users: Path) -> None:
    with access_of(users, failures_max=3) as access:
        async with asking(services, access, scheme="https") as client:
            for number in range(4):
                claimed = {"X-Forwarded-For": f"203.0.113.{number}"}
                response = await select(client, **basic(USER, "wrong"), **claimed)
    assert response.status_code == 429


async def test_an_unknown_user_and_a_wrong_password_get_the_same_error(
    services: Services, users: Path
) -> None:
    with access_of(users) as access:
        async with asking(services, access) as client:
            wrong = await select(client, **basic("joe", "wrong"))
            stranger = await select(client, **basic("jim", "wrong"))
    assert wrong.text.replace("joe", "jim") == stranger.text
    assert wrong.json()["error"]["message"] == 'password authentication failed for user "joe"'


async def test_unencrypted_credentials_from_other_machines_are_not_checked(
    services: Services, users: Path
) -> None:
    with access_of(users, failures_max=1) as access:
        async with asking(services, access, address=FAR) as client:
            for headers in (basic(USER, PASSWORD), basic(USER, "wrong"), bearer("x")):
                response = await select(client, **headers)
                assert response.status_code == 403
                assert "over TLS only" in response.text


@pytest.mark.parametrize(
    ("rules", "address", "scheme", "status"),
    [
        (AccessRules(), "127.0.0.1", "http", 200),
        (AccessRules(), "::ffff:127.0.0.1", "http", 200),
        (AccessRules(), FAR, "http", 403),
        (AccessRules(), FAR, "https", 403),
        (AccessRules(), "unix", "http", 403),
        (AccessRules(anonymous=True), FAR, "http", 200),
        (AccessRules(anonymous=True, tls_required=True), FAR, "http", 403),
        (AccessRules(anonymous=True, tls_required=True), FAR, "https", 200),
        (AccessRules(anonymous=True, tls_required=True), "127.0.0.1", "http", 200),
    ],
)
async def test_anonymous_access(
    services: Services, rules: AccessRules, address: str, scheme: str, status: int
) -> None:
    access = Access(rules=rules)
    async with asking(services, access, address=address, scheme=scheme) as client:
        assert (await select(client)).status_code == status
        assert (await client.get("/healthz")).status_code == 200
    access.close()


async def test_probes_need_no_credentials_and_see_no_names(services: Services, users: Path) -> None:
    unready = replace(services, not_ready=lambda: ["clicks[0] is restoring"])
    with access_of(users) as access:
        async with asking(unready, access, address=FAR) as client:
            assert (await client.get("/healthz")).json() == {"status": "ok"}
            response = await client.get("/readyz")
            assert response.status_code == 503
            assert "clicks" not in response.text
        async with asking(unready, access) as client:
            response = await client.get("/readyz", headers=basic(USER, PASSWORD))
            assert "clicks[0] is restoring" in response.text


async def test_too_many_failures(services: Services, users: Path) -> None:
    token = add_token(users, name=USER)
    with access_of(users, failures_max=3) as access:
        async with asking(services, access) as client:
            assert (await select(client, **basic(OTHER, OTHER_PASSWORD))).status_code == 200
            answers = await asyncio.gather(
                *(select(client, **basic(USER, "wrong")) for _ in range(8))
            )
            assert sorted(each.status_code for each in answers) == [401] * 3 + [429] * 5
            refused = await select(client, **basic(USER, PASSWORD))
            assert refused.status_code == 429
            assert 1 <= int(refused.headers["Retry-After"]) <= 8
            assert refused.json()["error"]["sqlstate"] == "28000"
            # Cached passwords and tokens do not count as guesses.
            assert (await select(client, **basic(OTHER, OTHER_PASSWORD))).status_code == 200
            assert (await select(client, **bearer(token))).status_code == 200
            # So it is with all unknown tokens together, and with others behind the address.
            tokens = [await select(client, **bearer(f"x{number}")) for number in range(4)]
            assert [each.status_code for each in tokens] == [401] * 3 + [429]
            assert (await select(client, **bearer(token))).status_code == 200


async def test_a_right_password_is_admitted_whoever_fails_behind_the_address(
    services: Services, users: Path
) -> None:
    with access_of(users, failures_max=3) as access:
        async with asking(services, access) as client:
            for user in (USER, "nobody", "no one"):
                answers = [await select(client, **basic(user, "wrong")) for _ in range(5)]
                assert [each.status_code for each in answers] == [401] * 3 + [429] * 2
            assert (await select(client, **basic(OTHER, OTHER_PASSWORD))).status_code == 200


async def test_each_failure_is_answered_later(users: Path) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    from stategate.gateway.access.peers import Peer  # noqa: PLC0415
    from stategate.gateway.access.users import Users  # noqa: PLC0415

    access = Access(rules=AccessRules(method=Method.SCRAM), users=Users(users), sleep=sleep)
    peer = Peer(address=FAR, secured=True)
    for _ in range(7):
        with pytest.raises(Exception, match="password authentication failed"):
            await access.check_password(peer, user=USER, password="wrong")
    await access.check_password(peer, user=USER, password=PASSWORD)
    access.close()
    assert len(slept) == 7
    assert slept == sorted(slept)
    assert slept[0] == pytest.approx(0.1)
    assert slept[-1] == pytest.approx(2.0)


async def test_a_removed_user_is_refused_at_once(services: Services, users: Path) -> None:
    token = add_token(users, name=USER)
    with access_of(users) as access:
        async with asking(services, access) as client:
            assert (await select(client, **basic(USER, PASSWORD))).status_code == 200
            set_password(users, name=USER, password="new")
            assert (await select(client, **basic(USER, PASSWORD))).status_code == 401
            assert (await select(client, **basic(USER, "new"))).status_code == 200
            remove_user(users, name=USER)
            for headers in (basic(USER, "new"), bearer(token)):
                assert (await select(client, **headers)).status_code == 401


async def test_a_verified_password_is_cached(users: Path) -> None:
    from stategate.gateway.access.peers import Peer  # noqa: PLC0415

    peer = Peer(address="127.0.0.1", secured=False)
    with access_of(users) as access:
        took_s = []
        for _ in range(6):
            begun = time.perf_counter()
            await access.check_password(peer, user=USER, password=PASSWORD)
            took_s.append(time.perf_counter() - begun)
        assert PASSWORD.encode() not in b"".join(access._verified)
    assert min(took_s[1:]) < took_s[0] / 3


# --- with sockets --------------------------------------------------------------------------------

Start = Callable[..., FakeGateway]


def read(url: str, authority: Path | None = None, **headers: str) -> tuple[int, bytes, bytes]:
    """Return the status, the body and the server's certificate."""
    context = ssl.create_default_context(cafile=str(authority)) if authority else None
    request = urllib.request.Request(url + "/v1/stores", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=WAIT_S, context=context) as answer:
            sock = answer.fp.raw._sock
            shown = sock.getpeercert(binary_form=True) if authority else b""
            return answer.status, answer.read(), shown
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(), b""


@pytest.mark.server
def test_https_and_a_certificate_that_changes(start_gateway: Start, tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    signed = make_server(tmp_path, authority=authority)
    users = make_users(tmp_path)
    gateway = start_gateway(
        f"tls_certificate={signed.certificate}", f"tls_key={signed.key}", f"users={users}"
    )
    url = gateway.url()
    assert url.startswith("https://127.0.0.1:")
    assert read(url, authority[0])[0] == 401
    status, _, first = read(url, authority[0], **basic(USER, PASSWORD))
    assert (status, first) == (200, ssl.PEM_cert_to_DER_cert(signed.certificate.read_text()))
    new = make_server(tmp_path, authority=authority, name="new")
    signed.certificate.write_bytes(new.certificate.read_bytes())
    signed.key.write_bytes(new.key.read_bytes())
    gateway.process.send_signal(signal.SIGHUP)
    _, _, second = read(url, authority[0], **basic(USER, PASSWORD))
    assert second == ssl.PEM_cert_to_DER_cert(new.certificate.read_text())
    with pytest.raises(OSError, match=r"Remote end closed|reset|EOF"):
        read(url.replace("https", "http"))
    status, _, err = gateway.end(signal.SIGTERM)
    assert (status, PASSWORD in err) == (0, False)


@pytest.mark.server
def test_the_command_line_sends_credentials(start_gateway: Start, tmp_path: Path) -> None:
    users = make_users(tmp_path)
    token = add_token(users, name=USER)
    url = start_gateway(f"users={users}").url()
    by_password = {"STATEGATE_USER": USER, "STATEGATE_PASSWORD": PASSWORD}
    for environment in ({"STATEGATE_TOKEN": token}, by_password):
        assert Client(url, credentials=authorization(environment)).stores()
    with pytest.raises(RemoteError) as refused:
        Client(url).stores()
    assert refused.value.sqlstate == "28000"


def test_the_command_line_sends_no_unencrypted_credentials_to_other_machines() -> None:
    assert authorization({"STATEGATE_USER": "joe"}) is None
    Client("http://localhost:1", credentials="Bearer x")
    Client("https://gateway.example", credentials="Bearer x")
    with pytest.raises(ClientError, match="in clear") as refused:
        Client("http://gateway.example", credentials="Bearer x")
    assert "Bearer" not in refused.value.message


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["http=0.0.0.0:0"], "can be reached from other machines, and there are no users"),
        (["pg=0.0.0.0:0"], "--allow-anonymous"),
        (["http=[::]:0"], "can be reached from other machines"),
        (["users=/nowhere/users.txt"], 'cannot read the file "/nowhere/users.txt"'),
        (["tls_certificate=/nowhere", "tls_key=/nowhere"], 'cannot read the file "/nowhere"'),
    ],
)
def test_an_unsafe_gateway_does_not_start(
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["fake_gateway", *arguments])
    with pytest.raises(SystemExit) as ended:
        fake_gateway.main()
    out, err = capsys.readouterr()
    assert (ended.value.code, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.mark.server
def test_an_anonymous_gateway_starts_if_allowed(start_gateway: Start) -> None:
    gateway = start_gateway("http=0.0.0.0:0", "allow_anonymous=true")
    url = gateway.url().replace("0.0.0.0", "127.0.0.1")
    assert read(url)[0] == 200


# --- unknown users -------------------------------------------------------------------------------


async def test_an_unknown_user_takes_as_long_as_a_known_one(tmp_path: Path) -> None:
    """Response times must not distinguish users with costly verifiers from unknown users."""
    from stategate.gateway.access.peers import Peer  # noqa: PLC0415

    path = tmp_path / "users.txt"
    text = "".join(f'"user{n}" "{make_verifier(PASSWORD, iterations=40_000)}"\n' for n in range(3))
    path.write_text(text)
    path.chmod(0o600)
    peer = Peer(address=FAR, secured=True)
    took_s: dict[str, list[float]] = {"user1": [], "stranger": []}
    with access_of(path) as access:
        for _ in range(5):
            for user, times in took_s.items():
                begun = time.perf_counter()
                with pytest.raises(QueryError, match="password authentication failed"):
                    await access.check_password(peer, user=user, password="wrong")
                times.append(time.perf_counter() - begun)
    # A mock of 4096 iterations would take a tenth of the time.
    assert min(took_s["stranger"]) > min(took_s["user1"]) / 2


def test_unknown_users_get_verifiers_like_known_ones(users: Path) -> None:
    set_password(users, name="zed", password="x")
    entries = users.read_text().replace("SCRAM-SHA-256$4096:", "SCRAM-SHA-256$8192:")
    users.write_text(entries)
    with access_of(users) as access:
        for name in ("joe", "nobody", "", "x" * 5000, "a\nb", "\ud800"):
            verifier, doomed = access.verifier_of(name)
            assert (verifier.iterations, len(verifier.salt), doomed) == (8192, 16, name != "joe")


async def test_a_secret_given_as_a_user_name_is_not_repeated(
    services: Services, users: Path, caplog: pytest.LogCaptureFixture
) -> None:
    token = add_token(users, name=USER)
    with access_of(users) as access, caplog.at_level("DEBUG"):
        async with asking(services, access) as client:
            for user in (token, "my password", token[:-1]):
                response = await select(client, **basic(user, "x"))
                assert response.status_code == 401
                assert token[:-1] not in response.text
            await select(client, **basic(USER, "wrong"))
    assert "sgt_" not in caplog.text
    assert "my password" not in caplog.text
    assert "user=unknown" in caplog.text
    assert f"user='{USER}'" in caplog.text
