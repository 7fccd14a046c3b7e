"""The part of a gateway that makes it one node of several: answers, asks, places, and leaves."""

from __future__ import annotations

import logging

logger = logging.getLogger(__name__)

_SECRET_BYTES_LEAST = 16
_SECRET_BYTES_MAX = 4096
_STEP_S = 0.1
"""How often a node looks at its replicas while some of them change, and at what others hold."""
_SETTLE_S = 2.0
"""How long a node waits at its start for the others, before it decides what to hold."""
_PEERS_S = 1.0
"""How often a file or a name of peers is read again."""
