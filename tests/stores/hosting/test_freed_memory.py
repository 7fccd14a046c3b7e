from __future__ import annotations

from stategate.stores.hosting.freed_memory import BURST_BYTES, QUIET_BYTES, FreedMemory


class Pool:
    """A memory pool that counts."""

    def __init__(self) -> None:
        self.total = 1 << 30
        self.released = 0

    def total_bytes_allocated(self) -> int:
        return self.total

    def release_unused(self) -> None:
        self.released += 1


def test_memory_is_given_back_once_after_a_burst() -> None:
    pool = Pool()
    memory = FreedMemory(pool)
    assert not memory.look(), "what was allocated before is not a burst"
    for _ in range(4):
        pool.total += BURST_BYTES
        assert not memory.look(), "the burst goes on"
    pool.total += QUIET_BYTES
    assert memory.look()
    assert not memory.look()
    assert pool.released == 1


def test_little_work_gives_nothing_back() -> None:
    pool = Pool()
    memory = FreedMemory(pool)
    for _ in range(BURST_BYTES // QUIET_BYTES - 1):
        pool.total += QUIET_BYTES
        assert not memory.look()
    pool.total += QUIET_BYTES
    assert memory.look()


def test_the_default_pool_has_what_is_used() -> None:
    assert FreedMemory().look() is False
