"""Positions merge like sets, tokens round-trip, and bounds are met exactly when reached."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.stores.errors import CodecError
from stategate.stores.spec.position import (
    EMPTY,
    TOKEN_BYTES_MAX,
    UNBOUNDED,
    Position,
    PositionBound,
    Progress,
    later_watermark,
    merge_positions,
    unmet_bound,
)
from stategate.stores.spec.schema import InputTopic

TOPICS = st.sampled_from(["a", "b", "with space", "é\0", ""])
OFFSETS = st.one_of(st.integers(0, 3), st.just(2**63 - 1))
POSITIONS = st.dictionaries(
    TOPICS, st.dictionaries(st.integers(0, 2**31 - 1) | st.integers(0, 2), OFFSETS, max_size=3)
).map(Position.of)
BOUNDS = st.builds(
    PositionBound,
    position=POSITIONS,
    epoch=st.none() | st.integers(0, 3),
    lag_ms_max=st.none() | st.integers(0, 3),
    committed_ms=st.none() | st.integers(5, 12),
)


@given(POSITIONS, POSITIONS, POSITIONS)
def test_merge_is_a_least_upper_bound(a: Position, b: Position, c: Position) -> None:
    assert a.merge(b) == b.merge(a)
    assert a.merge(b).merge(c) == a.merge(b.merge(c))
    assert a.merge(a) == a == a.merge(EMPTY) == EMPTY.merge(a) == a.merge(None)
    assert a.merge(b).covers(a)
    assert a.merge(b).covers(b)
    if c.covers(a) and c.covers(b):
        assert c.covers(a.merge(b))
    assert merge_positions([a, None, b, c]) == a.merge(b).merge(c)


@given(POSITIONS, POSITIONS)
def test_a_position_covers_another_if_merging_it_has_no_effect(a: Position, b: Position) -> None:
    assert a.covers(b) == (a.merge(b) == a)
    assert a.covers(EMPTY)
    assert EMPTY.covers(a) == a.is_empty


@given(POSITIONS)
def test_tokens_and_mappings_round_trip(position: Position) -> None:
    assert Position.from_token(position.token()) == position
    assert Position.of(position.to_dict()) == position
    assert hash(Position.of(position.to_dict())) == hash(position)


def test_components() -> None:
    position = EMPTY.with_component("t", 3, 5)
    assert position.with_component("t", 3, 4) == position
    assert position.with_component("t", 3, 6).offsets("t") == {3: 6}
    assert position.offsets("other") == {}
    assert Position.of(None) == EMPTY
    assert EMPTY.is_empty
    assert not position.is_empty


def test_negative_offsets_are_left_out() -> None:
    """Spark's end offset of an untouched partition is 0, which becomes -1: no record."""
    assert Position.of({"t": {0: -1, 1: 0}}) == Position.of({"t": {1: 0}})
    assert Position.of({"t": {0: -1}, "u": {}}) == EMPTY


def test_positions_do_not_share_their_source_mapping() -> None:
    source = {"t": {0: 1}}
    position = Position.of(source)
    source["t"][0] = 9
    position.to_dict()["t"][0] = 9
    assert position.offsets("t") == {0: 1}
    with pytest.raises(FrozenInstanceError):
        position.components = ()  # type: ignore[misc]


@pytest.mark.parametrize(
    "token",
    [
        "",
        "{",
        "null",
        "[]",
        "1",
        '{"t": 1}',
        '{"t": []}',
        '{"t": {"a": 1}}',
        '{"t": {"-1": 1}}',
        '{"t": {"+1": 1}}',
        '{"t": {"1.0": 1}}',
        '{"t": {"": 1}}',
        '{"t": {"00": 1}}',
        '{"t": {"²": 1}}',
        '{"t": {"' + "9" * 5000 + '": 1}}',
        '{"t": {"0": -1}}',
        '{"t": {"0": 1.0}}',
        '{"t": {"0": true}}',
        '{"t": {"0": "1"}}',
        '{"t": {"0": null}}',
        '{"t": {"0": 9223372036854775808}}',
        "[" * 100_000,
        "\ud800",
        "{}" + " " * (TOKEN_BYTES_MAX - 1),
    ],
    ids=lambda token: token[:24] or "empty",
)
def test_malformed_tokens_are_refused(token: str) -> None:
    with pytest.raises(CodecError):
        Position.from_token(token)


@given(st.text(max_size=30) | st.text(alphabet='{}":,0123456789t ', max_size=30))
def test_any_text_is_a_token_or_refused(text: str) -> None:
    try:
        position = Position.from_token(text)
    except CodecError:
        return
    assert Position.from_token(position.token()) == position


AT_5 = Progress(
    epoch=3, position=Position.of({"in": {0: 5, 1: 7}, "side": {0: 1}}), committed_ms=1_000
)
SHUFFLED = (InputTopic(topic="in"), InputTopic(topic="side"))
ALIGNED = (InputTopic(topic="in", aligned=True), InputTopic(topic="side"))


def at(**components: dict[int, int]) -> PositionBound:
    return PositionBound.at(Position.of(components))


