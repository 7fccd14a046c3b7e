"""What a gateway is made of, by its settings."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from stategate.gateway.settings import Settings
from stategate.gateway.wiring import _composing, _wire_address
from stategate.gateway.workers.siblings import WorkerPlace
from tests.gateway.pgwire.serving import serving


@given(workers=st.integers(1, 64), processes=st.integers(1, 32))
def test_workers_begin_at_all_composing_processes(workers: int, processes: int) -> None:
    settings = Settings(workers=workers, compose_processes=processes)
    found = [
        _composing(
            settings,
            WorkerPlace(number=number, count=workers, directory=Path("/run"), started_ms=0),
        )
        for number in range(workers)
    ]
    count = found[0].count
    users = Counter(each.first % count for each in found)
    assert len(users) == min(workers, count)
    assert max(users.values()) - min(users.values()) <= 1


def test_clients_are_told_the_real_port_of_the_wire() -> None:
    with serving() as running:
        assert _wire_address("", running.server) is None
        assert _wire_address("localhost:0", running.server) == f"localhost:{running.port}"
        assert _wire_address("[::1]:0", running.server) == f"[::1]:{running.port}"
