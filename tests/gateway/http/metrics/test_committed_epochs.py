"""The newest epochs of logs, even if a log fails or hangs."""

from __future__ import annotations

import logging
import threading
import time

import pytest

from stategate.gateway.http.metrics.committed_epochs import LOG_FRESH_S, CommittedEpochs
from stategate.stores.errors import LogError
from tests.gateway.scraping import (
    FakeNode,
    FakeStore,
    MakeMetrics,
    labelled,
    running,
    told,
    value,
)
from tests.support.waiting import WAIT_S


def test_an_unreadable_log_is_reported_without_an_epoch(
    make_metrics: MakeMetrics, caplog: pytest.LogCaptureFixture
) -> None:
    torn, sound = FakeStore(running(), committed=9), FakeStore(running(), committed=8)
    metrics = make_metrics(FakeNode(sound=sound, torn=torn))
    assert labelled(told(metrics), "store_committed_epoch", "store") == {"sound": 8, "torn": 9}
    torn.failure = LogError("the directory is not there")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            found = told(metrics)
            assert labelled(found, "store_committed_epoch", "store") == {"sound": 8}
            assert labelled(found, "store_log_readable", "store") == {"sound": 1, "torn": 0}
    assert [record.getMessage() for record in caplog.records] == [
        "log cannot be read for metrics, store=torn, error=the directory is not there"
    ]
    torn.failure = None
    assert labelled(told(metrics), "store_log_readable", "store") == {"sound": 1, "torn": 1}


def test_a_log_that_hangs_delays_nothing_else(make_metrics: MakeMetrics) -> None:
    hung, sound = FakeStore(running(), committed=9), FakeStore(running(), committed=8)
    hung.gate = threading.Event()
    # The log that hangs is read last, because logs are read in the order of names.
    metrics = make_metrics(FakeNode(a_sound=sound, b_hung=hung))
    try:
        for _ in range(2):
            found = told(metrics)
            assert labelled(found, "store_committed_epoch", "store") == {"a_sound": 8}
            assert labelled(found, "store_log_readable", "store") == {"a_sound": 1, "b_hung": 0}
            assert labelled(found, "replica_epoch", "store") == {"a_sound": 7, "b_hung": 7}
        assert hung.reads == sound.reads == 1, "it is read again while it hangs"
    finally:
        hung.gate.set()
    deadline_s = time.monotonic() + WAIT_S
    while value(told(metrics), "store_committed_epoch", store="b_hung") != 9:
        assert time.monotonic() < deadline_s


def test_an_old_epoch_is_not_reported() -> None:
    now_s = 1000.0
    hung, sound = FakeStore(committed=9), FakeStore(committed=8)
    epochs = CommittedEpochs(wait_s=0.05, clock=lambda: now_s)
    hung.gate = threading.Event()
    stores = {"sound": sound, "hung": hung}
    try:
        assert epochs.read(stores) == {"sound": 8}
        now_s += LOG_FRESH_S
        assert epochs.read(stores) == {"sound": 8}
        now_s += 1
        assert epochs.read(stores) == {}
    finally:
        hung.gate.set()
