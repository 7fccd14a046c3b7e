"""Azure's blobs on this machine, for tests: Azurite, which `make buckets` installs by npm."""

from __future__ import annotations

import base64
import hashlib
import hmac
from email.utils import formatdate
from urllib.parse import quote
from urllib.request import Request, urlopen

from tests.support.forwarding import forwarding
from tests.support.object_storage.buckets import Service

ACCOUNT = "devstoreaccount1"
KEY = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
"""The account and the key that every Azurite has; they are no secret."""
_VERSION = "2021-08-06"


def azure_service(address: str) -> Service:
    """Return the blobs of an Azurite."""
    return Service(
        app=forwarding(address),
        uri="az://{bucket}/{path}?scheme=http"
        f"&account={ACCOUNT}&endpoint_override={{address}}/{ACCOUNT}",
        user=f"{ACCOUNT}:{quote(KEY, safe='')}@",
        make_bucket=_make_container,
        kind=_kind,
        keys={"AZURE_STORAGE_ACCOUNT_KEY": KEY},
    )


def _make_container(address: str, name: str) -> None:
    headers = {"x-ms-date": formatdate(usegmt=True), "x-ms-version": _VERSION}
    listed = "".join(f"{key}:{value}\n" for key, value in headers.items())
    text = f"PUT{chr(10) * 12}{listed}/{ACCOUNT}/{ACCOUNT}/{name}\nrestype:container"
    digest = hmac.digest(base64.b64decode(KEY), text.encode(), hashlib.sha256)
    headers["Authorization"] = f"SharedKey {ACCOUNT}:{base64.b64encode(digest).decode()}"
    url = f"http://{address}/{ACCOUNT}/{name}?restype=container"
    with urlopen(Request(url, method="PUT", headers=headers), timeout=30):
        pass


def _kind(method: str, path: str) -> str:
    if method == "GET" and "comp=list" in path:
        return "list"
    if method == "POST" and "comp=batch" in path:
        return "delete"
    return method.lower()
