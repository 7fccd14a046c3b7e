"""Who may connect, as the settings say: users, certificates, proxies, and origins of web pages."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from pathlib import Path

from stategate.gateway.access.peers import AllowedHosts, Proxies, is_loopback
from stategate.gateway.access.places import PlaceLimits, Places, user_share
from stategate.gateway.access.rules import Access, AccessRules, Method
from stategate.gateway.access.tls import Tls
from stategate.gateway.access.users import Users, grants_anything, read_entries
from stategate.gateway.addresses import parse_address
from stategate.gateway.audit.log import Audit, AuditLog
from stategate.gateway.errors import SettingsError
from stategate.gateway.http.origins import AllowedOrigins
from stategate.gateway.settings import Settings
from stategate.planner.engine import Rights, UserLimits

logger = logging.getLogger(__name__)


def open_access(settings: Settings, audit: Audit | None = None, *, processes: int = 1) -> Access:
    """Return the access control of the settings; the caller closes it.

    Args:
        settings: the settings of this process.
        audit: takes a line of each login.
        processes: how many processes serve the same clients.

    Raises:
        SettingsError: the users file cannot be used, or limits the stores of users who need not log
            in; or there are no users although an address can be reached from other machines.
    """
    method = _method(settings)
    if method is Method.TRUST and not settings.allow_anonymous:
        for name in ("http", "pg"):
            require_loopback(settings, name)
    rules = AccessRules(
        method=method,
        anonymous=settings.allow_anonymous,
        tls_required=settings.tls_required,
        hosts=AllowedHosts(filter(None, settings.http_hosts.split(","))),
    )
    if method is Method.TRUST:
        _require_no_limits(settings)
        return Access(rules=rules, rights=Rights(_limits(settings)), audit=audit)
    if not settings.tls_certificate and not settings.proxies and _is_reachable(settings, "http"):
        logger.warning(
            "HTTP takes no passwords and tokens from other machines: there is no certificate "
            "(tls_certificate), and no proxy that has one (proxies)"
        )
    rights = Rights(_limits(settings, has_users=True))
    users = Users(Path(settings.users), rights, audit=audit, processes=processes)
    return Access(rules=rules, users=users, rights=rights, audit=audit)


def _limits(settings: Settings, *, has_users: bool = False) -> UserLimits:
    """Return the limits of users who have none of their own."""
    share = user_share(settings.live_subscribers_max) if has_users else 0
    return UserLimits(
        statements=settings.threads_of_user_max,
        connections=settings.connections_of_user_max,
        subscribers=settings.live_subscribers_of_user_max or share,
        rows=settings.result_rows_max,
        bytes=settings.result_bytes_max,
    )


def places_of(settings: Settings, access: Access, total_max: int) -> Places:
    """Return the places of the connections of one protocol."""
    limits = PlaceLimits(
        total_max=total_max,
        of_admins=settings.admin_connections if access.has_users else 0,
        of_address_max=settings.connections_of_address_max,
        has_users=access.has_users,
    )
    return Places(limits, access.rights)


def _require_no_limits(settings: Settings) -> None:
    """Refuse a users file that limits users where no one has to say who they are."""
    path = Path(settings.users)
    if settings.users and path.exists() and grants_anything(read_entries(path)):
        raise SettingsError(
            f'setting "auth" is "trust", but the users file "{path}" limits users',
            hint='Set auth to "scram" or "password", or let all users do the same.',
        )


def open_origins(settings: Settings) -> AllowedOrigins:
    """Return the origins whose pages may use HTTP.

    Raises:
        SettingsError: one of them is not an origin.
    """
    try:
        return AllowedOrigins(settings.http_origins.split(","))
    except ValueError as error:
        raise SettingsError(
            f'setting "http_origins": {error}', hint="Write https://tools.example,http://host:8080"
        ) from error


def open_proxies(settings: Settings) -> Proxies:
    """Return the trusted proxies.

    Raises:
        SettingsError: one of them is neither an address nor a network.
    """
    try:
        return Proxies(settings.proxies.split(","))
    except ValueError as error:
        raise SettingsError(
            f'setting "proxies": {error}', hint="Write addresses and networks: 127.0.0.1,10.0.0.0/8"
        ) from error


def open_tls(settings: Settings) -> Tls | None:
    """Return the certificate, if there is one.

    Raises:
        SettingsError: it cannot be used.
    """
    if not settings.tls_certificate:
        return None
    return Tls(certificate=Path(settings.tls_certificate), key=Path(settings.tls_key))


def reloader(
    access: Access, tls: Tls | None, audit: AuditLog | None = None
) -> Callable[[], None] | None:
    """Return what reads users and certificate again, and reopens the audit; None without files."""
    if tls is None and audit is None and not access.has_users:
        return None

    def reload() -> None:
        if audit is not None:
            audit.reopen()
        access.reload()
        if tls is not None:
            tls.reload()

    return reload


def _method(settings: Settings) -> Method:
    if settings.auth == "auto":
        return Method.SCRAM if settings.users else Method.TRUST
    return Method(settings.auth)


def require_loopback(settings: Settings, name: str) -> None:
    """Refuse an address that other machines can reach.

    Raises:
        SettingsError: they can.
    """
    if _is_reachable(settings, name):
        raise SettingsError(
            f'setting "{name}": {getattr(settings, name)} can be reached from other machines, '
            "and there are no users",
            hint="Make some with `stategate user add` and name their file with --users, or give "
            "--allow-anonymous to admit everyone.",
        )


def _is_reachable(settings: Settings, name: str) -> bool:
    """Whether other machines can reach an address of the settings."""
    text = getattr(settings, name)
    if not text:
        return False
    address = parse_address(name, text)
    try:
        found = socket.getaddrinfo(address.host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False  # listening there reports the error better
    return not all(is_loopback(str(where[0])) for *_, where in found)
