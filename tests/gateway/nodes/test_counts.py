"""Copies that cannot be read are counted, and logged once each."""

from __future__ import annotations

import pytest

from stategate.gateway.nodes.counts import UnreadableCopies
from stategate.stores.nodes.failover import Unreadable


def test_each_copy_is_logged_once_until_its_node_starts_anew(
    caplog: pytest.LogCaptureFixture,
) -> None:
    copies = UnreadableCopies()
    for node, partition in (("b", 3), ("b", 3), ("b", 4), ("a", 3)):
        copies.note(Unreadable(node, "clicks", partition, "Corruption"))
    assert copies.reads == {"b": 3, "a": 1}
    assert [record.getMessage().split("node=")[1] for record in caplog.records] == [
        "b store=clicks partition=3: Corruption",
        "b store=clicks partition=4: Corruption",
        "a store=clicks partition=3: Corruption",
    ]
    caplog.clear()
    copies.forget("b")
    for node in ("a", "b"):
        copies.note(Unreadable(node, "clicks", 3, "Corruption"))
    assert len(caplog.records) == 1
    assert copies.reads == {"b": 4, "a": 2}