@pytest.mark.parametrize(
    ("bound", "inputs", "unmet"),
    [
        (UNBOUNDED, SHUFFLED, None),
        (at(**{"in": {0: 5}}), SHUFFLED, None),
        (at(**{"in": {0: 4, 1: 7}}), SHUFFLED, None),
        (at(**{"in": {0: 6}}), SHUFFLED, "in[0] is at offset 5, behind 6"),
        # Every input partition feeds every store partition, unless they are aligned.
        (at(**{"in": {1: 8}}), SHUFFLED, "in[1] is at offset 7, behind 8"),
        (at(**{"in": {1: 8}}), ALIGNED, None),
        (at(**{"in": {0: 6}}), ALIGNED, "in[0] is at offset 5, behind 6"),
        (at(**{"in": {1: 8}}, side={0: 2}), ALIGNED, "side[0] is at offset 1, behind 2"),
        # A component that the position lacks has not been reached, not even offset 0.
        (at(**{"in": {2: 0}}), SHUFFLED, "in[2] is at no offset yet, behind 0"),
        (at(**{"in": {2: 0}}), ALIGNED, None),
        # Topics that do not feed the store set no bound; one that the position counts does.
        (at(other={0: 99}), SHUFFLED, None),
        (at(side={0: 2}), (), "side[0] is at offset 1, behind 2"),
        (at(other={0: 99}, side={0: 2}), SHUFFLED, "side[0] is at offset 1, behind 2"),
        (PositionBound(epoch=3), SHUFFLED, None),
        (PositionBound(epoch=4), SHUFFLED, "epoch 3 is behind epoch 4"),
        (PositionBound(lag_ms_max=500), SHUFFLED, None),
        (PositionBound(lag_ms_max=499), SHUFFLED, "the newest epoch is 500 ms old"),
        # All parts must hold.
        (PositionBound(epoch=3, lag_ms_max=499), SHUFFLED, "the newest epoch is 500 ms old"),
        (
            PositionBound(epoch=3, lag_ms_max=500, position=Position.of({"in": {0: 6}})),
            SHUFFLED,
            "in[0] is at offset 5, behind 6",
        ),
    ],
)
def test_a_bound_is_met_exactly_from_its_values_on(
    bound: PositionBound, inputs: tuple[InputTopic, ...], unmet: str | None
) -> None:
    found = unmet_bound(bound, AT_5, inputs=inputs, partition=0, now_ms=1_500)
    assert (found is None) == (unmet is None)
    assert unmet is None or (found is not None and unmet in found)


@pytest.mark.parametrize(
    ("bound", "unmet"),
    [
        (UNBOUNDED, None),
        (PositionBound(epoch=0), "epoch -1 is behind epoch 0"),
        (PositionBound(lag_ms_max=10**15), "no epoch has been applied yet"),
        (PositionBound(committed_ms=0), "no epoch has been applied yet"),
        (at(**{"in": {0: 0}}), "in[0] is at no offset yet, behind 0"),
        (at(other={0: 0}), None),
    ],
)
def test_bounds_on_an_empty_replica(bound: PositionBound, unmet: str | None) -> None:
    found = unmet_bound(bound, Progress(), inputs=SHUFFLED, partition=0, now_ms=1_500)
    assert found == unmet


@given(BOUNDS, BOUNDS, POSITIONS, st.integers(-1, 4), st.integers(0, 3))
def test_merged_bounds_are_met_when_both_are(
    a: PositionBound, b: PositionBound, position: Position, epoch: int, lag_ms: int
) -> None:
    progress = Progress(epoch=epoch, position=position, committed_ms=10 - lag_ms)

    def is_met(bound: PositionBound) -> bool:
        inputs = (InputTopic(topic="a"), InputTopic(topic="b", aligned=True))
        return unmet_bound(bound, progress, inputs=inputs, partition=1, now_ms=10) is None

    assert is_met(a.merge(b)) == (is_met(a) and is_met(b))
    assert a.merge(UNBOUNDED) == a
    assert a.merge(b) == b.merge(a)


@pytest.mark.parametrize(
    ("bound", "unbounded"),
    [
        (PositionBound(), True),
        (PositionBound.unbounded(), True),
        (PositionBound.at(EMPTY), True),
        (PositionBound(epoch=0), False),
        (PositionBound(lag_ms_max=0), False),
        (at(t={0: 0}), False),
    ],
)
def test_bounds_without_parts_are_unbounded(bound: PositionBound, unbounded: bool) -> None:
    assert bound.is_unbounded == unbounded


def test_bounds_by_name() -> None:
    assert PositionBound.at_latest() == PositionBound(latest=True)
    assert PositionBound.at_snapshot() == PositionBound(snapshot=True)
    assert PositionBound.within_lag(5) == PositionBound(lag_ms_max=5)
    lags = [PositionBound.within_lag(5).merge(PositionBound.within_lag(lag)) for lag in (3, 7)]
    assert [lag.lag_ms_max for lag in lags] == [3, 5]
    both = PositionBound.at_latest().merge(PositionBound.at_snapshot())
    assert (both.latest, both.snapshot, both.is_unbounded) == (True, True, False)


def test_a_partition_alone_refuses_a_latest_bound() -> None:
    unmet = unmet_bound(PositionBound(latest=True), Progress(), inputs=(), partition=0, now_ms=0)
    assert unmet == "the store has not said which epoch is the latest"


@pytest.mark.parametrize(
    ("first_ms", "second_ms", "later_ms"),
    [(3, 5, 5), (5, 3, 5), (None, -1, -1), (None, None, None)],
)
def test_the_later_of_two_watermarks_counts(
    first_ms: int | None, second_ms: int | None, later_ms: int | None
) -> None:
    assert later_watermark(first_ms, second_ms) == later_ms
