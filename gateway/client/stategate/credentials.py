"""Where a gateway is, and how it is asked for: URLs and the header Authorization."""

from __future__ import annotations

import base64
import ipaddress
import os
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from stategate.errors import InterfaceError


def checked_urls(url: str | Sequence[str]) -> tuple[str, ...]:
    """Return the base URLs.

    Raises:
        InterfaceError: one is not `http://host:port` or `https://…`.
    """
    urls = (url,) if isinstance(url, str) else tuple(url)
    if not urls:
        raise InterfaceError("there is no URL", hint="Use http://HOST:PORT.")
    for each in urls:
        parts = urlsplit(each)
        try:
            is_sound = bool(parts.hostname) and parts.scheme in {"http", "https"}
            _ = parts.port
        except ValueError:
            is_sound = False
        is_plain = each.isascii() and each.isprintable() and " " not in each
        if not is_sound or not is_plain or parts.query or parts.fragment:
            raise InterfaceError(f'"{each}" is not a URL', hint="Use http://HOST:PORT.")
        if parts.username is not None or parts.password is not None:
            raise InterfaceError(
                "a URL has no place for credentials, because URLs are shown and logged",
                hint="Use user= and password=, or token=.",
            )
    return tuple(each.rstrip("/") for each in urls)


def authorization(
    urls: Sequence[str],
    *,
    user: str | None,
    password: str | None,
    token: str | None,
    environment: Mapping[str, str] | None = None,
) -> str | None:
    """Return the header Authorization; None without credentials.

    Without arguments they come from the environment, as for `stategate sql`: STATEGATE_TOKEN, or
    STATEGATE_USER and STATEGATE_PASSWORD.

    Raises:
        InterfaceError: they are incomplete, or would go to another machine in clear.
    """
    if user is None and password is None and token is None:
        variables = os.environ if environment is None else environment
        token = variables.get("STATEGATE_TOKEN") or None
        user = variables.get("STATEGATE_USER") or None
        password = variables.get("STATEGATE_PASSWORD") or None
        if token is not None or user is None or password is None:
            user = password = None
    if token is not None and (user is not None or password is not None):
        raise InterfaceError("token= and user= are both given")
    if (user is None) != (password is None):
        raise InterfaceError("user= and password= belong together")
    if token is None and user is None:
        return None
    for each in urls:
        parts = urlsplit(each)
        if parts.scheme == "http" and not _is_here(parts.hostname or ""):
            raise InterfaceError(
                f"credentials would go to {parts.hostname} in clear", hint="Use an https:// URL."
            )
    if token is not None:
        if not token.isascii() or not token.isprintable():
            raise InterfaceError("the token has characters that no token has")
        return f"Bearer {token}"
    return f"Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}"


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
