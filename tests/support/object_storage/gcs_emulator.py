"""Objects kept by fake-gcs-server, behind our XML API: it decides whether preconditions hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from http.client import HTTPMessage
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from tests.support.object_storage.gcs import Blob, ChangedError, NoBucketError

_TIMEOUT_S = 60
_JSON = {"Content-Type": "application/json"}


class FakeGcs:
    """Objects of the server at an address; see `tests.support.object_storage.gcs.Objects`."""

    def __init__(self, address: str) -> None:
        self._url = f"http://{address}"

    def make(self, bucket: str) -> None:
        self._ask("POST", "/storage/v1/b", json.dumps({"name": bucket}).encode(), _JSON)

    def names(self, bucket: str, prefix: str) -> list[str]:
        found: list[str] = []
        token = ""
        while True:
            query = urlencode({"prefix": prefix, "pageToken": token})
            body, _ = self._of(bucket, "GET", f"/storage/v1/b/{bucket}/o?{query}")
            page = json.loads(body)
            found += [each["name"] for each in page.get("items", ())]
            if not (token := page.get("nextPageToken", "")):
                return found

    def get(self, bucket: str, key: str) -> Blob | None:
        try:
            path = f"/storage/v1/b/{bucket}/o/{quote(key, safe='')}"
            body, headers = self._of(bucket, "GET", f"{path}?alt=media")
        except FileNotFoundError:
            return None
        return Blob(
            data=body,
            generation=int(headers["x-goog-generation"]),
            changed=parsedate_to_datetime(headers["Last-Modified"]),
        )

    def put(self, bucket: str, key: str, data: bytes, generation: int | None) -> Blob:
        asked = {"uploadType": "media", "name": key}
        if generation is not None:
            asked["ifGenerationMatch"] = str(generation)
        path = f"/upload/storage/v1/b/{bucket}/o?{urlencode(asked)}"
        body, _ = self._of(bucket, "POST", path, data)
        return Blob(data=data, generation=int(json.loads(body)["generation"]))

    def delete(self, bucket: str, key: str) -> bool:
        try:
            self._of(bucket, "DELETE", f"/storage/v1/b/{bucket}/o/{quote(key, safe='')}")
        except FileNotFoundError:
            return False
        return True

    def _of(
        self, bucket: str, method: str, path: str, data: bytes | None = None
    ) -> tuple[bytes, HTTPMessage]:
        try:
            return self._ask(method, path, data)
        except FileNotFoundError:
            if self._has(bucket):
                raise
            raise NoBucketError from None

    def _has(self, bucket: str) -> bool:
        try:
            self._ask("GET", f"/storage/v1/b/{bucket}")
        except FileNotFoundError:
            return False
        return True

    def _ask(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[bytes, HTTPMessage]:
        request = Request(self._url + path, method=method, data=data, headers={**(headers or {})})
        try:
            with urlopen(request, timeout=_TIMEOUT_S) as answer:
                return answer.read(), answer.headers
        except HTTPError as error:
            with error:
                if error.code == 404:
                    raise FileNotFoundError(path) from None
                if error.code == 412:
                    raise ChangedError from None
                raise
