"""Templates of to_date and to_timestamp: what to_char writes is read, and DuckDB reads the same."""

from __future__ import annotations

import datetime as dt

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.planner.composing.functions.time_reading import (
    day_by_template,
    moment_by_template,
    strptime_format,
)
from stategate.planner.composing.functions.time_templates import time_text
from stategate.planner.errors import InvalidValueError, NotSupportedError
from tests.planner.composing.functions.test_time_templates import MOMENTS, micros

WRITTEN = (
    "YYYY-MM-DD HH24:MI:SS.US",
    "YYYYMMDDHH24MISSUS",
    "DDth FMMonth YYYY, FMHH12:MI:SS.FF6 a.m.",
    "Day DD RM Y,YYY SSSSS US",
    "J HH24 MI SS MS",
    "CC YY DDD SSSS FF3",
    'FX"at" Dy Mon DD YYYY HH:MI:SS P.M. US',
)


@given(MOMENTS, st.sampled_from(WRITTEN))
def test_what_is_written_is_read(moment: dt.datetime, template: str) -> None:
    if "US" not in template and "FF6" not in template:
        moment = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
        moment = moment if "MS" in template or "FF3" in template else moment.replace(microsecond=0)
    text = time_text(micros(moment), template)
    assert moment_by_template(text, template) == micros(moment)
    assert day_by_template(text, template) == micros(moment) // 86_400_000_000


DUCKDB = duckdb.connect()
FIELDS = st.sampled_from(["YYYY", "MM", "DD", "HH24", "MI", "SS"])
SEPARATORS = st.sampled_from(["", "-", "/", " ", ":", "."])
PARTS = st.sampled_from(
    ["0", "1", "7", "00", "01", "02", "12", "13", "29", "30", "59", "61", "2020", "1999", "123"]
)


@given(st.data())
def test_what_duckdb_reads_is_read_alike(data: st.DataObject) -> None:
    fields = data.draw(st.lists(FIELDS, min_size=1, max_size=6, unique=True))
    between = data.draw(st.lists(SEPARATORS, min_size=6, max_size=6))
    template = "".join(field + gap for field, gap in zip(fields, between, strict=False))
    parts = data.draw(st.lists(PARTS, min_size=len(fields), max_size=len(fields)))
    text = "".join(part + gap for part, gap in zip(parts, between, strict=False))
    known = strptime_format(template)
    assert (known is None) == ("YYYY" not in fields)
    if known is None:
        return
    ask = "SELECT epoch_us(try_strptime(?, ?))"
    (found,) = DUCKDB.execute(ask, [text, known]).fetchone() or (None,)
    if found is not None:
        assert moment_by_template(text, template) == found


@pytest.mark.parametrize(
    ("text", "template", "sqlstate"),
    [
        ("x", "YYYY", "22007"),
        ("1 2020", "MMYYYY", "22007"),
        ("2020 2021", "YYYY YYYY", "22007"),
        ("13 pm", "HH pm", "22007"),
        ("Foo", "Mon", "22007"),
        ("60", "DDD", "22007"),
        ("2020-13", "YYYY-MM", "22008"),
        ("2021-02-29", "YYYY-MM-DD", "22008"),
        ("24:00", "HH24:MI", "22008"),
        ("99999999999", "YYYY", "22008"),
        ("6000000", "FMYYYY", "22008"),
        ("1" * 5_000, "YYYY", "22008"),
        ("12345678901", "YYYY", "22008"),
        ("\N{ARABIC-INDIC DIGIT ONE}", "YYYY", "22007"),
    ],
)
def test_errors(text: str, template: str, sqlstate: str) -> None:
    with pytest.raises(InvalidValueError) as raised:
        day_by_template(text, template)
    assert raised.value.sqlstate == sqlstate


@pytest.mark.parametrize(
    "template", ["IYYY-IW-ID", "W", "WW", "TZ", "OF", "TZH", "YYYY" + " " * 10_000]
)
def test_fields_that_are_not_read_are_refused(template: str) -> None:
    with pytest.raises(NotSupportedError):
        day_by_template("1", template)


@given(st.text(max_size=12), st.text('YMDHIS24FXTQJ-:/ ."a', max_size=12))
def test_any_text_is_read_or_refused(text: str, template: str) -> None:
    try:
        moment_by_template(text, template)
    except (InvalidValueError, NotSupportedError):
        return
