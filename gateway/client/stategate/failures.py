"""The errors of connections, as those of statements."""

from __future__ import annotations

import ssl

from stategate.errors import (
    CONNECTION_LOST,
    NO_CONNECTION,
    OUT_OF_TIME,
    InterfaceError,
    OperationalError,
)


def closed() -> InterfaceError:
    """Return the error of a connection that is not to be used again."""
    return InterfaceError("the connection is closed")


def not_connected(url: str, error: Exception) -> OperationalError:
    """Return the error of a connection that could not be made."""
    unverified = isinstance(error, ssl.SSLCertVerificationError)
    return OperationalError(
        f"no gateway answers at {url}: {said(error)}",
        sqlstate=NO_CONNECTION,
        hint="Check the authorities in tls=, or in SSL_CERT_FILE." if unverified else None,
        retryable=not unverified,
    )


def disconnected(error: Exception) -> OperationalError:
    """Return the error of a connection that broke off."""
    return OperationalError(
        f"the connection broke off: {said(error)}", sqlstate=CONNECTION_LOST, retryable=True
    )


def out_of_time() -> OperationalError:
    """Return the error of an answer that does not come."""
    return OperationalError("no answer has come in time", sqlstate=OUT_OF_TIME)


def no_free_connection() -> OperationalError:
    """Return the error of a pool whose connections are all in use."""
    return OperationalError(
        "no connection of the pool has become free in time",
        sqlstate="53300",
        hint="Close cursors that are not read to their end, or raise connections_max.",
    )


def said(error: Exception) -> str:
    """Return what an error says, in lower case like our own."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return (told or type(error).__name__).lower()
