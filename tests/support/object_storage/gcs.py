"""Google Cloud Storage on this machine, for tests: its XML API, which obstore speaks.

The emulators that packages bring speak only the JSON API, so this was written from Google's
reference of the XML API. Objects are in memory, or in fake-gcs-server by `gcs_emulator`: then that
program decides whether a precondition holds.
"""

from __future__ import annotations

import hashlib
import itertools
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Protocol, TypeAlias
from urllib.parse import parse_qs, quote, unquote
from urllib.request import Request, urlopen
from xml.sax.saxutils import escape

from tests.support.object_storage.buckets import Service

_PAGE = 1000
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")
_generations = itertools.count(1_700_000_000_000_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """An object."""

    data: bytes
    generation: int
    changed: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def tag(self) -> str:
        return f'"{hashlib.md5(self.data, usedforsecurity=False).hexdigest()}"'


class NoBucketError(Exception):
    """The bucket does not exist."""


class ChangedError(Exception):
    """The object has another generation."""


class Objects(Protocol):
    """Where objects are kept."""

    def make(self, bucket: str) -> None:
        """Create a bucket."""

    def names(self, bucket: str, prefix: str) -> list[str]:
        """Return the names that begin so; raise NoBucketError."""

    def get(self, bucket: str, key: str) -> Blob | None:
        """Return an object; raise NoBucketError."""

    def put(self, bucket: str, key: str, data: bytes, generation: int | None) -> Blob:
        """Write an object that has this generation, 0 for none.

        Raises NoBucketError, or ChangedError if the generation is another.
        """

    def delete(self, bucket: str, key: str) -> bool:
        """Delete an object; raise NoBucketError."""


class InMemory:
    """Objects in memory."""

    def __init__(self) -> None:
        self._buckets: dict[str, dict[str, Blob]] = {}
        self._lock = threading.Lock()

    def make(self, bucket: str) -> None:
        self._buckets.setdefault(bucket, {})

    def _blobs(self, bucket: str) -> dict[str, Blob]:
        try:
            return self._buckets[bucket]
        except KeyError:
            raise NoBucketError from None

    def names(self, bucket: str, prefix: str) -> list[str]:
        with self._lock:
            return [key for key in self._blobs(bucket) if key.startswith(prefix)]

    def get(self, bucket: str, key: str) -> Blob | None:
        return self._blobs(bucket).get(key)

    def put(self, bucket: str, key: str, data: bytes, generation: int | None) -> Blob:
        with self._lock:
            blobs = self._blobs(bucket)
            found = blobs.get(key)
            if generation is not None and generation != (found.generation if found else 0):
                raise ChangedError
            blobs[key] = blob = Blob(data=data, generation=next(_generations))
            return blob

    def delete(self, bucket: str, key: str) -> bool:
        with self._lock:
            return self._blobs(bucket).pop(key, None) is not None


Reply: TypeAlias = tuple[str, Mapping[str, str], bytes]
_DONE: Mapping[str, str] = {}


def _error(status: str, code: str, message: str) -> Reply:
    text = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{message}</Message></Error>"
    return status, {"Content-Type": "application/xml"}, text.encode()


def _xml(tag: str, inner: str) -> Reply:
    text = f"<?xml version='1.0' encoding='UTF-8'?><{tag}>{inner}</{tag}>"
    return "200 OK", {"Content-Type": "application/xml"}, text.encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request."""

    method: str
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class XmlApi:
    """The part of the XML API that obstore uses, as a WSGI application."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._uploads: dict[str, dict[int, bytes]] = {}

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        bucket, _, key = environ["PATH_INFO"].lstrip("/").partition("/")
        query = parse_qs(environ["QUERY_STRING"], keep_blank_values=True)
        asked = _Asked(
            method=environ["REQUEST_METHOD"],
            bucket=bucket,
            key=key,
            query={name: values[0] for name, values in query.items()},
            headers={
                name.removeprefix("HTTP_").replace("_", "-").lower(): value
                for name, value in environ.items()
                if name.startswith("HTTP_")
            },
            body=environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)),
        )
        try:
            status, headers, body = self._reply(asked)
        except NoBucketError:
            status, headers, body = _error(
                "404 Not Found", "NoSuchBucket", "The specified bucket does not exist."
            )
        except ChangedError:
            status, headers, body = _error(
                "412 Precondition Failed",
                "PreconditionFailed",
                "At least one of the pre-conditions you specified did not hold.",
            )
        start(status, [*{"Content-Length": str(len(body)), **headers}.items()])
        return [] if asked.method == "HEAD" else [body]

    def _reply(self, asked: _Asked) -> Reply:
        match asked.method:
            case "PUT" if not asked.key:
                self._objects.make(asked.bucket)
                return "200 OK", _DONE, b""
            case "GET" if not asked.key:
                return self._list(asked)
            case "GET" | "HEAD":
                return self._get(asked)
            case "DELETE" if self._objects.delete(asked.bucket, asked.key):
                return "204 No Content", _DONE, b""
            case "DELETE":
                return _error("404 Not Found", "NoSuchKey", "The specified key does not exist.")
            case "PUT" if "uploadId" in asked.query:
                self._uploads[asked.query["uploadId"]][int(asked.query["partNumber"])] = asked.body
                tag = Blob(data=asked.body, generation=0).tag
                return "200 OK", {"ETag": tag}, b""
            case "PUT":
                return self._put(asked)
            case "POST" if "uploads" in asked.query:
                upload = str(next(_generations))
                self._objects.names(asked.bucket, asked.key)
                self._uploads[upload] = {}
                return _xml("InitiateMultipartUploadResult", f"<UploadId>{upload}</UploadId>")
            case "POST" if "uploadId" in asked.query:
                return self._complete(asked)
            case _:
                return _error("400 Bad Request", "InvalidArgument", "Invalid argument.")

    def _put(self, asked: _Asked) -> Reply:
        condition = asked.headers.get("x-goog-if-generation-match")
        generation = None if condition is None else int(condition)
        body = asked.body
        if source := asked.headers.get("x-goog-copy-source"):
            bucket, _, key = unquote(source).lstrip("/").partition("/")
            found = self._objects.get(bucket, key)
            if found is None:
                return _error("404 Not Found", "NoSuchKey", "The specified key does not exist.")
            body = found.data
        blob = self._objects.put(asked.bucket, asked.key, body, generation)
        headers = {"ETag": blob.tag, "x-goog-generation": str(blob.generation)}
        return _xml("CopyObjectResult", "") if source else ("200 OK", headers, b"")

    def _complete(self, asked: _Asked) -> Reply:
        parts = self._uploads.pop(asked.query["uploadId"])
        numbers = [int(each.text or "") for each in ET.fromstring(asked.body).iter("PartNumber")]
        data = b"".join(parts[number] for number in numbers)
        blob = self._objects.put(asked.bucket, asked.key, data, None)
        return _xml("CompleteMultipartUploadResult", f"<ETag>{escape(blob.tag)}</ETag>")

    def _get(self, asked: _Asked) -> Reply:
        found = self._objects.get(asked.bucket, asked.key)
        if found is None:
            return _error("404 Not Found", "NoSuchKey", "The specified key does not exist.")
        headers = {
            "ETag": found.tag,
            "x-goog-generation": str(found.generation),
            "Last-Modified": format_datetime(found.changed, usegmt=True),
            "Content-Length": str(len(found.data)),
        }
        if part := _RANGE.fullmatch(asked.headers.get("range", "")):
            first, last = int(part[1]), min(int(part[2] or len(found.data)), len(found.data) - 1)
            body = found.data[first : last + 1]
            headers["Content-Length"] = str(len(body))
            headers["Content-Range"] = f"bytes {first}-{last}/{len(found.data)}"
            return "206 Partial Content", headers, body
        return "200 OK", headers, found.data

    def _list(self, asked: _Asked) -> Reply:
        prefix, delimiter = asked.query.get("prefix", ""), asked.query.get("delimiter", "")
        size = min(_PAGE, int(asked.query.get("max-keys", _PAGE)))
        after = asked.query.get("continuation-token", asked.query.get("start-after", ""))
        shown: dict[str, bool] = {}  # name or common prefix → whether it is an object
        for key in sorted(self._objects.names(asked.bucket, prefix)):
            end = key.find(delimiter, len(prefix)) if delimiter else -1
            name = key if end < 0 else key[: end + len(delimiter)]
            if name > after:
                shown[name] = end < 0
        page = [*shown.items()][:size]
        parts = [f"<Prefix>{escape(prefix)}</Prefix><KeyCount>{len(page)}</KeyCount>"]
        for name, is_object in page:
            if not is_object:
                parts.append(f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>")
            elif found := self._objects.get(asked.bucket, name):
                changed = found.changed.isoformat(timespec="milliseconds").replace("+00:00", "Z")
                parts.append(
                    f"<Contents><Key>{escape(name)}</Key><Generation>{found.generation}</Generation>"
                    f"<LastModified>{changed}</LastModified><ETag>{escape(found.tag)}</ETag>"
                    f"<Size>{len(found.data)}</Size></Contents>"
                )
        if len(shown) > size:
            token = escape(page[-1][0])
            parts.append(f"<NextContinuationToken>{token}</NextContinuationToken>")
        parts.append(f"<IsTruncated>{str(len(shown) > size).lower()}</IsTruncated>")
        return _xml("ListBucketResult", "".join(parts))


def gcs_service(objects: Objects | None = None) -> Service:
    """Return the objects of a Google Cloud Storage."""
    return Service(
        app=XmlApi(objects or InMemory()),
        uri="gs://anonymous@{bucket}/{path}?scheme=http&endpoint_override={address}",
        make_bucket=_make_bucket,
        kind=_kind,
    )


def _make_bucket(address: str, name: str) -> None:
    with urlopen(Request(f"http://{address}/{quote(name)}", method="PUT"), timeout=30):
        pass


def _kind(method: str, path: str) -> str:
    if re.search(r"\?.*(uploadId=|uploads)", path):
        return "put"
    if method == "GET" and "list-type=" in path:
        return "list"
    return method.lower()
