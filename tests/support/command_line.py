"""`stategate` in this process: a Python that starts takes a second of each command."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from stategate.gateway.main import main
from tests.support.process import ROOT, plain_environment


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


def stategate(*arguments: str, given: bytes = b"", **environment: str) -> Ended:
    """Run a command to its end, without a terminal; an unexpected error is raised.

    Args:
        arguments: those after `stategate`.
        given: its standard input.
        environment: is added to ours, without settings of a gateway.
    """
    streams = [_stream(given), _stream(), _stream()]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        patch.setattr("os.environ", plain_environment(COLUMNS="100", **environment))
        patch.setattr(sys, "argv", ["stategate", *arguments])
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        with pytest.raises(SystemExit) as ended:
            main()
    _, out, err = (stream.buffer.getvalue().decode() for stream in streams)
    code = ended.value.code
    assert isinstance(code, int), code
    return Ended(returncode=code, stdout=out, stderr=err)


class _Stream(io.TextIOWrapper):
    buffer: io.BytesIO


def _stream(content: bytes = b"") -> _Stream:
    return _Stream(io.BytesIO(content), encoding="utf-8", write_through=True)
