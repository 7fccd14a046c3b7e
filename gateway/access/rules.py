"""Who has to prove what before a statement is run, and whether it has: for both protocols.

    users file   auth       from loopback       from elsewhere
    none         auto       let in              refused, unless anonymous access is allowed
    given        auto       SCRAM               SCRAM
    given        password   password over TLS   password over TLS
    any          trust      let in              refused, unless anonymous access is allowed

HTTP takes a password or a bearer token wherever the wire asks for a password, over TLS or from
loopback, because either can be read on its way otherwise.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from typing import NoReturn

from gateway.access.addresses import is_loopback
from gateway.access.host_header import AllowedHosts
from gateway.access.login_throttle import LoginThrottle
from gateway.access.users import Users, shown_name, token_digest
from gateway.access.verifiers import (
    PASSWORD_CHARACTERS_MAX,
    Verifier,
    matches_password,
    mock_verifier,
)
from planner.engine import QueryError

logger = logging.getLogger(__name__)

USER = "stategate.user"
"""Where the scope of an HTTP request holds the user's name: empty if nobody has to say who it is,
None if it has not proved it and is answered all the same."""
ON_AUTHENTICATED = "stategate.on_authenticated"
"""Where that scope holds what is to be called once the client is let in, if anything is."""
_PASSED_ON = "A proxy passed the request on, so that it is not from this machine."
_REMEMBERED_MAX = 1000
"""Passwords that were right lately, at some 200 bytes: HTTP sends its own with every request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Where a client comes from."""

    address: str | None
    """Its IP address; None if it is not known, which counts as elsewhere."""
    secured: bool
    """Whether its connection is TLS."""
    forwarded: bool = False
    """Whether a proxy passed on what it sends: then it is elsewhere, wherever the proxy is."""

    @property
    def loopback(self) -> bool:
        """Whether it is on this machine."""
        return self.address is not None and not self.forwarded and is_loopback(self.address)

    @property
    def is_confidential(self) -> bool:
        """Whether nobody on the way can read what it sends."""
        return self.secured or self.loopback

    def __str__(self) -> str:
        """As logs name it."""
        return f"{self.address or 'unknown'}{' (TLS)' if self.secured else ''}"


class Method(Enum):
    """What a client has to show."""

    TRUST = "trust"
    SCRAM = "scram"
    PASSWORD = "password"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRules:
    """What the operator has decided."""

    method: Method = Method.TRUST
    anonymous: bool = False
    """Whether trust goes beyond loopback."""
    tls_required: bool = False
    """Whether clients from elsewhere must use TLS."""
    hosts: AllowedHosts = field(default_factory=AllowedHosts)
    """The names under which HTTP may be asked without credentials."""


class Access:
    """Lets clients in. Used on the event loop alone.

    Args:
        rules: who must show what; by default loopback is trusted and nobody else is let in.
        users: those that can prove to be somebody; needed unless the method is trust.
        throttle: the failures of each address.
        sleep: waits that many seconds.
    """

    def __init__(
        self,
        *,
        rules: AccessRules | None = None,
        users: Users | None = None,
        throttle: LoginThrottle | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._rules = rules or AccessRules()
        assert users is not None or self._rules.method is Method.TRUST, "settings are checked"
        self._users = users
        self._throttle = LoginThrottle() if throttle is None else throttle
        self._sleep = sleep
        # One thread beside those of statements, which would keep logins waiting: some 500 checks
        # a second, of which each is remembered.
        self._checking = asyncio.Lock()
        self._checker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="password")
        self._remembered: OrderedDict[bytes, None] = OrderedDict()
        self._remembering_key = secrets.token_bytes(32)

    def close(self) -> None:
        """Stop the thread that checks passwords."""
        self._checker.shutdown(wait=False, cancel_futures=True)

    @property
    def has_users(self) -> bool:
        """Whether there is a users file."""
        return self._users is not None

    def reload(self) -> None:
        """Read the users file again, changed or not."""
        if self._users is not None:
            self._users.reload()

    # --- what is asked ---------------------------------------------------------------------------

    def method_for(self, peer: Peer) -> Method:
        """What a client has to show.

        Raises:
            QueryError: it is not let in at all from there (28000).
        """
        rules = self._rules
        if rules.tls_required and not peer.is_confidential:
            raise QueryError(
                "connections without encryption are refused",
                hint="Connect over TLS: sslmode=require, or https.",
                sqlstate="28000",
            )
        if rules.method is Method.TRUST and not (peer.loopback or rules.anonymous):
            raise QueryError(
                "anonymous access is for loopback only",
                detail=_PASSED_ON if peer.forwarded else None,
                hint="Make users with `stategate user add`, or start with --allow-anonymous.",
                sqlstate="28000",
            )
        return rules.method

    def require_host(self, header: bytes) -> None:
        """Refuse a request without credentials under a name that is not ours.

        Args:
            header: the value of its Host header.

        Raises:
            QueryError: a web page may have sent it (28000).
        """
        if not self._rules.hosts.allows(header):
            shown = header[:100].decode("latin-1")
            raise QueryError(
                f'the gateway is not asked under the name "{shown}"',
                hint="Use localhost or an IP address, or add the name to the setting http_hosts.",
                sqlstate="28000",
            )

    def require_confidential(self, peer: Peer) -> None:
        """Refuse to take a password or token that others can read on its way.

        Raises:
            QueryError: it could be (28000).
        """
        if not peer.is_confidential:
            raise QueryError(
                "passwords and tokens are taken over TLS only",
                detail=_PASSED_ON if peer.forwarded else None,
                hint="Name the proxy in the setting proxies, and let it send X-Forwarded-Proto."
                if peer.forwarded
                else "Connect over TLS, and change what was sent without.",
                sqlstate="28000",
            )

    def require_not_throttled(self, peer: Peer) -> None:
        """Refuse an address that has failed too often lately.

        Raises:
            TooManyAttemptsError: it has (28000).
        """
        wait_s = self._throttle.refused_for_s(peer.address)
        if wait_s:
            raise TooManyAttemptsError(wait_s)

    # --- what is shown ---------------------------------------------------------------------------

    def verifier_of(self, user: str) -> tuple[Verifier, bool]:
        """Return a user's verifier, and False; for an unknown name a mock, and True.

        No password matches a mock.
        """
        assert self._users is not None, "trust asks for none"
        table = self._users.current()
        # Made for both, so that both take as long.
        mock = mock_verifier(user, secret=table.mock_secret, shapes=table.shapes)
        found = table.verifiers.get(user)
        return (mock, True) if found is None else (found, False)

    async def check_password(self, peer: Peer, *, user: str, password: str) -> None:
        """Let a user in by its password.

        Raises:
            QueryError: it is not the user's, or there is no such user (28P01), told with delay;
                or the address has failed too often (28000).
        """
        verifier, doomed = self.verifier_of(user)
        tag = self._tag(user, password, verifier)
        if not doomed and tag in self._remembered:
            self._remembered.move_to_end(tag)
            return
        async with self._checking:
            # Counted before the next check begins, so that a burst of guesses gets no further
            # than guesses one by one.
            self.require_not_throttled(peer)
            right = await self._fits(verifier, password) and not doomed
            delay_s = 0.0 if right else self._note_failure(peer, user=user)
        if not right:
            await self._sleep(delay_s)
            raise password_failed(user)
        self._remembered[tag] = None
        while len(self._remembered) > _REMEMBERED_MAX:
            self._remembered.popitem(last=False)

    async def _fits(self, verifier: Verifier, password: str) -> bool:
        if len(password) > PASSWORD_CHARACTERS_MAX:
            return False
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._checker, matches_password, verifier, password)

    def _tag(self, user: str, password: str, verifier: Verifier) -> bytes:
        """Stands for a right password without being one; another once the verifier changes."""
        parts = (user.encode(errors="surrogatepass"), password.encode(errors="surrogatepass"))
        digest = hashlib.sha256(verifier.stored_key)
        for part in parts:
            digest.update(len(part).to_bytes(8, "big") + part)
        return hmac.digest(self._remembering_key, digest.digest(), "sha256")

    async def check_token(self, peer: Peer, token: str) -> str:
        """The user that a bearer token stands for.

        Raises:
            QueryError: it stands for none (28P01), or the address has failed too often (28000).
        """
        assert self._users is not None, "trust asks for none"
        user = self._users.current().tokens.get(token_digest(token))
        if user is not None:
            return user
        self.require_not_throttled(peer)
        await self._sleep(self._note_failure(peer, user=""))
        raise QueryError("the bearer token is not valid", sqlstate="28P01")

    async def fail(self, peer: Peer, *, user: str) -> NoReturn:
        """Note that a client has not proved to be a user, and tell it some time later.

        Raises:
            QueryError: always (28P01).
        """
        await self._sleep(self._note_failure(peer, user=user))
        raise password_failed(user)

    def _note_failure(self, peer: Peer, *, user: str) -> float:
        # What is no user's name may be a password or a token that went into the wrong field.
        known = repr(user) if self._is_user(user) else "unknown"
        logger.warning("authentication failed, user=%s, client=%s", known, peer)
        return self._throttle.fail(peer.address)

    def _is_user(self, name: str) -> bool:
        table = None if self._users is None else self._users.current()
        return table is not None and (name in table.verifiers or name in table.tokens.values())


def password_failed(user: str) -> QueryError:
    """What a stranger and a user with a wrong password are told alike, in PostgreSQL's words.

    A token is not repeated: it went into the wrong field, and clients keep what they are told.
    """
    shown = shown_name(user)
    return QueryError(f'password authentication failed for user "{shown}"', sqlstate="28P01")


class TooManyAttemptsError(QueryError):
    """An address has failed too often and is not heard for a while (28000)."""

    sqlstate = "28000"

    def __init__(self, wait_s: float) -> None:
        self.wait_s = max(1, round(wait_s + 0.5))
        super().__init__(
            "too many failed attempts to authenticate",
            hint=f"Wait {self.wait_s} seconds, then try with the right password.",
        )
