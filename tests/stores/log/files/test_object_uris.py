"""URIs of object stores: which bucket and path they name, and by which keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from stategate.stores.errors import LogError
from stategate.stores.log.files.directory import Directory
from stategate.stores.log.files.object_uris import _profile_keys, object_place
from tests.support.object_storage.bucket_services import Servers


@pytest.mark.parametrize(
    ("uri", "origin", "path"),
    [
        ("s3://bucket?region=x", "s3://bucket", "s3://bucket"),
        ("s3://bucket/a/b/?region=x", "s3://bucket", "s3://bucket/a/b"),
        ("s3a://KEY:SE%2FCRET@bucket/a?region=x", "s3a://bucket", "s3a://bucket/a"),
        ("s3://b/a%20b?endpoint_override=h:1&scheme=http", "s3://b", "s3://b/a b"),
        ("gs://anonymous@bucket/a", "gs://bucket", "gs://bucket/a"),
        ("az://box/a?account=acc", "az://box", "az://box/a"),
        ("abfs://acc:S0VZ@box/a", "abfs://box", "abfs://box/a"),
        (
            "abfss://box:S0VZ@acc.dfs.core.windows.net/a/b",
            "abfss://box@acc.dfs.core.windows.net",
            "abfss://box@acc.dfs.core.windows.net/a/b",
        ),
        (
            "abfss://acc.blob.core.windows.net/box/a",
            "abfss://acc.blob.core.windows.net/box",
            "abfss://acc.blob.core.windows.net/box/a",
        ),
        ("memory://name/a", "memory://name", "memory://name/a"),
    ],
)
def test_the_bucket_and_the_path(uri: str, origin: str, path: str) -> None:
    place = object_place(uri)
    assert (place.bucket.origin, place.path) == (origin, path)
    shown = repr(Directory.at(uri)) + repr(place)
    for secret in ("SE/CRET", "SE%2FCRET", "KEY", "S0VZ"):
        assert secret not in shown


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("s3:///a?region=x", "it names no bucket"),
        ("s3://bucket/a?bogus=SECRET", 'unknown parameter "bogus"; known ones: endpoint_override'),
        ("s3://bucket/a%2", "a percent sign"),
        ("gs://KEY@bucket/a", "anonymous"),
        ("abfss://acc.blob.core.windows.net", "it names no container"),
        ("abfss://box:SECRET@acc.dfs.core.windows.net", "Invalid Access Key"),
        ("memory://name?region=x", "known ones: none"),
    ],
)
def test_uris_that_are_not_valid(uri: str, said: str) -> None:
    with pytest.raises(LogError, match=said) as refused:
        Directory.at(uri)
    assert "SECRET" not in str(refused.value)


def test_each_request_to_google_is_sent_without_credentials(
    bucket_servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client asks the machine for a token before it writes, unless it has one."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/no/such/file")
    root = bucket_servers("gcs").root("open")
    assert root.startswith("gs://anonymous@")
    directory = Directory.at(root)
    directory.create("a", b"1")
    directory.move("a", "b")
    assert (directory.names(), directory.read("b")) == (["b"], b"1")
    directory.remove("b")
    assert directory.names() == []


def test_the_keys_of_a_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    path = tmp_path / "credentials"
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(path))
    assert _profile_keys() is None
    path.write_text(
        "[default]\naws_access_key_id = one\naws_secret_access_key = two%\n"
        "[other]\naws_access_key_id = three\naws_secret_access_key = four\n"
        "aws_session_token = five\n[sso]\nsso_session = x\n"
    )
    found = _profile_keys()
    assert (found["access_key_id"], found["secret_access_key"]) == ("one", "two%")
    monkeypatch.setenv("AWS_PROFILE", "other")
    assert _profile_keys()["token"] == "five"
    monkeypatch.setenv("AWS_PROFILE", "sso")
    assert _profile_keys() is None
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "of the environment")
    monkeypatch.setenv("AWS_PROFILE", "other")
    assert _profile_keys() is None
