from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stores.types.numerics import real_digits


@given(st.floats(width=32, allow_nan=False))
def test_reals_have_the_digits_that_numpy_finds(value: float) -> None:
    assert float(real_digits(value)) == float(str(np.float32(value)))


@pytest.mark.parametrize("exponent", range(-149, 128))
def test_powers_of_two_have_too(exponent: int) -> None:
    """The reals around them are not equally far apart."""
    value = 2.0**exponent
    assert float(real_digits(value)) == float(str(np.float32(value)))
    assert struct.pack("<f", float(real_digits(value))) == struct.pack("<f", value)
