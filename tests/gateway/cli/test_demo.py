"""The demo before it has begun anything."""

from __future__ import annotations

import signal
import socket

import pytest

from gateway.cli.demo import run_demo
from gateway.errors import ServeError


@pytest.mark.parametrize("name", ["http", "pg"])
def test_an_address_that_somebody_has_is_refused_at_once(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or an older gateway that still runs would be taken for the demo's."""
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with socket.create_server(("127.0.0.1", 0)) as held:
        taken = f"127.0.0.1:{held.getsockname()[1]}"
        addresses = {"http": "127.0.0.1:0", "pg": "127.0.0.1:0", name: taken}
        with pytest.raises(ServeError, match=f"cannot listen on {taken}: address already in use"):
            run_demo(root=None, http=addresses["http"], pg=addresses["pg"], check=False)
