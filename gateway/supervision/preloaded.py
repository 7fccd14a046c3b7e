"""Imported once by the server that forks workers, so that they share the memory of all modules."""

from __future__ import annotations

import gc
import signal

gc.disable()  # what is loaded stays

import stategate.gateway.wiring  # noqa: E402, F401 - the workers share these modules

# A collection would write to objects, and a page of memory that is written to is no longer shared.
gc.collect()
gc.freeze()
gc.enable()

# Some service managers send SIGTERM to all processes. The server must outlive its workers, because
# it reports their ends; it ends with the supervisor.
signal.signal(signal.SIGTERM, signal.SIG_IGN)
