"""Positions from the text of Spark's offset log; no JVM is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import SchemaError, TornRecordError
from stategate.stores.spark.offsets import parse_offsets
from stategate.stores.spark.plans import Source
from stategate.stores.spec.position import Position

HEAD = '{"batchWatermarkMs":0,"batchTimestampMs":1700000000000,"conf":{}}'


KAFKA = Source(name="kafka", has_topics=True)
FILES = Source(name="FileSource[in]", has_topics=False)
OTHER = Source(name="other", has_topics=None)


def position(
    *lines: str,
    version: str = "v1",
    inputs: Sequence[str] = (),
    sources: Sequence[Source] = (),
) -> Position:
    text = "\n".join([version, HEAD, *lines])
    return parse_offsets(text, "offsets/3", inputs=inputs, sources=sources).position


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"orders": {"0": 10, "1": 7}}', {"orders": {0: 9, 1: 6}}),
        ('{"orders":{"0":10,"1":0}}', {"orders": {0: 9}}),
        ('{"a":{"0":1},"b":{"3":2}}', {"a": {0: 0}, "b": {3: 1}}),
        ('{"logOffset":0}', {"source-0": {0: 0}}),
        ('{"offset":20,"timestamp":2000}', {"source-0": {0: 19}}),
        ("8", {"source-0": {0: 7}}),
        ("0", {}),
        ("-", {}),
        ('{"reservoir":"x"}', {}),
        ("{}", {}),
    ],
)
def test_each_kind_of_source(line: str, expected: dict[str, dict[int, int]]) -> None:
    assert position(line) == Position.of(expected)
    if "source-0" in expected:
        assert position(line, inputs=["in"]) == Position.of({"in": expected["source-0"]})


def test_names_go_to_the_sources_without_topics_in_plan_order() -> None:
    lines = ('{"logOffset":4}', '{"orders":{"0":3}}', "-", '{"logOffset":1}')
    found = position(*lines, inputs=["a", "b", "c"])
    assert found == Position.of({"a": {0: 4}, "orders": {0: 2}, "c": {0: 1}})
    assert position(*lines) == Position.of(
        {"source-0": {0: 4}, "orders": {0: 2}, "source-3": {0: 1}}
    )


@pytest.mark.parametrize("nothing", ["-", "{}"])
def test_a_source_without_data_does_not_shift_names(nothing: str) -> None:
    files = Position.of({"files": {0: 1}})
    lines = (nothing, '{"logOffset":1}')
    assert position(*lines, inputs=["files"], sources=[KAFKA, FILES]) == files
    assert position(*lines, inputs=["files"]) == files
    assert position(*lines, inputs=["x", "files"], sources=[FILES, FILES]) == files
    assert position(*lines, inputs=["x", "files"]) == files
    # One of two sources without data has topics. It is unknown which, so neither has a name.
    unsure = (nothing, nothing, '{"logOffset":1}')
    assert position(*unsure, inputs=["x", "files"]) == Position()
    assert position(*unsure, inputs=["x", "files"], sources=[OTHER, KAFKA, FILES]) == files


@pytest.mark.parametrize("inputs", [["a"], ["a", "b", "c"]])
def test_names_that_do_not_fit_the_sources_are_refused(inputs: list[str]) -> None:
    with pytest.raises(SchemaError, match="2 of 3 sources have no topics"):
        position('{"logOffset":4}', '{"orders":{"0":3}}', "8", inputs=inputs)
    with pytest.raises(SchemaError, match='names a source "orders", which is the name of a topic'):
        position('{"logOffset":4}', '{"orders":{"0":3}}', inputs=["orders"])


LINES = st.lists(st.tuples(st.sampled_from([KAFKA, FILES, OTHER]), st.booleans()), max_size=4)


@given(LINES, st.lists(st.integers(-1, 3), min_size=4, max_size=4), st.data())
def test_a_name_stays_with_its_source_whatever_data_others_have(
    lines: list[tuple[Source, bool]], ends: list[int], data: st.DataObject
) -> None:
    """When sources get their first data, components are added and never change."""
    sources = [source for source, _ in lines]
    plain = [source is FILES or (source is OTHER and is_plain) for source, is_plain in lines]
    names = [f"in-{i}" for i, is_plain in enumerate(plain) if is_plain]

    def text(i: int, end: int) -> str:
        if end < 0:
            return data.draw(st.sampled_from(["-", "{}"]))
        return f'{{"logOffset":{end}}}' if plain[i] else f'{{"topic-{i}":{{"0":{end}}}}}'

    found = position(
        *(text(i, end) for i, end in zip(range(len(lines)), ends, strict=False)),
        inputs=names,
        sources=sources,
    )
    for topic, offsets in found.components:
        i = int(topic.rpartition("-")[2])
        assert offsets == ((0, ends[i] - (not plain[i])),)
    if all(end >= 0 for end in ends):
        assert {t for t, _ in found.components} >= set(names)


def test_version_2_names_its_sources() -> None:
    lines = ('orders:{"orders":{"0":10}}', 'clicks:{"logOffset":2}')
    assert position(*lines, version="v2") == Position.of({"orders": {0: 9}, "clicks": {0: 2}})
    named = position(*lines, version="v2", inputs=["x"])
    assert named == Position.of({"orders": {0: 9}, "x": {0: 2}})


def test_version_2_numbers_sources_without_a_name() -> None:
    lines = [f'{number}:{{"logOffset":{number}}}' for number in range(12)]
    found = position(*sorted(lines), version="v2")
    assert found == Position.of({f"source-{number}": {0: number} for number in range(12)})
    names = [f"s{number}" for number in range(12)]
    found = position(*sorted(lines), version="v2", inputs=names)
    assert found == Position.of({name: {0: number} for number, name in enumerate(names)})


def test_a_topic_with_two_sources_has_the_position_of_the_slower() -> None:
    twice = ('{"orders":{"0":10,"1":4}}', '{"orders":{"0":8,"1":6}}')
    assert position(*twice) == Position.of({"orders": {0: 7, 1: 3}})
    # One of them has not found the new partition, or not begun at all.
    assert position('{"orders":{"0":10,"1":4}}', '{"orders":{"0":8}}') == Position.of(
        {"orders": {0: 7}}
    )
    subscribed = replace(KAFKA, topics=frozenset({"orders"}))
    assert position('{"orders":{"0":10}}', "-", sources=[subscribed, subscribed]) == Position()
    # If the query names the partitions of each, the position has all of them.
    assigned = replace(KAFKA, assigned=True)
    parts = ('{"orders":{"0":10}}', '{"orders":{"1":4}}')
    assert position(*parts, sources=[assigned, assigned]) == Position.of({"orders": {0: 9, 1: 3}})


def test_topics_are_known_before_their_first_data() -> None:
    lines = ('{"orders":{"0":0}}', '{"new":{}}', '{"clicks":{"0":2}}', "-", '{"logOffset":0}')
    found = parse_offsets("\n".join(["v1", HEAD, *lines]), "x", inputs=["a", "b"])
    assert found.topics == {"orders", "new", "clicks", "b"}
    assert found.position == Position.of({"clicks": {0: 1}, "b": {0: 0}})


def test_watermarks() -> None:
    text = "v1\n{}\n-".replace("{}", HEAD.replace('Ms":0', 'Ms":250', 1))
    assert parse_offsets(text, "x").watermark_ms == 250
    assert parse_offsets(f"v1\n{HEAD}\n-", "x").watermark_ms is None


@pytest.mark.parametrize(
    "text",
    ["", "v1", "v3\n{}\n-", "v1\n{}\n-", "v1\nnonsense", f"v1\n{HEAD}\nnonsense", "v1\n[]\n-"],
)
def test_unreadable_records_are_named(text: str) -> None:
    with pytest.raises(TornRecordError, match="offsets/3"):
        parse_offsets(text, "offsets/3")
