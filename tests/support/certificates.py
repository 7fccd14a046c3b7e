"""Certificates for tests: an authority and its certificates, made by the openssl program."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

TIMEOUT_S = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """A server's certificate and key, and the authority that signed it."""

    certificate: Path
    key: Path
    authority: Path


def openssl(*arguments: str) -> bytes:
    """Run the openssl program; return its output."""
    done = subprocess.run(
        ["openssl", *arguments], check=True, capture_output=True, timeout=TIMEOUT_S
    )
    return done.stdout


_EC = ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


def make_authority(directory: Path, *, name: str = "authority") -> tuple[Path, Path]:
    """Make a root certificate and its key."""
    certificate, key = directory / f"{name}.pem", directory / f"{name}.key"
    openssl(
        *("req", "-x509", "-nodes", "-days", "2", "-newkey", *_EC, "-subj", f"/CN={name}"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    return certificate, key


def make_server(
    directory: Path, *, authority: tuple[Path, Path], name: str = "server", digest: str = "sha256"
) -> Signed:
    """Make a certificate for localhost and 127.0.0.1."""
    signed = Signed(
        certificate=directory / f"{name}.pem", key=directory / f"{name}.key", authority=authority[0]
    )
    openssl(
        *("req", "-x509", "-nodes", "-days", "2", "-newkey", *_EC, "-subj", f"/CN={name}"),
        *("-keyout", str(signed.key), "-out", str(signed.certificate), f"-{digest}"),
        *("-CA", str(authority[0]), "-CAkey", str(authority[1])),
        *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"),
        *("-addext", "basicConstraints=critical,CA:FALSE"),
    )
    signed.key.chmod(0o600)
    return signed


def self_signed(directory: Path, *, algorithm: tuple[str, ...], more: tuple[str, ...] = ()) -> Path:
    """Make a self-signed certificate with a key of an algorithm, e.g. `("rsa:2048",)`."""
    path = directory / "own.pem"
    openssl(
        *("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=x", "-newkey", *algorithm),
        *("-keyout", str(directory / "own.key"), "-out", str(path), *more),
    )
    return path
