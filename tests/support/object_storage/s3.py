"""An S3 server on this machine, for tests: moto's, which keeps its objects in memory."""

from __future__ import annotations

import re
from urllib.request import Request, urlopen

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app

from tests.support.object_storage.buckets import BucketServer, Service

KEYS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test-secret"}


def s3_service() -> Service:
    """Return the objects of a new S3."""
    return Service(
        app=DomainDispatcherApplication(create_backend_app),
        uri="s3://{bucket}/{path}?region=us-east-1&scheme=http&endpoint_override={address}",
        user="test:test-secret@",
        make_bucket=_make_bucket,
        kind=_kind,
        keys=KEYS,
        serial=True,
    )


def s3_server() -> BucketServer:
    """Start an S3 server."""
    return BucketServer(s3_service())


def _make_bucket(address: str, name: str) -> None:
    with urlopen(Request(f"http://{address}/{name}", method="PUT"), timeout=30):
        pass


def _kind(method: str, path: str) -> str:
    if re.search(r"\?.*(uploadId=|uploads)", path):
        return "put"
    if method == "POST" and "?delete" in path:
        return "delete"
    if method == "GET" and "list-type=" in path:
        return "list"
    return method.lower()
