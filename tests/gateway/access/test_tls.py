from __future__ import annotations

import hashlib
import ssl
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.access.tls import Tls, channel_binding_of
from stategate.gateway.errors import SettingsError
from tests.support.certificates import make_authority, make_server, openssl, self_signed

PSS = ("-sigopt", "rsa_padding_mode:pss")
EC = ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")


@pytest.mark.parametrize(
    ("algorithm", "more", "expected"),
    [
        (EC, ("-sha256",), "sha256"),
        (EC, ("-sha384",), "sha384"),
        (EC, ("-sha1",), "sha256"),
        (("rsa:2048",), ("-sha256",), "sha256"),
        (("rsa:2048",), ("-sha512",), "sha512"),
        (("rsa:2048",), ("-sha224",), "sha224"),
        (("rsa:2048",), ("-sha384", *PSS), "sha384"),
        (("rsa:2048",), ("-sha256", *PSS, "-sigopt", "rsa_pss_saltlen:20"), "sha256"),
        (("ed25519",), (), None),
    ],
)
def test_channel_binding_uses_the_signature_s_hash(
    tmp_path: Path, algorithm: tuple[str, ...], more: tuple[str, ...], expected: str | None
) -> None:
    path = self_signed(tmp_path, algorithm=algorithm, more=more)
    certificate = ssl.PEM_cert_to_DER_cert(path.read_text())
    found = channel_binding_of(certificate)
    assert found == (hashlib.new(expected, certificate).digest() if expected else None)


@given(st.binary(max_size=200))
def test_a_malformed_certificate_has_no_channel_binding(noise: bytes) -> None:
    assert channel_binding_of(noise) is None


def test_files_that_do_not_match_are_refused(tmp_path: Path) -> None:
    authority = make_authority(tmp_path)
    one = make_server(tmp_path, authority=authority, name="one")
    other = make_server(tmp_path, authority=authority, name="other")
    Tls(certificate=one.certificate, key=one.key)
    wrong = [
        (one.certificate, other.key, "key values mismatch"),
        (one.key, one.key, "cannot be used"),
        (tmp_path / "none", one.key, "No such file"),
        (one.certificate, tmp_path / "none", "No such file"),
    ]
    for certificate, key, said in wrong:
        with pytest.raises(SettingsError, match=said):
            Tls(certificate=certificate, key=key)
    locked = tmp_path / "locked.key"
    openssl("ec", "-in", str(one.key), "-aes128", "-passout", "pass:x", "-out", str(locked))
    locked.chmod(0o600)
    with pytest.raises(SettingsError, match="the key has a passphrase"):
        Tls(certificate=one.certificate, key=locked)
    one.key.chmod(0o644)
    with pytest.raises(SettingsError, match="can be read or changed by others"):
        Tls(certificate=one.certificate, key=one.key)


def test_changed_files_are_loaded_once_they_match(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    authority = make_authority(tmp_path)
    one = make_server(tmp_path, authority=authority, name="one")
    other = make_server(tmp_path, authority=authority, name="other")
    tls = Tls(certificate=one.certificate, key=one.key)
    first = tls.current()
    assert tls.current() is first
    one.certificate.write_bytes(other.certificate.read_bytes())
    assert tls.current() is first
    assert "keeping the last one" in caplog.text
    one.key.write_bytes(other.key.read_bytes())
    second = tls.current()
    assert second.binding == channel_binding_of(
        ssl.PEM_cert_to_DER_cert(other.certificate.read_text())
    )
    assert second.binding != first.binding
    one.key.unlink()
    assert tls.current() is second
    tls.reload()
    assert tls.current() is second
