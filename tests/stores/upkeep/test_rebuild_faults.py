"""A rebuild is killed between any two operations on files: the store is the old one or the new."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stategate.stores.log.checking.verification import verify
from stategate.stores.log.files.local import LocalFiles
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.upkeep.rebuild import rebuild
from stategate.stores.upkeep.retention import Retention, compact
from tests.support.hosts import has_epoch, running
from tests.support.logs import contents_of
from tests.support.stores import columns, keyvalue
from tests.support.waiting import until

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)
AFTER = replace(CLICKS, value=columns(n="bigint", note="text"), partitions=3)
CHANGES = ("create", "replace", "open_output", "remove_tree", "remove_file", "move", "sync", "make")
FAR_MS = 10**15


class KilledError(Exception):
    """Stands for the end of the process."""


class Life:
    """Ends before the n-th change of files; nothing is changed from then on."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def dying(self, change: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(change)
        def step(*args: Any, **kwargs: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise KilledError(change.__name__)
            return change(*args, **kwargs)

        return step


def add(root: Path, schema: StoreSchema, usr: str) -> int:
    rows = {"usr": [usr], "n": [9], "note": ["x"]}
    table = pa.table({column.name: rows[column.name] for column in schema.columns})
    at = Position.of({"events": {0: 9}})
    return StoreWriter(root, schema, writer="again").write(table, position=at).epoch


def test_killed_at_any_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "log"
    for n in range(3):
        table = pa.table({"usr": ["ann", f"u{n}"], "n": [n, n]})
        at = Position.of({"events": {0: n}})
        StoreWriter(root, CLICKS).write(table, position=at)
    old = [("ann", 2), ("u0", 0), ("u1", 1), ("u2", 2)]
    outcomes: list[bool] = []
    for steps in range(1_000):
        copy = tmp_path / f"copy-{steps}"
        shutil.copytree(root, copy)
        life = Life(steps)
        with monkeypatch.context() as patched:
            for name in CHANGES:
                patched.setattr(LocalFiles, name, life.dying(getattr(LocalFiles, name)))
            try:
                rebuild(copy, "clicks", AFTER)
            except KilledError:
                pass
            else:
                break
        log = StoreLog.open(copy, "clicks")
        assert log.latest_epoch() == 2
        is_moved = log.move is not None or log.place != ""
        outcomes.append(is_moved)
        assert not verify(copy, "clicks").damages
        if not is_moved:
            assert sorted(contents_of(copy, CLICKS)) == old
            assert add(copy, CLICKS, "eve") == 3
            rebuild(copy, "clicks", AFTER)
        elif not log.place:
            # Its writer finds the move, writes the hint, and has to be started again.
            done = compact(copy, "clicks", retention=Retention(epochs=1), orphan_age_ms=0)
            assert done.orphans_removed == 0
            assert StoreLog.open(copy, "clicks").place
        expected = [(usr, n, None) for usr, n in old] + ([] if is_moved else [("eve", 9, None)])
        assert sorted(contents_of(copy, AFTER)) == sorted(expected)
        last = add(copy, AFTER, "fay")
        done = compact(
            copy,
            "clicks",
            retention=Retention(age_ms=1000),
            orphan_age_ms=0,
            clock=lambda: FAR_MS,
        )
        assert len(list((copy / "clicks" / "rebuilt").iterdir())) == 1
        assert sorted(contents_of(copy, AFTER)) == sorted([*expected, ("fay", 9, "x")])
        if steps % 10 == 0:
            with running(copy) as host:
                until(lambda host=host, last=last: has_epoch(host, last))  # type: ignore[misc]
        shutil.rmtree(copy)
    assert len(outcomes) > 20
    assert outcomes == sorted(outcomes), "once it has moved, it stays so"
    assert outcomes[-1]
    assert not outcomes[0]
