"""What the errors of object stores mean, as one sentence without secrets."""

from __future__ import annotations

import errno
import re

from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

_SHOWN_MAX = 300


class ObjectStoreError(OSError):
    """A failure of an object store; it has a number, as errors of file systems do."""

    def __init__(self, message: str) -> None:
        super().__init__(errno.EIO, message)

    def __str__(self) -> str:
        return str(self.strerror)


_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "specified bucket does not exist")
_KEYS_OF_MACHINE = ("169.254.169.254", "metadata.google.internal")
"""Where a machine is asked for its keys, if nothing else gives some."""
FAILURES = (BaseError, FileNotFoundError)
"""The errors of obstore; that of a missing file is Python's own."""
_STATUS = re.compile(r"status: (\d+)")
_FROM_SERVICE = (
    re.compile(r"<Code>([^<]*)</Code>.*?<Message>([^<]*)", re.DOTALL),
    re.compile(r'"code": ?"?(\w+)"?,.*?"message": ?"([^"]*)"', re.DOTALL),
)
_CAUSE = re.compile(r'message: "([^"]*)"|kind: (Timeout|Connect|Interrupted)\b')


def _status_of(error: Exception) -> int | None:
    """Return the status of the answer; None without an answer."""
    found = _STATUS.search(str(error))
    return int(found[1]) if found else None


def may_pass(error: Exception) -> bool:
    """Whether the same request may succeed later."""
    if isinstance(error, FileNotFoundError | PermissionDeniedError | UnauthenticatedError):
        return False
    status = _status_of(error)
    return status is None or status >= 500 or status in {408, 409, 429}


def explained(error: Exception) -> OSError:
    """Return the error of a file system for one of obstore, without secrets."""
    text, status = str(error), _status_of(error)
    if any(each in text for each in _NO_BUCKET):
        return ObjectStoreError("the bucket or container does not exist")
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, "no such file")
    told = told_by(text)
    if any(each in text for each in _KEYS_OF_MACHINE):
        told = f"no credentials are found ({told})"
    elif isinstance(error, PermissionDeniedError | UnauthenticatedError) or status in {401, 403}:
        told = f"access is refused ({told})"
    elif status in {429, 503}:
        told = f"the object store asks for fewer requests ({told})"
    elif status is None:
        told = f"the object store does not answer ({told})"
    return ObjectStoreError(told)


def told_by(text: str) -> str:
    """Return what an object store, or the network, says of a failure."""
    shown, _, details = text.partition("\n\nDebug source")
    for pattern in _FROM_SERVICE:
        if found := pattern.search(shown):
            message = found[2].strip().partition("\n")[0]
            return f"{found[1]}: {message}"[:_SHOWN_MAX]
    if causes := [a or b for a, b in _CAUSE.findall(details)]:
        return str(causes[-1])
    # The query of a URL may hold a signature.
    return re.sub(r"\?\S*", "", shown.partition("\n")[0])[:_SHOWN_MAX]
