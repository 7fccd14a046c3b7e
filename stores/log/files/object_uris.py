"""URIs of object stores: S3 and what is compatible with it, Google Cloud Storage, Azure, memory.

| URI | keys in it |
|---|---|
| `s3://bucket/path`, `s3a://…` | `s3://KEY:SECRET@bucket/path` |
| `gs://bucket/path`, `gcs://…` | `gs://anonymous@bucket/path` needs none |
| `abfss://container@account.dfs.core.windows.net/path` | `container:KEY@account…` |
| `az://container/path`, `azure://…`, `abfs[s]://…` | `az://account:KEY@container/path` |
| `memory://name/path`: in this process, for tests | none |

Otherwise keys come from the environment, for S3 also from the file of profiles, or from the
machine. Parameters after `?` name another service: `endpoint_override=host:port` and `scheme=http`;
for S3 also `region` and `force_virtual_addressing`, and for Azure `account`.
"""

from __future__ import annotations

import configparser
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import parse_qsl, unquote

from pyarrow import fs

from stategate.stores.optional import OptionalModule

if TYPE_CHECKING:
    from obstore import store as buckets
else:
    buckets = OptionalModule("obstore.store", extra="buckets")

ObjectStore: TypeAlias = Any
"""A bucket of obstore, and how it is reached."""

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 20
"""Longest wait for an answer, or for its next bytes."""
REQUEST_TIMEOUT_S = 3600
"""Longest time of one request: a snapshot may have many GB."""
RETRIES_MAX = 6
RETRY_S = 30
"""After this time a request is not sent again."""
PROFILE_S = 300
"""How long the keys of a profile are used before their file is read again."""
_AZURE_HOST = re.compile(r"([^.]+)\.(?:dfs|blob)\..+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much one request of a service may hold, so that requests can be counted."""

    names_listed: int = 1000
    files_deleted: int = 1000
    around_parts: int = 2
    """Requests before and after the parts of a large file."""


_GCS_SIZES = Sizes(files_deleted=1)
_AZURE_SIZES = Sizes(names_listed=5000, files_deleted=256, around_parts=1)


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket, and how it is reached."""

    open: Callable[[int], ObjectStore] = field(compare=False, repr=False)
    """Returns its store, which sends a request again at most so many times."""
    origin: str
    """Its URI, without secrets."""
    identity: tuple[str, ...] = field(repr=False)
    """Differs from that of other buckets, and of the same bucket with other credentials."""
    sizes: Sizes = Sizes()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a URI leads."""

    bucket: Bucket
    path: str
    """The URI without secrets; it begins with that of the bucket."""


@dataclass(frozen=True, slots=True)
class _Uri:
    """The parts of a URI."""

    scheme: str
    user: str
    password: str
    host: str
    path: str
    options: Mapping[str, str]

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host}"

    @property
    def endpoint(self) -> str | None:
        """The URL of the service, if a parameter names one."""
        given = self.options.get("endpoint_override")
        if not given or "://" in given:
            return given or None
        return f"{self.options.get('scheme', 'https')}://{given}"


def is_object_uri(uri: str) -> bool:
    """Whether a URI has the scheme of an object store."""
    return uri.partition("://")[0] in _SCHEMES


def object_place(uri: str) -> Place:
    """Return where a URI of an object store leads.

    Raises:
        ValueError: the URI is not valid; the message repeats nothing that may be secret.
    """
    found = _parsed(uri)
    place_of, known = _SCHEMES[found.scheme]
    if unknown := sorted(found.options.keys() - known):
        listed = ", ".join(sorted(known)) or "none"
        raise ValueError(f'it has an unknown parameter "{unknown[0]}"; known ones: {listed}')
    if not found.host:
        raise ValueError("it names no bucket")
    return place_of(found)


def _parsed(uri: str) -> _Uri:
    if re.search(r"%(?![0-9A-Fa-f]{2})", uri):
        raise ValueError("a percent sign is not followed by two hexadecimal digits")
    scheme, _, rest = uri.partition("://")
    rest, _, query = rest.partition("?")
    authority, _, path = rest.partition("/")
    keys, _, host = authority.rpartition("@")
    user, _, password = keys.partition(":")
    return _Uri(
        scheme=scheme,
        user=unquote(user),
        password=unquote(password),
        host=unquote(host),
        path=unquote(path).strip("/"),
        options=dict(parse_qsl(query)),
    )


def _place(
    uri: _Uri,
    open_store: Callable[[int], ObjectStore],
    *,
    origin: str | None = None,
    path: str | None = None,
    sizes: Sizes = Sizes(),
) -> Place:
    origin = uri.origin if origin is None else origin
    options = (f"{name}={value}" for name, value in sorted(uri.options.items()))
    bucket = Bucket(open_store, origin, (uri.user, uri.password, *options), sizes)
    return Place(bucket, f"{origin}/{uri.path if path is None else path}".rstrip("/"))


