"""The law of the generated decoder: it returns what the codecs of keys and rows return."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.codec.entry_rows import entry_rows
from stategate.stores.codec.keys import KeyCodec
from stategate.stores.codec.rows import RowCodec
from stategate.stores.errors import CodecError
from stategate.stores.spec.arrow import physical_array
from stategate.stores.spec.schema import TIMESTAMPTZ
from tests.stores.codec.test_rows import WIDE_TABLES, Table
from tests.support.values import KEY_VALUES, arrays_of, column, same, tables


@given(tables(KEY_VALUES), WIDE_TABLES, st.data())
def test_it_agrees_with_the_codecs(keyed: Table, wide: Table, data: st.DataObject) -> None:
    key_columns, keys = keyed
    columns, rows = wide
    count = min(len(keys), len(rows))
    keys, rows = keys[:count], rows[:count]
    times = data.draw(st.integers(0, 2))
    key_columns += tuple(column(f"time{at}", "timestamptz") for at in range(times))
    starts = st.tuples(*[st.integers(-(1 << 63), (1 << 63) - 1)] * times)
    keys = [(*key, *data.draw(starts)) for key in keys]
    every = len(key_columns) + len(columns)
    places = tuple(data.draw(st.lists(st.integers(0, every - 1), unique=True, min_size=1)))
    key_codec, row_codec = KeyCodec(key_columns), RowCodec(columns)
    entry_keys = [b"junk" + key_codec.encode(key) for key in keys]
    stamps = physical_array([None] * count, TIMESTAMPTZ)
    encoded = row_codec.encode_columns(arrays_of(columns, rows), epoch=7, times=stamps)
    if not columns:
        encoded = encoded or [bytes(16)] * count
    found = entry_rows(key_codec, row_codec, places, at=4, times=times)(entry_keys, encoded)
    whole = [
        key_codec.decode(key, 4)[0] + row_codec.decode(row)
        for key, row in zip(entry_keys, encoded, strict=True)
    ]
    wanted = [tuple(row[place] for place in places) for row in whole]
    assert [tuple(map(same, row)) for row in found] == [tuple(map(same, row)) for row in wanted]
    assert [list(map(type, row)) for row in found] == [list(map(type, row)) for row in wanted]


@given(tables(KEY_VALUES), st.integers(1, 9))
def test_a_key_that_is_cut_off_is_a_codec_error(keyed: Table, cut: int) -> None:
    columns, keys = keyed
    codec, rows = KeyCodec(columns), RowCodec(())
    decode = entry_rows(codec, rows, tuple(range(len(columns))), at=0)
    for key in keys:
        encoded = codec.encode(key)
        try:
            wanted = codec.decode(encoded[:-cut])[0]
        except CodecError:
            with pytest.raises(CodecError):
                decode([encoded[:-cut]], [bytes(16)])
        else:
            assert decode([encoded[:-cut]], [bytes(16)]) == [wanted]
