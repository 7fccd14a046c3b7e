"""The planner with one change, in a process of its own."""

from __future__ import annotations

import gc
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType

from tests.import_tree import make_import_tree
from tests.mutants.asked import Asked
from tests.mutants.mutations import Mutation
from tests.mutants.swap import Warm
from tests.mutants.trial import ANSWERED, KILLED, tried
from tests.support.process import ROOT

_TRIAL_S = 600.0
"""A trial takes a minute or two; it gets more, since cores are shared."""

_STATEMENT = re.compile(rf"{KILLED}statement (\d+)")
_TEST = re.compile(rf"{KILLED}(?:FAILED|ERROR) (\S.*)")


class Tree:
    """The tree as it is in this process, and a copy of it; one module at a time is changed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        shutil.copytree(ROOT, root, ignore=shutil.ignore_patterns("*.pyc", ".*"))
        self._warm = Warm(("tests.mutants.answers", "hypothesis", "pytest"))
        gc.freeze()

    def verdict(self, mutation: Mutation, asked: Sequence[Asked], tests: Sequence[str]) -> str:
        """Return what kills a mutant; empty if it survives."""
        swap = self._warm.swap_of(mutation)
        if swap is not None:
            verdict = self._forked(swap, asked, tests)
        else:
            place = self._root / mutation.path
            source = place.read_text(encoding="utf-8")
            place.write_text(mutation.applied(source), encoding="utf-8")
            try:
                verdict = self._in_copy(asked, tests)
            finally:
                place.write_text(source, encoding="utf-8")
        return "" if self._is_so_unchanged(verdict, asked) else verdict

    def _is_so_unchanged(self, verdict: str, asked: Sequence[Asked]) -> bool:
        """Whether a statement or test fails without the change, too: it has not noticed it.

        SQL leaves some answers open, such as those that depend on the time.
        """
        by_statement, by_test = _STATEMENT.match(verdict), _TEST.match(verdict)
        again = [] if by_statement is None else [asked[int(by_statement[1])]]
        tests = [] if by_test is None else [by_test[1]]
        return bool(again or tests) and bool(self._forked(None, again, tests))

    def _forked(
        self,
        swap: tuple[FunctionType, CodeType] | None,
        asked: Sequence[Asked],
        tests: Sequence[str],
    ) -> str:
        """Run a trial in a forked process, with the code of a function."""
        said = self._root / "said"
        child = os.fork()
        if child == 0:
            os.setsid()
            with said.open("wb") as output:
                os.dup2(output.fileno(), 1)
                os.dup2(output.fileno(), 2)
            os.environ["CI"] = "true"
            status = 2
            try:
                if swap is not None:
                    function, code = swap
                    function.__code__ = code
                status = tried(asked, tests)
            finally:
                sys.stdout.flush()
                os._exit(status)
        ends = time.monotonic() + _TRIAL_S
        while not (found := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < ends:
            time.sleep(0.05)
        _end_group(child)
        if not found[0]:
            os.waitpid(child, 0)
        ended = os.waitstatus_to_exitcode(found[1]) if found[0] else None
        return _verdict(said.read_text(encoding="utf-8", errors="replace"), ended)

    def _in_copy(self, asked: Sequence[Asked], tests: Sequence[str]) -> str:
        """Run a trial in a new process, in the copy."""
        given = self._root / "given.pickle"
        given.write_bytes(pickle.dumps((asked, tests)))
        imports = self._root / "imports"
        make_import_tree(self._root, imports)
        path = [str(self._root), str(imports), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path), "CI": "true"}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.mutants.trial", str(given)],
            cwd=self._root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=_TRIAL_S)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            _end_group(process.pid)
            said, status = process.communicate()[0], None
        _end_group(process.pid)
        return _verdict(said, status)


def _end_group(leader: int) -> None:
    """End a process and all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _verdict(said: str, status: int | None) -> str:
    """Return what a trial says; it has no status if it did not end."""
    if status == 0:
        return ""
    if status is None:
        # Tests have their own limit, and those that are not through have found nothing.
        return "" if ANSWERED in said else f"{KILLED}a statement that does not end"
    lines = [line for line in said.splitlines() if line.startswith((KILLED, "FAILED", "ERROR"))]
    what = lines[-1].split(" - ")[0] if lines else (said.splitlines() or ["its death"])[-1]
    return what if what.startswith(KILLED) else f"{KILLED}{what}"
