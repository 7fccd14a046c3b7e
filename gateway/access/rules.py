"""Decides how a client must authenticate, and checks that it has, for both protocols.

    users file   auth       from loopback       from elsewhere
    none         auto       admitted            refused, unless anonymous access is allowed
    given        auto       SCRAM               SCRAM
    given        password   password            password over TLS
    any          trust      admitted            refused, unless anonymous access is allowed

HTTP takes a password or a bearer token wherever the wire asks for a password, but only over TLS or
from loopback, because others could read them otherwise.
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
from typing import NoReturn, TypeAlias

from stategate.gateway.access.address_turns import AddressTurns
from stategate.gateway.access.login_throttle import Attempt, LoginThrottle
from stategate.gateway.access.open_sessions import OpenSessions
from stategate.gateway.access.peers import AllowedHosts, Peer
from stategate.gateway.access.users import Users, shown_name, token_digest
from stategate.gateway.access.verifiers import (
    PASSWORD_CHARACTERS_MAX,
    Verifier,
    matches_password,
    mock_verifier,
)
from stategate.gateway.audit.log import Audit, NoAudit
from stategate.planner.engine import QueryError, Rights

logger = logging.getLogger(__name__)

USER = "stategate.user"
"""Key of the user's name in the scope of an HTTP request. The name is empty if no login is
required, and None for a request that is answered without a user."""
ADDRESS = "stategate.address"
"""Key in that scope of the address of the client, which may be behind a proxy."""
SESSIONS = "stategate.sessions"
"""Key in that scope of the open sessions, which end with their user."""
ON_AUTHENTICATED = "stategate.on_authenticated"
"""Key in that scope of the function to call once the client is authenticated, if any."""
OnAuthenticated: TypeAlias = Callable[[str, Peer], None]
"""That function; its arguments are the user and where the client is.

Raises:
    QueryError: there is no place for the connection (53300).
"""
_PASSED_ON = "A proxy forwarded the request, so it is not from this machine."
_VERIFIED_MAX = 1000
"""Recently verified passwords, at some 200 bytes: HTTP sends one with every request."""


class Method(Enum):
    """How a client must authenticate."""

    TRUST = "trust"
    SCRAM = "scram"
    PASSWORD = "password"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessRules:
    """The operator's settings for access."""

    method: Method = Method.TRUST
    anonymous: bool = False
    """Whether trust extends beyond loopback."""
    tls_required: bool = False
    """Whether clients beyond loopback must use TLS."""
    hosts: AllowedHosts = field(default_factory=AllowedHosts)
    """The Host headers accepted from clients without credentials."""


