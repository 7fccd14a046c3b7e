"""The shares of the workers add up to the limits of the gateway."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.errors import SettingsError
from stategate.gateway.settings import SETTINGS, Settings
from stategate.gateway.supervision.shares import share_of
from stategate.gateway.thread_settings import thread_count

CONNECTIONS = ("http_connections_max", "pg_connections_max")
MEMORY = ("cache_bytes", "columns_bytes", "rows_bytes")


@given(workers=st.integers(1, 256), connections=st.integers(256, 5000))
def test_the_shares_of_connections_add_up(workers: int, connections: int) -> None:
    whole = Settings(
        workers=workers, http_connections_max=connections, pg_connections_max=connections
    )
    shares = [share_of(whole, number) for number in range(workers)]
    for name in CONNECTIONS:
        given_out = [getattr(each, name) for each in shares]
        assert sum(given_out) == connections
        assert max(given_out) - min(given_out) <= 1


@given(workers=st.integers(2, 64))
def test_no_share_of_memory_is_more_than_an_equal_part_or_the_least(workers: int) -> None:
    whole = Settings(workers=workers)
    for number in range(workers):
        share = share_of(whole, number)
        for name in MEMORY:
            most = max(getattr(whole, name) // workers + 1, SETTINGS[name].least)
            assert getattr(share, name) <= most


@given(workers=st.integers(1, 64), threads=st.integers(0, 64))
def test_the_shares_of_threads_add_up_and_none_is_the_default(workers: int, threads: int) -> None:
    whole = Settings(workers=workers, threads=threads)
    shares = [share_of(whole, number).threads for number in range(workers)]
    assert sum(shares) == max(thread_count(threads), workers)
    assert min(shares) >= 1


def test_all_else_is_the_same_but_the_directory() -> None:
    whole = Settings(workers=2, data="replicas", root="log")
    one, other = share_of(whole, 0), share_of(whole, 1)
    assert one.data == "replicas"
    assert other.data == "replicas/.worker-1"
    assert share_of(replace(whole, data=""), 1).data == ""
    same = {each.name for each in fields(Settings)} - {"data"}
    assert {name for name in same if getattr(one, name) != getattr(other, name)} == set()


def test_each_worker_can_bring_back_what_one_process_can() -> None:
    whole = Settings(workers=8)
    assert share_of(whole, 7).live_log_bytes_max == whole.live_log_bytes_max


def test_a_worker_without_a_connection_is_refused() -> None:
    with pytest.raises(SettingsError, match="less than the number of workers"):
        share_of(Settings(workers=4, pg_connections_max=3), 0)
