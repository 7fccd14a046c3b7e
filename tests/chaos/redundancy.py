"""Whether all partitions have all their replicas, and how soon they have them again."""

from __future__ import annotations

import time
from collections.abc import Sequence

import psycopg

from tests.chaos.ledger import STORES
from tests.chaos.processes import Gateway

_LEAST = """
SELECT count(DISTINCT store), min(replicas) FROM (
    SELECT store, partition, count(*) FILTER (WHERE state = 'running') AS replicas
    FROM stategate.partitions GROUP BY store, partition
) AS counted
"""


class Redundancy:
    """Looks at the replicas of all gateways after one of them was lost.

    Args:
        gateways: all of them.
        copies: how many replicas each partition must have.
    """

    def __init__(self, gateways: Sequence[Gateway], *, copies: int) -> None:
        self._gateways, self._copies = gateways, copies
        self.is_whole = False
        """Whether all gateways are ready, and all replicas answer."""
        self.count = 0
        """How often all was whole again."""
        self.longest_s = 0.0
        """The longest time from when a lost gateway was ready again until all was whole."""

    def lose(self, gateway: Gateway) -> None:
        """Note that a gateway is disturbed."""
        gateway.up_since_s = None
        self.is_whole = False

    def look(self) -> None:
        """Look again, if it was not whole."""
        ready_s = [each.up_since_s for each in self._gateways]
        if self.is_whole or None in ready_s:
            return
        self.is_whole = self._copies == 1 or all(self._sees_all(each) for each in self._gateways)
        if self.is_whole:
            self.count += 1
            last_s = max(each for each in ready_s if each is not None)
            self.longest_s = max(self.longest_s, time.monotonic() - last_s)

    def _sees_all(self, gateway: Gateway) -> bool:
        try:
            with psycopg.connect(gateway.dsn, autocommit=True) as connection:
                found = connection.execute(_LEAST).fetchone()
        except psycopg.Error:
            return False
        return found == (len(STORES), self._copies)