def _s3(uri: _Uri) -> Place:
    config: dict[str, Any] = {}
    if uri.endpoint:
        config["endpoint"] = uri.endpoint
    if region := uri.options.get("region") or _region_of(uri):
        config["region"] = region
    if uri.options.get("force_virtual_addressing") in {"true", "1"}:
        config["virtual_hosted_style_request"] = True
    if uri.user:
        config.update(access_key_id=uri.user, secret_access_key=uri.password)
    elif _profile_keys() is not None:
        config["credential_provider"] = _profile_keys
    return _place(uri, lambda retries: buckets.S3Store(uri.host, **config, **_how(retries)))


@lru_cache(maxsize=1024)
def _region(bucket: str) -> str | None:
    try:
        found: str = fs.resolve_s3_region(bucket)
    except OSError:
        return None  # the first request says what is wrong
    return found


def _region_of(uri: _Uri) -> str | None:
    """Return the region of a bucket, if neither the URI nor the environment says where to ask."""
    names = ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
    if uri.endpoint or any(os.environ.get(name) for name in (*names, "AWS_ENDPOINT")):
        return None
    return _region(uri.host)


def _profile_keys() -> Any:
    """Return the keys of the profile in use; None if they come from elsewhere, or are missing."""
    elsewhere = ("ACCESS_KEY_ID", "WEB_IDENTITY_TOKEN_FILE", "SKIP_SIGNATURE")
    if any(os.environ.get(f"AWS_{name}") for name in elsewhere):
        return None
    path = os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or Path.home() / ".aws" / "credentials"
    profiles = configparser.RawConfigParser()
    try:
        profiles.read(path)
        keys = profiles[os.environ.get("AWS_PROFILE") or "default"]
        return {
            "access_key_id": keys["aws_access_key_id"],
            "secret_access_key": keys["aws_secret_access_key"],
            "token": keys.get("aws_session_token"),
            "expires_at": datetime.now(UTC) + timedelta(seconds=PROFILE_S),
        }
    except (KeyError, configparser.Error, OSError, UnicodeDecodeError):
        return None


def _gcs(uri: _Uri) -> Place:
    config: dict[str, Any] = {}
    if uri.endpoint:
        config["base_url"] = uri.endpoint
    if uri.user == "anonymous":
        # Reads are sent without a token; for each other request the client insists on one.
        config.update(skip_signature=True, credential_provider=_no_token)
    elif uri.user:
        raise ValueError("its user must be anonymous, or none")
    return _place(
        uri, lambda retries: buckets.GCSStore(uri.host, **config, **_how(retries)), sizes=_GCS_SIZES
    )


def _no_token() -> Any:
    """Return what stands for a token where none is needed."""
    return {"token": "anonymous", "expires_at": None}


def _azure(uri: _Uri) -> Place:
    config: dict[str, Any] = {}
    origin, path, container = uri.origin, uri.path, uri.host
    account, key = uri.options.get("account"), uri.password or None
    if service := _AZURE_HOST.fullmatch(uri.host):
        account = service[1]
        if uri.user:
            origin, container = f"{uri.scheme}://{uri.user}@{uri.host}", uri.user
        else:
            container, _, path = uri.path.partition("/")
            origin = f"{uri.origin}/{container}"
    elif uri.user:
        account = uri.user
    if not container:
        raise ValueError("it names no container")
    if account:
        config["account_name"] = account
    if key:
        config["account_key"] = key
    if uri.endpoint:
        config["endpoint"] = uri.endpoint
    return _place(
        uri,
        lambda retries: buckets.AzureStore(container, **config, **_how(retries)),
        origin=origin,
        path=path,
        sizes=_AZURE_SIZES,
    )


@lru_cache(maxsize=1024)
def _memory_store(name: str) -> ObjectStore:
    return buckets.MemoryStore()


def _memory(uri: _Uri) -> Place:
    return _place(uri, lambda _: _memory_store(uri.host))


def _how(retries: int) -> dict[str, Any]:
    """Return how requests are sent: nothing waits without a limit."""
    return {
        "client_options": {
            # Only a URI or a variable that says http:// leads to a service without TLS.
            "allow_http": True,
            "connect_timeout": timedelta(seconds=CONNECT_TIMEOUT_S),
            "read_timeout": timedelta(seconds=READ_TIMEOUT_S),
            "timeout": timedelta(seconds=REQUEST_TIMEOUT_S),
            "user_agent": "stategate",
        },
        "retry_config": {
            "max_retries": retries,
            "retry_timeout": timedelta(seconds=RETRY_S),
            "backoff": {
                "init_backoff": timedelta(milliseconds=100),
                "max_backoff": timedelta(seconds=5),
                "base": 2,
            },
        },
    }


_OF_SERVICE = frozenset({"endpoint_override", "scheme"})
_S3 = (_s3, _OF_SERVICE | {"region", "force_virtual_addressing"})
_GCS = (_gcs, _OF_SERVICE)
_AZURE = (_azure, _OF_SERVICE | {"account"})
_SCHEMES: dict[str, tuple[Callable[[_Uri], Place], frozenset[str]]] = {
    "s3": _S3,
    "s3a": _S3,
    "gs": _GCS,
    "gcs": _GCS,
    "az": _AZURE,
    "azure": _AZURE,
    "abfs": _AZURE,
    "abfss": _AZURE,
    "memory": (_memory, frozenset()),
}
