"""The pinned jars were tried with the Spark that is installed, and are checked when fetched."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pyspark
import pytest

from examples.kafka_orders import jars
from examples.kafka_orders.jars import JarError, fetch, pinned, tried_with


def test_the_connector_was_tried_with_this_spark() -> None:
    assert pyspark.__version__ in tried_with(), (
        f"{jars.PINS.name} has a Kafka connector not tried with pyspark {pyspark.__version__}. "
        "See whether Maven Central has a newer connector, run `make kafka`, and then add the "
        "version to that file."
    )


def test_jars_that_are_here_are_the_pinned_ones() -> None:
    for section in ("connector", "broker"):
        for jar, path in zip(pinned(section), jars.paths(section), strict=True):
            assert hashlib.sha256(path.read_bytes()).hexdigest() == jar.sha256, jar.name


def test_only_missing_jars_are_fetched_and_only_the_pinned_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    central, cache = tmp_path / "central", tmp_path / "cache"
    first, *others = pinned("connector")
    for jar, path in zip(pinned("connector"), jars.paths("connector"), strict=True):
        (central / jar.path).parent.mkdir(parents=True)
        shutil.copy(path, central / jar.path)
    monkeypatch.setenv("MAVEN_CENTRAL", central.as_uri())
    assert fetch(["connector"], cache) == 1 + len(others)
    assert fetch(["connector"], cache) == 0
    (cache / first.name).unlink()
    (central / first.path).write_bytes(b"another file")
    with pytest.raises(JarError, match=rf"{first.name} has the SHA-256 .*, not {first.sha256}"):
        fetch(["connector"], cache)
    assert not (cache / first.name).exists()
    (central / first.path).unlink()
    with pytest.raises(JarError, match=rf"{first.name} cannot be had"):
        fetch(["connector"], cache)
