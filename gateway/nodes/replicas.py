"""Adds and drops replicas of this node, as its place among the others says."""

from __future__ import annotations

import logging

from stategate.stores.errors import StoreError
from stategate.stores.hosting.host import Host
from stategate.stores.nodes.handover import Changes
from stategate.stores.spec.store import Role

logger = logging.getLogger(__name__)


def make(host: Host, wanted: Changes) -> None:
    """Change what a host holds; what cannot be done now is tried again at the next step."""
    for name, number, role in wanted.add:
        try:
            host.add_replica(name, number, role)
        except StoreError as error:
            logger.warning("replica cannot be added store=%s partition=%d: %s", name, number, error)
    for name, number in wanted.drop:
        try:
            host.drop(name, number, remove=True)
        except StoreError as error:
            logger.warning(
                "replica cannot be dropped store=%s partition=%d: %s", name, number, error
            )
    for name, number, role in wanted.turn:
        try:
            (host.promote if role is Role.ACTIVE else host.demote)(name, number)
        except StoreError as error:
            logger.warning("role cannot be changed store=%s partition=%d: %s", name, number, error)
