"""Files of the log in an object store, where the first of two writers of a name always wins.

A small file takes one request, and a file appears only once it is whole. There are no directories:
one exists while anything is in it. `object_uris` says which object stores there are.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import obstore
import pyarrow as pa
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PreconditionError,
)

from stategate.stores.log.files.file_systems import Stamp, UnusableFileError
from stategate.stores.log.files.object_failures import (
    FAILURES,
    ObjectStoreError,
    explained,
    may_pass,
    told_by,
)
from stategate.stores.log.files.object_uris import (
    RETRIES_MAX,
    RETRY_S,
    Bucket,
    ObjectStore,
    Place,
    Sizes,
)

if TYPE_CHECKING:
    from obstore import UpdateVersion

PART_BYTES = 8 << 20
"""A larger file is sent in parts of this size, and kept on disk until then."""
PARTS_MAX = 9_000
"""S3 takes 10,000 parts; of larger files the parts are larger."""
PARTS_AT_ONCE = 4
HELD_BYTES_MAX = 32 << 20
"""Largest file that is read into memory; larger ones are read into a temporary file."""
_CHUNK_BYTES = 4 << 20
_PAUSE_S = 0.1
"""Pause before a request to create a file is sent again; it doubles each time."""


KINDS = ("get", "head", "list", "put", "copy", "delete")
"""Kinds of requests, which have different prices."""


class Requests:
    """Counts of the requests to object stores, by kind. Safe to share between threads.

    Retries are not counted.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts = dict.fromkeys(KINDS, 0)

    def add(self, kind: str, count: int = 1) -> None:
        """Count requests of a kind."""
        with self._lock:
            self._counts[kind] += count

    def read(self) -> dict[str, int]:
        """Return the number of requests so far, by kind."""
        with self._lock:
            return dict(self._counts)


REQUESTS = Requests()
"""The requests of this process."""


