"""Hints from a writer to gateways: look at this store now.

Gateways find each epoch by themselves; a hint saves the pause until they look, which is up to a
second for a log on an object store. A hint is never waited for: it is sent from a thread, a gateway
that does not answer misses it, and hints that come faster than they can be sent become one.
"""

from __future__ import annotations

import ipaddress
import logging
import threading
import urllib.error
import urllib.request
from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from stategate.stores.errors import ArgumentError
from stategate.stores.spec.arguments import shown

_logger = logging.getLogger(__name__)

_TIMEOUT_S = 2.0
"""For one gateway: a hint that takes longer is of no use."""
GATEWAYS_MAX = 64
"""They are told one after the other."""


class Hints:
    """Sends hints about one store to gateways. Safe to share between threads.

    Args:
        gateways: their URLs, `http://host:port` or `https://…`.
        store: the name of the store.
        credentials: the Authorization header, from `stategate.stores.credentials`.

    Raises:
        ArgumentError: a URL is malformed, or would send credentials in clear to another machine.
    """

    def __init__(
        self, gateways: Sequence[str], store: str, *, credentials: str | None = None
    ) -> None:
        is_list = isinstance(gateways, Sequence) and not isinstance(gateways, str)
        if not is_list or len(gateways) > GATEWAYS_MAX:
            raise ArgumentError(
                f"notify must be a list of at most {GATEWAYS_MAX} URLs, not {shown(gateways)}"
            )
        self._urls = [_url(gateway, store, is_secret=bool(credentials)) for gateway in gateways]
        self._headers = {"Authorization": credentials} if credentials else {}
        self._unreachable: set[str] = set()
        self._changing = threading.Lock()
        self._is_sending = self._is_due = False

    def send(self) -> None:
        """Tell all gateways soon; return at once."""
        if not self._urls:
            return
        with self._changing:
            self._is_due = True
            if self._is_sending:
                return
            self._is_sending = True
        # A daemon: a program that ends does not wait for a gateway.
        threading.Thread(target=self._run, name="hints", daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._changing:
                if not self._is_due:
                    self._is_sending = False
                    return
                self._is_due = False
            for url in self._urls:
                self._tell(url)

    def _tell(self, url: str) -> None:
        request = urllib.request.Request(url, data=b"", headers=self._headers, method="POST")
        try:
            with _OPENER.open(request, timeout=_TIMEOUT_S) as response:
                response.read(1 << 10)
        except (OSError, ValueError, urllib.error.URLError) as error:
            if url not in self._unreachable:
                _logger.warning("gateway not notified url=%s error=%s", url, error)
            self._unreachable.add(url)
        else:
            self._unreachable.discard(url)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows none: credentials would go along."""

    def redirect_request(self, *args: object) -> None:
        """Refuse every redirect."""


_OPENER = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))


def _url(gateway: str, store: str, *, is_secret: bool) -> str:
    try:
        parts = urlsplit(gateway)
        is_sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except (ValueError, AttributeError, TypeError):
        is_sound = False
    if not is_sound or parts.username or parts.query or parts.fragment:
        raise ArgumentError(f"notify takes URLs such as http://gateway:7420, not {shown(gateway)}")
    if is_secret and parts.scheme == "http" and not _is_here(str(parts.hostname)):
        raise ArgumentError(
            f"credentials would go to {parts.hostname} in clear: use an https:// URL"
        )
    return f"{gateway.rstrip('/')}/v1/stores/{quote(store, safe='')}/notify"


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