class Access:
    """Authenticates clients. Used on the event loop only.

    Args:
        rules: the operator's settings; by default loopback is trusted and others are refused.
        users: required unless the method is trust.
        rights: the stores that each user may read, as `users` keeps them; None for all stores.
        throttle: counts failures by address and account.
        turns: the turns of each address.
        sleep: waits for a number of seconds.
        audit: takes a line of each login.
    """

    def __init__(
        self,
        *,
        rules: AccessRules | None = None,
        users: Users | None = None,
        rights: Rights | None = None,
        throttle: LoginThrottle | None = None,
        turns: AddressTurns | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        audit: Audit | None = None,
    ) -> None:
        self._rules = rules or AccessRules()
        assert users is not None or self._rules.method is Method.TRUST, "settings are checked"
        self._users = users
        self.rights = rights or Rights()
        """The stores that each user may read."""
        self.sessions = OpenSessions() if users is None else OpenSessions(users.has)
        """The sessions that end with their user."""
        if users is not None:
            users.on_read = self.sessions.end_those_without_user
        self._throttle = LoginThrottle() if throttle is None else throttle
        self._turns = AddressTurns() if turns is None else turns
        self._sleep = sleep
        self._audit: Audit = NoAudit() if audit is None else audit
        # A separate thread, because statements would delay logins. It checks some 500 passwords
        # a second, and each result is cached.
        self._checking = asyncio.Lock()
        self._checker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="password")
        self._verified: OrderedDict[bytes, None] = OrderedDict()
        self._verified_key = secrets.token_bytes(32)

    def close(self) -> None:
        """Stop the thread that checks passwords."""
        self._checker.shutdown(wait=False, cancel_futures=True)

    @property
    def has_users(self) -> bool:
        """Whether there is a users file."""
        return self._users is not None

    def reload(self) -> None:
        """Read the users file again, even if unchanged."""
        if self._users is not None:
            self._users.reload()

    def look(self) -> None:
        """Notice a changed users file now, since a session may end or lose stores meanwhile."""
        if self._users is not None:
            self._users.current()

    def note_login(
        self, protocol: str, peer: Peer, *, user: str | None, error: QueryError | None = None
    ) -> None:
        """Note in the audit that a client was admitted or refused.

        Args:
            protocol: `http` or `wire`.
            peer: where the client is.
            user: the name that it gave, if any. An unknown one may be a password or token in the
                wrong field, so it is not kept.
            error: why it was refused; None if it was admitted.
        """
        is_known = user is not None and (error is None or self._is_user(user))
        self._audit.note(
            "login",
            user=user if is_known else None,
            client=peer.address,
            protocol=protocol,
            sqlstate="00000" if error is None else error.sqlstate,
        )

    # --- requirements ----------------------------------------------------------------------------

    def method_for(self, peer: Peer) -> Method:
        """Return how a client must authenticate.

        Raises:
            QueryError: no client is admitted from there (28000).
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
        """Refuse a request without credentials whose Host header is not accepted.

        Args:
            header: the value of the Host header.

        Raises:
            QueryError: a web page may have sent the request (28000).
        """
        if not self._rules.hosts.allows(header):
            shown = header[:100].decode("latin-1")
            raise QueryError(
                f'the host name "{shown}" is not accepted without credentials',
                hint="Use localhost or an IP address, or add the name to the setting http_hosts.",
                sqlstate="28000",
            )

    def require_confidential(self, peer: Peer) -> None:
        """Refuse to take a password or token that others could read on its way.

        Raises:
            QueryError: the connection is neither TLS nor loopback (28000).
        """
        if not peer.is_confidential:
            raise QueryError(
                "passwords and tokens are accepted over TLS only",
                detail=_PASSED_ON if peer.forwarded else None,
                hint="Name the proxy in the setting proxies, and let it send X-Forwarded-Proto."
                if peer.forwarded
                else "Connect over TLS, and change the password or token.",
                sqlstate="28000",
            )

    def require_not_throttled(self, peer: Peer, user: str | None) -> None:
        """Refuse an account with too many recent failures from the same address.

        Args:
            peer: where the client is.
            user: the name that it claims; None for a token.

        Raises:
            TooManyAttemptsError: it has too many (28000).
        """
        self._require_tries(self._throttle.attempt(peer.address, user))

    async def require_turn(self, peer: Peer, user: str) -> None:
        """Wait until a password may be checked.

        Raises:
            TooManyAttemptsError: the account has failed too often from there (28000).
        """
        await self._turn(self._throttle.attempt(peer.address, user))

    async def _turn(self, attempt: Attempt) -> None:
        self._require_tries(attempt)
        await self._turns.wait(attempt)
        self._require_tries(attempt)

    def _require_tries(self, attempt: Attempt) -> None:
        wait_s = self._throttle.refused_for_s(attempt)
        if wait_s:
            raise TooManyAttemptsError(wait_s)

    # --- credentials -----------------------------------------------------------------------------

    def verifier_of(self, user: str) -> tuple[Verifier, bool]:
        """Return a user's verifier, and False; for an unknown name a mock, and True.

        No password matches a mock.
        """
        assert self._users is not None, "trust uses no verifiers"
        table = self._users.current()
        # A mock is made in both cases, so that both take the same time.
        mock = mock_verifier(user, secret=table.mock_secret, shapes=table.shapes)
        found = table.verifiers.get(user)
        return (mock, True) if found is None else (found, False)

    def has_verified(self, *, user: str, password: str) -> bool:
        """Whether this password of the user was right recently, and the user still has it."""
        verifier, doomed = self.verifier_of(user)
        tag = self._tag(user, password, verifier)
        if doomed or tag not in self._verified:
            return False
        self._verified.move_to_end(tag)
        return True

    async def check_password(self, peer: Peer, *, user: str, password: str) -> None:
        """Authenticate a user by password.

        Raises:
            QueryError: the password is wrong or the user unknown (28P01), after a delay; or the
                account has failed too often from there (28000).
        """
        if self.has_verified(user=user, password=password):
            return
        attempt = self._throttle.attempt(peer.address, user)
        await self._turn(attempt)
        verifier, doomed = self.verifier_of(user)
        async with self._turns.alone(attempt), self._checking:
            # A failure is counted before the next check begins, so that parallel guesses gain
            # nothing over sequential ones.
            self._require_tries(attempt)
            right = await self._fits(verifier, password) and not doomed
            delay_s = 0.0 if right else self._note_failure(attempt, peer, user=user)
        if not right:
            await self._pause(attempt, delay_s)
            raise password_failed(user)
        self._verified[self._tag(user, password, verifier)] = None
        while len(self._verified) > _VERIFIED_MAX:
            self._verified.popitem(last=False)

    async def _fits(self, verifier: Verifier, password: str) -> bool:
        if len(password) > PASSWORD_CHARACTERS_MAX:
            return False
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._checker, matches_password, verifier, password)

    def _tag(self, user: str, password: str, verifier: Verifier) -> bytes:
        """Return a cache key for a password that does not reveal it and depends on the verifier."""
        parts = (user.encode(errors="surrogatepass"), password.encode(errors="surrogatepass"))
        digest = hashlib.sha256(verifier.stored_key)
        for part in parts:
            digest.update(len(part).to_bytes(8, "big") + part)
        return hmac.digest(self._verified_key, digest.digest(), "sha256")

    def user_of_token(self, token: str) -> str | None:
        """Return the user of a bearer token; None if it is unknown."""
        assert self._users is not None, "trust uses no verifiers"
        return self._users.current().tokens.get(token_digest(token))

    async def check_token(self, peer: Peer, token: str) -> str:
        """Return the user of a bearer token.

        Raises:
            QueryError: the token is unknown (28P01), or too many from there were (28000).
        """
        user = self.user_of_token(token)
        if user is not None:
            return user
        self.require_not_throttled(peer, None)
        await self._fail(peer, user=None)
        raise QueryError("the bearer token is not valid", sqlstate="28P01")

    async def fail(self, peer: Peer, *, user: str) -> NoReturn:
        """Count a failed login, and raise its error after a delay.

        Raises:
            QueryError: always (28P01).
        """
        await self._fail(peer, user=user)
        raise password_failed(user)

    async def _fail(self, peer: Peer, *, user: str | None) -> None:
        attempt = self._throttle.attempt(peer.address, user)
        await self._pause(attempt, self._note_failure(attempt, peer, user=user))

    def _note_failure(self, attempt: Attempt, peer: Peer, *, user: str | None) -> float:
        # An unknown name may be a password or token in the wrong field.
        known = repr(user) if user is not None and self._is_user(user) else "unknown"
        logger.warning("authentication failed, user=%s, client=%s", known, peer)
        return self._throttle.fail(attempt)

    async def _pause(self, attempt: Attempt, delay_s: float) -> None:
        """Wait until a failure may be answered; it takes a place of its address meanwhile."""
        with self._turns.failing(attempt):
            await self._sleep(delay_s)

    def _is_user(self, name: str) -> bool:
        return self._users is not None and name in self._users.current().names


def password_failed(user: str) -> QueryError:
    """Return the error for an unknown user and for a wrong password, in PostgreSQL's words.

    It does not repeat a token, which went into the wrong field: clients log error messages.
    """
    shown = shown_name(user)
    return QueryError(f'password authentication failed for user "{shown}"', sqlstate="28P01")


class TooManyAttemptsError(QueryError):
    """An address has failed too often and is refused for a while (28000)."""

    sqlstate = "28000"

    def __init__(self, wait_s: float) -> None:
        self.wait_s = max(1, round(wait_s + 0.5))
        super().__init__(
            "too many failed attempts to authenticate",
            hint=f"Wait {self.wait_s} seconds, then try with the right password.",
        )
