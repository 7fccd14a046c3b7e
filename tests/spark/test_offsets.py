"""Positions from the text of Spark's offset log; no JVM is needed for that."""

from __future__ import annotations

import pytest

from stores.errors import TornRecordError
from stores.position import Position
from stores.spark.offsets import parse_offsets

HEAD = '{"batchWatermarkMs":0,"batchTimestampMs":1700000000000,"conf":{}}'


def position(*lines: str, version: str = "v1", inputs: list[str] | None = None) -> Position:
    return parse_offsets("\n".join([version, HEAD, *lines]), "offsets/3", inputs).position


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"orders": {"0": 10, "1": 7}}', {"orders": {0: 9, 1: 6}}),
        ('{"orders":{"0":10,"1":0}}', {"orders": {0: 9}}),
        ('{"a":{"0":1},"b":{"3":2}}', {"a": {0: 0}, "b": {3: 1}}),
        ('{"logOffset":0}', {"flights": {0: 0}}),
        ('{"offset":20,"timestamp":2000}', {"flights": {0: 19}}),
        ("8", {"flights": {0: 7}}),
        ("0", {}),
        ("-", {}),
        ('{"reservoir":"x"}', {}),
        ("{}", {}),
    ],
)
def test_each_kind_of_source(line: str, expected: dict[str, dict[int, int]]) -> None:
    assert position(line, inputs=["flights"]) == Position.of(expected)


def test_names_go_to_the_sources_without_topics_in_plan_order() -> None:
    lines = ('{"logOffset":4}', '{"orders":{"0":3}}', "-", '{"logOffset":1}')
    found = position(*lines, inputs=["a", "b", "c"])
    assert found == Position.of({"a": {0: 4}, "orders": {0: 2}, "c": {0: 1}})
    assert position(*lines) == Position.of(
        {"source-0": {0: 4}, "orders": {0: 2}, "source-3": {0: 1}}
    )


def test_version_2_names_its_sources() -> None:
    lines = ('orders:{"orders":{"0":10}}', 'clicks:{"logOffset":2}')
    assert position(*lines, version="v2") == Position.of({"orders": {0: 9}, "clicks": {0: 2}})
    named = position(*lines, version="v2", inputs=["x"])
    assert named == Position.of({"orders": {0: 9}, "x": {0: 2}})


def test_a_topic_that_is_read_twice_counts_once() -> None:
    twice = ('{"orders":{"0":10,"1":4}}', '{"orders":{"0":8,"1":6}}')
    assert position(*twice) == Position.of({"orders": {0: 9, 1: 5}})


def test_topics_are_known_before_their_first_data() -> None:
    lines = ('{"orders":{"0":0}}', '{"new":{}}', '{"clicks":{"0":2}}', "-", '{"logOffset":0}')
    found = parse_offsets("\n".join(["v1", HEAD, *lines]), "x", ["a", "b"])
    assert found.topics == {"orders", "new", "clicks", "b"}
    assert found.position == Position.of({"clicks": {0: 1}, "b": {0: 0}})


def test_watermarks() -> None:
    text = "v1\n{}\n-".replace("{}", HEAD.replace('Ms":0', 'Ms":250', 1))
    assert parse_offsets(text, "x", None).watermark_ms == 250
    assert parse_offsets(f"v1\n{HEAD}\n-", "x", None).watermark_ms is None


@pytest.mark.parametrize(
    "text",
    ["", "v1", "v3\n{}\n-", "v1\n{}\n-", "v1\nnonsense", f"v1\n{HEAD}\nnonsense", "v1\n[]\n-"],
)
def test_records_that_cannot_be_read_are_named(text: str) -> None:
    with pytest.raises(TornRecordError, match="offsets/3"):
        parse_offsets(text, "offsets/3", None)
