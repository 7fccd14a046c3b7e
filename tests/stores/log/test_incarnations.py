"""Stores that are removed and created again in one log: none is taken for the other."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from stategate.stores.errors import FencedError, LogMissingError, LogReplacedError, SchemaError
from stategate.stores.log.metadata.definitions import decode_definition, encode_definition
from stategate.stores.log.state_log import StoreLog
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.upkeep.rebuild import rebuild
from tests.support.logs import AT, CLICKS, rows


def write(root: Path, epochs: int) -> None:
    writer = StoreWriter(root, CLICKS)
    for _ in range(epochs):
        writer.write(rows(), position=AT)


@pytest.mark.parametrize("epochs", [0, 1, 2, 3])
def test_a_log_knows_no_epoch_of_a_store_that_was_made_anew(tmp_path: Path, epochs: int) -> None:
    write(tmp_path, 2)
    log = StoreLog.open(tmp_path, "clicks")
    log.schema()
    assert [log.latest_epoch(), log.latest_epoch()] == [1, 1]
    shutil.rmtree(tmp_path / "clicks")
    write(tmp_path, epochs)
    for _ in range(2):
        with pytest.raises(LogReplacedError, match='"clicks" was removed and created again'):
            log.latest_epoch()
        with pytest.raises(LogReplacedError):
            log.schema()
    assert StoreLog.open(tmp_path, "clicks").latest_epoch() == epochs - 1


def test_each_definition_has_a_name_of_its_own(tmp_path: Path) -> None:
    """It is kept when inputs and comments change, and another one after a rebuild."""
    log = StoreLog.open(tmp_path, "clicks")
    first = log.define(replace(CLICKS, incarnation="mine")).incarnation
    assert first not in {"", "mine"}
    assert log.define(replace(CLICKS, comment="more")).incarnation == first
    assert log.schema().address == f"clicks/{first}"
    write(tmp_path, 1)
    rebuild(tmp_path, "clicks", replace(CLICKS, partitions=CLICKS.partitions + 1))
    assert StoreLog.open(tmp_path, "clicks").schema().incarnation not in {"", first}


def test_a_name_stays_in_the_directory_of_its_store() -> None:
    data = encode_definition(replace(CLICKS, incarnation="5e0c"))
    assert decode_definition(data, "x").incarnation == "5e0c"
    with pytest.raises(SchemaError, match="is no incarnation"):
        replace(CLICKS, incarnation="../c")


@pytest.mark.parametrize("epochs", [1, 3, 5])
def test_a_writer_adds_nothing_to_a_store_that_was_created_again(
    tmp_path: Path, epochs: int
) -> None:
    """Its term has the number of a term there; only the owner is another."""
    old = StoreWriter(tmp_path, CLICKS)
    for _ in range(3):
        old.write(rows(), position=AT)
    shutil.rmtree(tmp_path / "clicks")
    with pytest.raises(LogMissingError):
        old.declare(["more"])
    new = StoreWriter(tmp_path, CLICKS)
    for _ in range(epochs):
        new.write(rows(), position=AT)
    for _ in range(2):
        with pytest.raises(FencedError, match="was removed and created again"):
            old.write(rows(), position=AT)
    assert new.write(rows(), position=AT).epoch == epochs
