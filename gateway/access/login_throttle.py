"""Counts failed logins, and says how late to answer them and which to refuse unchecked.

Only failures of the same account from the same address (an IPv6 /64) refuse anything: behind one
address may be many clients, and one with an old password must not lock out the others. Failures of
other accounts delay the answers to further failures. Names that do not exist count like all others,
or the answers would show which ones exist.
"""

from __future__ import annotations

import hashlib
import math
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from stategate.gateway.access.address_limits import network_of

_DIGEST_BYTES = 16
_TOKENS = b"tokens"
"""The account of all unknown tokens; no digest is as short. A known token is never refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleLimits:
    """How many failures are tolerated, and how slowly they are answered."""

    failures_max: int = 10
    """Failures of an account from an address before further attempts are refused unchecked: enough
    for typing errors and for a service with an old password, too few for a dictionary."""
    refill_s: float = 6.0
    """Time until one failure is forgotten: in the long run 10 guesses a minute."""
    delay_s: float = 0.1
    """Delay of the answer to the first failure of an address; each further one doubles it."""
    delay_s_max: float = 2.0
    """Longest delay. A delayed answer holds a connection, and those are limited."""
    of_account_max: int = 100
    """Failures of an account, from all addresses, before it counts as attacked: no one types that
    many errors."""
    attacked_retry_s: float = 30.0
    """Time from a failure to the next attempt from the same address on an attacked account."""
    addresses_max: int = 10_000
    """Addresses to remember; the one that failed longest ago is dropped."""
    accounts_of_address_max: int = 64
    """Accounts to remember of an address; the one with the fewest failures is dropped. Whoever
    fails more often than that is slowed down by the delays of the address."""
    pairs_max: int = 50_000
    """Accounts to remember of all addresses, at some 200 bytes each."""
    accounts_max: int = 10_000
    """Accounts to remember that failed from anywhere, at some 200 bytes each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """An attempt to log in: who counts for it."""

    network: str
    account: bytes


@dataclass(slots=True)
class _Bucket:
    """Failures, which are forgotten one by one."""

    level: float = 0.0
    failed_s: float = 0.0
    """When the last one was added."""

    def level_at(self, now_s: float, refill_s: float) -> float:
        return max(0.0, self.level - (now_s - self.failed_s) / refill_s)


@dataclass(slots=True)
class _Address:
    failures: _Bucket = field(default_factory=_Bucket)
    """Those of all accounts."""
    accounts: dict[bytes, _Bucket] = field(default_factory=dict)


class LoginThrottle:
    """Remembers failures by address and account, in a bounded memory.

    A success forgets nothing: someone else behind the address could guess between the logins of the
    account's owner. Not thread-safe: used on the event loop only.

    Args:
        limits: numbers and delays.
        clock: monotonic, in seconds.
    """

    def __init__(
        self, limits: ThrottleLimits | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limits = limits or ThrottleLimits()
        self._clock = clock
        self._key = secrets.token_bytes(_DIGEST_BYTES)
        self._addresses: dict[str, _Address] = {}
        """In the order of their last failures, as `_accounts`."""
        self._accounts: dict[bytes, _Bucket] = {}
        self._pairs = 0

    def __len__(self) -> int:
        """Return the number of accounts that have failed, each with its address."""
        return self._pairs

    def attempt(self, address: str | None, user: str | None) -> Attempt:
        """Return an attempt.

        Args:
            address: where it comes from.
            user: the name that the client claims; None for a token.
        """
        if user is None:
            return Attempt(network=network_of(address), account=_TOKENS)
        # A digest, because a name may be long, and a password or token in the wrong field.
        name = user.encode(errors="surrogatepass")
        digest = hashlib.blake2b(name, digest_size=_DIGEST_BYTES, key=self._key).digest()
        return Attempt(network=network_of(address), account=digest)

    def refused_for_s(self, attempt: Attempt) -> float:
        """Return how many seconds an attempt is refused unchecked; 0 if it may be checked.

        Law: 0 unless this account has failed from this address.
        """
        found = self._addresses.get(attempt.network)
        failed = None if found is None else found.accounts.get(attempt.account)
        if failed is None:
            return 0.0
        limits, now_s = self._limits, self._clock()
        over = failed.level_at(now_s, limits.refill_s) + 1 - limits.failures_max
        wait_s = over * limits.refill_s
        if self._is_attacked(attempt.account, now_s):
            wait_s = max(wait_s, failed.failed_s + limits.attacked_retry_s - now_s)
        # A rounding error is not a failure.
        return wait_s if wait_s > 1e-9 else 0.0

    def fail(self, attempt: Attempt) -> float:
        """Count a failure; return the seconds by which to delay its answer."""
        limits = self._limits
        address = self._addresses.pop(attempt.network, None) or _Address()
        self._pairs -= len(address.accounts)
        self._add(address.failures)
        self._add(_kept(address.accounts, attempt.account))
        if len(address.accounts) > max(1, limits.accounts_of_address_max):
            self._drop_least(address.accounts, but=attempt.account)
        self._pairs += len(address.accounts)
        self._addresses[attempt.network] = address
        while len(self._addresses) > 1 and (
            len(self._addresses) > limits.addresses_max or self._pairs > limits.pairs_max
        ):
            dropped = self._addresses.pop(next(iter(self._addresses)))
            self._pairs -= len(dropped.accounts)
        if attempt.account != _TOKENS:
            self._add(_kept(self._accounts, attempt.account))
            while len(self._accounts) > max(1, limits.accounts_max):
                del self._accounts[next(iter(self._accounts))]
        return min(limits.delay_s * math.pow(2, address.failures.level - 1), limits.delay_s_max)

    def _is_attacked(self, account: bytes, now_s: float) -> bool:
        failed = self._accounts.get(account)
        limits = self._limits
        return (
            failed is not None
            and failed.level_at(now_s, limits.refill_s) + 1 > limits.of_account_max
        )

    def _add(self, bucket: _Bucket) -> None:
        limits, now_s = self._limits, self._clock()
        level = bucket.level_at(now_s, limits.refill_s) + 1
        # More of them change nothing, and would take long to forget.
        bucket.level = min(level, float(max(limits.failures_max, limits.of_account_max)))
        bucket.failed_s = now_s

    def _drop_least(self, accounts: dict[bytes, _Bucket], *, but: bytes) -> None:
        now_s, refill_s = self._clock(), self._limits.refill_s
        others = (account for account in accounts if account != but)
        del accounts[min(others, key=lambda each: accounts[each].level_at(now_s, refill_s))]


def _kept(buckets: dict[bytes, _Bucket], key: bytes) -> _Bucket:
    """Return a bucket, new if it is missing, which is the last one now."""
    found = buckets.pop(key, None) or _Bucket()
    buckets[key] = found
    return found