class ObjectFiles:
    """The files of one bucket; see `stategate.stores.log.files.file_systems`.

    Args:
        store: the bucket, which sends a request again after a failure that may pass.
        single: the bucket, which sends each request once.
        origin: the URI of the bucket; all paths begin with it.
        sizes: how much a request may hold.
    """

    def __init__(
        self,
        store: ObjectStore,
        *,
        single: ObjectStore,
        origin: str,
        sizes: Sizes = Sizes(),  # noqa: B008 - frozen
    ) -> None:
        self._store = store
        self._single = single
        self._origin = origin
        self._sizes = sizes

    @staticmethod
    def of(place: Place) -> ObjectFiles:
        """Return the files of a bucket; all calls share its connections.

        Raises:
            ValueError: a key or a parameter is not valid.
        """
        return _opened(place.bucket)

    def _key(self, path: str) -> str:
        key = path.removeprefix(self._origin).strip("/")
        if any(part in {"..", "."} for part in key.split("/")):
            raise ObjectStoreError("an object cannot have this name")
        return key

    @contextmanager
    def _asked(self, kind: str, count: int = 1) -> Iterator[None]:
        """Count requests, and turn the errors of obstore into those of a file system."""
        REQUESTS.add(kind, count)
        try:
            yield
        except FAILURES as error:
            raise explained(error) from None

    def read(self, path: str, bytes_max: int) -> bytes:
        """Return the content of a file."""
        with self._asked("get"):
            found = obstore.get(self._store, self._key(path))
            if found.meta["size"] > bytes_max:
                raise UnusableFileError.of_size(found.meta["size"], bytes_max)
            return bytes(found.bytes())

    def names(self, path: str) -> list[str]:
        """Return the names in a directory, unordered."""
        directories, files = self._listed(path)
        return [each.rpartition("/")[2] for each in (*directories, *(f["path"] for f in files))]

    def _listed(self, path: str) -> tuple[list[str], list[Any]]:
        """Return the directories and files in a directory, by one request for 1,000 or more."""
        prefix = self._key(path)
        with self._asked("list"):
            found = obstore.list_with_delimiter(self._store, prefix or None)
        directories, files = [*found["common_prefixes"]], [*found["objects"]]
        self._add_pages(len(directories) + len(files))
        # Some programs create an empty object for a directory.
        return directories, [each for each in files if each["path"].strip("/") != prefix]

    def stamps(self, path: str) -> dict[str, Stamp]:
        """Return the tag of each file in a directory, which its content gives, and its time."""
        _, files = self._listed(path)
        return {
            each["path"].rpartition("/")[2]: (
                each["e_tag"] or "",
                int(each["last_modified"].timestamp() * 1e9),
                each["size"],
            )
            for each in files
        }

    def names_changed_ns(self, path: str) -> int | None:
        """Return None: only a listing shows it."""
        del path
        return None

    def has(self, path: str) -> bool:
        """Whether a file has that name."""
        return self.size_of(path) is not None

    def has_directory(self, path: str) -> bool:
        """Whether anything is in a directory."""
        with self._asked("list"):
            return bool(next(iter(obstore.list(self._store, self._key(path), chunk_size=1)), ()))

    def size_of(self, path: str) -> int | None:
        """Return the size of a file in bytes; None if it is missing."""
        found = self._head(path)
        return None if found is None else int(found["size"])

    def _head(self, path: str) -> Any:
        try:
            with self._asked("head"):
                return obstore.head(self._store, self._key(path))
        except FileNotFoundError:
            return None

    def changed_ms(self, path: str) -> int | None:
        """Return when a file, or anything below a directory, last changed."""
        found = self._below(path)
        if not found:
            single = self._head(path)
            found = [] if single is None else [single]
        times = [each["last_modified"].timestamp() for each in found]
        return int(max(times) * 1000) if times else None

    def _below(self, path: str) -> list[Any]:
        """Return all objects below a directory."""
        with self._asked("list"):
            found = [*obstore.list(self._store, self._key(path)).collect()]
        self._add_pages(len(found))
        return found

    def _add_pages(self, names: int) -> None:
        """Count the requests of a listing after its first one."""
        REQUESTS.add("list", max(0, names - 1) // self._sizes.names_listed)

    def make(self, path: str) -> None:
        """Do nothing: a directory exists once anything is in it."""

    def create(self, path: str, data: bytes) -> bool:
        """Create a file whole; False if the name is taken.

        A request that fails may have reached the object store. So if it is sent again and the name
        is taken by then, the content tells whether this call has taken it.
        """
        key, pause_s, is_sent = self._key(path), _PAUSE_S, False
        end_s = time.monotonic() + RETRY_S
        while True:
            REQUESTS.add("put")
            try:
                obstore.put(self._single, key, data, mode="create", use_multipart=False)
                return True
            except AlreadyExistsError as error:
                # 409 from S3: another writer was at it, and who has won is not known yet.
                if "ConditionalRequestConflict" not in str(error):
                    return is_sent and self._has_content(key, data)
                failure: Exception = error
            except FAILURES as error:
                failure, is_sent = error, True
            if not may_pass(failure) or time.monotonic() + pause_s > end_s:
                raise explained(failure) from None
            time.sleep(pause_s)
            pause_s *= 2

    def _has_content(self, key: str, data: bytes) -> bool:
        try:
            with self._asked("get"):
                return bool(bytes(obstore.get(self._store, key).bytes()) == data)
        except FileNotFoundError:
            return False

    def replace(self, path: str, data: bytes, *, durable: bool) -> None:
        """Create or replace a file whole."""
        del durable
        with self._asked("put"):
            obstore.put(self._store, self._key(path), data, use_multipart=False)

    def replace_if(self, path: str, data: bytes, expected: bytes) -> bool:
        """Replace a file whole; False if its content is not `expected`.

        Also False if a request that failed has reached the object store: the caller looks again.
        """
        key = self._key(path)
        with self._asked("get"):
            found = obstore.get(self._store, key)
            if bytes(found.bytes()) != expected:
                return False
        # Amazon's stores have a tag, Google's a version.
        version: UpdateVersion = {"e_tag": found.meta["e_tag"]}
        if found.meta["version"] is not None:
            version["version"] = found.meta["version"]
        REQUESTS.add("put")
        try:
            obstore.put(self._store, key, data, mode=version, use_multipart=False)
        except PreconditionError:
            return False
        except FAILURES as error:
            raise explained(error) from None
        return True

    @contextmanager
    def open_input(self, path: str) -> Iterator[Any]:
        """Open a file that can be read at any place, by one request."""
        with self._asked("get"):
            found = obstore.get(self._store, self._key(path))
            whole = found.bytes() if found.meta["size"] <= HELD_BYTES_MAX else None
        if whole is not None:
            yield pa.BufferReader(pa.py_buffer(whole))
            return
        with tempfile.NamedTemporaryFile(prefix="stategate-") as kept:
            for chunk in self._chunks(found):
                kept.write(chunk)
            kept.flush()
            with pa.OSFile(kept.name) as stream:
                yield stream

    def chunks(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of a file from start to end, a few MB at a time."""
        with self._asked("get"):
            found = obstore.get(self._store, self._key(path))
        yield from self._chunks(found)

    def _chunks(self, found: Any) -> Iterator[bytes]:
        stream = iter(found.stream(_CHUNK_BYTES))
        while True:
            with self._asked("get", 0):
                chunk = next(stream, None)
            if chunk is None:
                return
            yield chunk

    @contextmanager
    def open_output(self, path: str) -> Iterator[Any]:
        """Open a new file, which is sent whole at the end; after an error nothing is sent."""
        with tempfile.SpooledTemporaryFile(PART_BYTES, prefix="stategate-") as stream:
            yield stream
            size_bytes = stream.tell()
            stream.seek(0)
            self._send(path, stream, size_bytes)

    def upload(self, path: str, source: Path) -> None:
        """Copy a file of this machine."""
        with open(source, "rb") as stream:
            self._send(path, stream, source.stat().st_size)

    def _send(self, path: str, source: IO[bytes], size_bytes: int) -> None:
        if size_bytes <= PART_BYTES:
            is_new = self.create(path, source.read())
        elif is_new := not self.has(path):
            # No object store joins parts only if a name is free.
            part_bytes = max(PART_BYTES, -(-size_bytes // PARTS_MAX))
            with self._asked("put", -(-size_bytes // part_bytes) + self._sizes.around_parts):
                obstore.put(
                    self._store,
                    self._key(path),
                    source,
                    use_multipart=True,
                    chunk_size=part_bytes,
                    max_concurrency=PARTS_AT_ONCE,
                )
        if not is_new:
            raise FileExistsError("an object has this name already")

    def remove_tree(self, root: str, relative: str) -> None:
        """Remove a directory with its content, or a file."""
        path = f"{root}/{relative}"
        keys = [each["path"] for each in self._below(path)] or [self._key(path)]
        with self._asked("delete", -(-len(keys) // self._sizes.files_deleted)):
            obstore.delete(self._store, keys)

    def remove_file(self, root: str, relative: str) -> None:
        """Remove a file."""
        with self._asked("delete"):
            obstore.delete(self._store, self._key(f"{root}/{relative}"))

    def move(self, root: str, relative: str, to: str) -> None:
        """Give a file or a directory another name, file by file."""
        source, target = self._key(f"{root}/{relative}"), self._key(f"{root}/{to}")
        for key in [each["path"] for each in self._below(f"{root}/{relative}")] or [source]:
            with self._asked("copy"):
                obstore.copy(self._store, key, target + key.removeprefix(source))
            with self._asked("delete"):
                obstore.delete(self._store, key)

    def sync(self, path: str) -> None:
        """Do nothing: what an object store has taken lasts."""


@lru_cache(maxsize=256)
def _opened(bucket: Bucket) -> ObjectFiles:
    try:
        return ObjectFiles(
            bucket.open(RETRIES_MAX),
            single=bucket.open(0),
            origin=bucket.origin,
            sizes=bucket.sizes,
        )
    except BaseError as error:
        raise ValueError(told_by(str(error))) from None
