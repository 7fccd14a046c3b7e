"""Finding the client behind proxies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.access.from_settings import open_proxies
from gateway.access.proxies import Proxies
from gateway.access.rules import Peer
from gateway.errors import SettingsError
from gateway.settings import Settings

OURS = Proxies(["127.0.0.1", "10.0.0.0/8", "2001:db8::/32"])


def told(*values: str, name: str = "x-forwarded-for") -> list[tuple[bytes, bytes]]:
    return [(b"host", b"localhost"), *((name.encode(), value.encode()) for value in values)]


def test_without_a_proxy_the_connection_decides() -> None:
    for proxies in (Proxies(), OURS):
        peer = proxies.peer("127.0.0.1", told(), secured=False)
        assert (peer.address, peer.loopback, peer.is_confidential) == ("127.0.0.1", True, True)
        assert proxies.peer(None, told(), secured=True) == Peer(address=None, secured=True)


@pytest.mark.parametrize("name", ["x-forwarded-for", "forwarded", "x-real-ip"])
@pytest.mark.parametrize("source", ["127.0.0.1", "192.0.2.1", None])
def test_an_untrusted_proxy_counts_as_the_client_and_is_not_loopback(
    name: str, source: str | None
) -> None:
    headers = [*told("203.0.113.9", name=name), (b"x-forwarded-proto", b"https")]
    peer = Proxies().peer(source, headers, secured=False)
    assert (peer.address, peer.loopback, peer.is_confidential) == (source, False, False)


@pytest.mark.parametrize(
    ("values", "address"),
    [
        (["203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9:5000"], "203.0.113.9"),
        (["[2001:db9::1]:5000"], "2001:db9::1"),
        (["2001:db9::1"], "2001:db9::1"),
        # The client wrote the first address; our proxies appended theirs.
        (["198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
        (["198.51.100.1", "203.0.113.9", "10.1.2.3"], "203.0.113.9"),
        (["203.0.113.9, ::ffff:10.1.2.3, 2001:db8::7"], "203.0.113.9"),
        (["127.0.0.1"], None),
        (["203.0.113.9, unknown"], None),
        ([""], None),
    ],
)
def test_the_client_is_the_last_address_that_is_not_a_trusted_proxy(
    values: list[str], address: str | None
) -> None:
    peer = OURS.peer("127.0.0.1", told(*values), secured=False)
    assert (peer.address, peer.loopback, peer.is_confidential) == (address, False, False)


@pytest.mark.parametrize(("scheme", "secured"), [("https", True), ("HTTPS", True), ("http", False)])
def test_a_trusted_proxy_reports_its_client_s_tls(scheme: str, *, secured: bool) -> None:
    headers = [*told("203.0.113.9"), (b"x-forwarded-proto", scheme.encode())]
    assert OURS.peer("10.0.0.1", headers, secured=True).is_confidential is secured


@given(st.lists(st.text(max_size=20), max_size=5), st.sampled_from(["127.0.0.1", "192.0.2.1"]))
def test_no_header_makes_a_client_local(values: list[str], source: str) -> None:
    headers = [(b"x-forwarded-for", value.encode()) for value in values]
    peer = OURS.peer(source, headers, secured=False)
    assert peer.loopback is (source == "127.0.0.1" and not values)


def test_a_malformed_network_is_refused() -> None:
    with pytest.raises(SettingsError, match=r'setting "proxies": .*nginx'):
        open_proxies(Settings(proxies="10.0.0.1, nginx"))
