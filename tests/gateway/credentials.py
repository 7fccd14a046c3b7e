"""Users and certificates for tests of authentication."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stategate.gateway.access.changing_users import set_password
from stategate.gateway.access.login_throttle import LoginThrottle, ThrottleLimits
from stategate.gateway.access.rules import Access, AccessRules, Method
from stategate.gateway.access.users import Users
from stategate.planner.engine import Rights

USER = "joe"
PASSWORD = "correct horse"
OTHER = "zoë 'q\""
OTHER_PASSWORD = "Pa\N{LATIN SMALL LIGATURE FI}\N{NO-BREAK SPACE}ß\N{SOFT HYPHEN}"
"""SASLprep turns it into `Pafi ß`."""


def make_users(directory: Path) -> Path:
    """Return a users file with two users."""
    path = directory / "users.txt"
    set_password(path, name=USER, password=PASSWORD)
    set_password(path, name=OTHER, password=OTHER_PASSWORD)
    return path


@contextmanager
def access_of(
    path: Path | None,
    *,
    method: Method = Method.SCRAM,
    anonymous: bool = False,
    tls_required: bool = False,
    failures_max: int = 1000,
    delay_s: float = 0.0,
    rights: Rights | None = None,
) -> Iterator[Access]:
    """Return access that, by default, tolerates many failures and answers them at once."""
    access = Access(
        rules=AccessRules(method=method, anonymous=anonymous, tls_required=tls_required),
        users=None if path is None else Users(path, rights),
        rights=rights,
        throttle=LoginThrottle(ThrottleLimits(failures_max=failures_max, delay_s=delay_s)),
    )
    yield access
    access.close()
