from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stategate.gateway.access.verifiers import (
    ITERATIONS,
    SALT_BYTES,
    make_verifier,
    matches_password,
    mock_verifier,
    parse_verifier,
    prepare_password,
    shape_of,
)

POSTGRES = (
    "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$"
    "WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
)
"""RFC 7677 section 3: the verifier of `pencil`."""


def test_the_vector_of_the_rfc() -> None:
    verifier = parse_verifier(POSTGRES)
    assert str(verifier) == POSTGRES
    assert matches_password(verifier, "pencil")
    assert not matches_password(verifier, "Pencil")


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=30), st.integers(1, 30))
def test_a_verifier_round_trips_through_its_text(password: str, iterations: int) -> None:
    verifier = make_verifier(password, iterations=iterations)
    assert parse_verifier(str(verifier)) == verifier
    assert matches_password(verifier, password)
    assert not matches_password(verifier, password + "x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "md5" + "0" * 32,
        "secret",
        POSTGRES[:-1],
        POSTGRES + "=",
        POSTGRES.replace("4096", "0"),
        POSTGRES.replace("4096", "9999999"),
        POSTGRES.replace("W22Z", "W2!Z"),
        POSTGRES.replace("WG5d8oPm", ""),
    ],
)
def test_a_malformed_verifier_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ValueError, match="it") as refused:
        parse_verifier(text)
    assert not text or text not in str(refused.value)
    assert refused.value.__context__ is None or refused.value.__suppress_context__


def test_a_verifier_shows_no_keys() -> None:
    verifier = make_verifier("x", salt=b"salt" * 4)
    assert repr(verifier) == "Verifier(iterations=4096)"


def test_a_mock_is_stable_and_matches_no_password() -> None:
    mock = mock_verifier("joe", secret=b"s")
    assert mock.salt == mock_verifier("joe", secret=b"s").salt
    assert mock.salt != mock_verifier("joe", secret=b"t").salt
    assert mock.salt != mock_verifier("jim", secret=b"s").salt
    assert mock.stored_key != mock_verifier("joe", secret=b"s").stored_key
    assert (mock.iterations, len(mock.salt)) == (ITERATIONS, 16)


@pytest.mark.parametrize(
    ("password", "prepared"),
    [
        ("plain", b"plain"),
        ("with\x07bell", b"with\x07bell"),
        ("I\u00adX", b"IX"),
        ("\u00aa", b"a"),
        ("\u2168", b"IX"),
        ("a\u00a0b", b"a b"),
        ("ü", "ü".encode()),
        ("u\u0308", "ü".encode()),
        ("\u0627\u0031", "\u06271".encode()),
        ("\u00ad", "\u00ad".encode()),
        ("\ud800", b"\xed\xa0\x80"),
        ("a\u0007ü", "a\u0007ü".encode()),
        ("duck \U0001f986", "duck \U0001f986".encode()),
    ],
)
def test_saslprep(password: str, prepared: bytes) -> None:
    """The examples of RFC 4013 section 3; prohibited text is used as it is."""
    assert prepare_password(password) == prepared


# --- mocks for unknown users ---------------------------------------------------------------------

MANY = [f"stranger{number}" for number in range(3000)]


def test_mocks_have_the_shapes_of_users_in_the_same_proportion() -> None:
    shapes = ((4096, 16),) * 3 + ((10_000, 12),)
    found = Counter(shape_of(mock_verifier(each, secret=b"s" * 32, shapes=shapes)) for each in MANY)
    assert set(found) == set(shapes)
    assert 0.2 < found[10_000, 12] / len(MANY) < 0.3


def test_a_mock_is_stable_and_unlike_others() -> None:
    shapes = ((4096, 16), (5000, 100))
    for each in MANY[:100]:
        one, other = (mock_verifier(each, secret=b"s" * 32, shapes=shapes) for _ in range(2))
        assert (one.salt, one.iterations) == (other.salt, other.iterations)
        assert one.salt != mock_verifier(each, secret=b"t" * 32, shapes=shapes).salt
    assert len({mock_verifier(each, secret=b"s" * 32, shapes=shapes).salt for each in MANY}) == 3000


def test_without_users_mocks_have_the_default_shape() -> None:
    assert shape_of(mock_verifier("joe", secret=b"s")) == (ITERATIONS, SALT_BYTES)


def test_a_huge_salt_is_refused() -> None:
    verifier = make_verifier("x", salt=b"s" * 1025, iterations=1)
    with pytest.raises(ValueError, match="salt"):
        parse_verifier(str(verifier))
