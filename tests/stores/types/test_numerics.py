from __future__ import annotations

import struct
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.spec.schema import Kind
from stategate.stores.types.numerics import real_digits


@given(st.floats(width=32, allow_nan=False))
def test_reals_have_the_digits_that_numpy_finds(value: float) -> None:
    assert float(real_digits(value)) == float(str(np.float32(value)))


@pytest.mark.parametrize("exponent", range(-149, 128))
def test_powers_of_two_have_the_digits_that_numpy_finds(exponent: int) -> None:
    """The reals around them are not equally far apart."""
    value = 2.0**exponent
    assert float(real_digits(value)) == float(str(np.float32(value)))
    assert struct.pack("<f", float(real_digits(value))) == struct.pack("<f", value)


@given(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False),
        st.floats(1e-5, 1e16),
        st.integers(-(10**16), 10**16).map(float),
    )
)
def test_doubles_have_the_digits_that_python_finds(value: float) -> None:
    text = Kind.DOUBLE.record.text(value)
    assert Decimal(text.decode()) == Decimal(repr(value))
    assert not text.endswith(b".0")


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_integers_are_their_digits(value: int) -> None:
    assert Kind.BIGINT.record.text(value) == str(value).encode()
