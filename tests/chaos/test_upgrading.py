"""Nodes are upgraded one after the other, there and back, from sources that are really older."""

from __future__ import annotations

import subprocess
from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest

from tests.chaos.links import Links
from tests.chaos.processes import Gateway, start
from tests.chaos.upgrading import SourcesError, sources_of, upgrades
from tests.support.process import ROOT, free_ports


def gateways(directory: Path) -> list[Gateway]:
    with closing(Links(dict(zip("ab", free_ports(2), strict=True)))) as links:
        return Gateway.cluster(links, directory / "log", directory, "none", directory)


def test_all_nodes_go_there_one_after_the_other_and_then_all_go_back(tmp_path: Path) -> None:
    nodes = gateways(tmp_path)
    assert [each.sources for each in nodes] == [tmp_path, tmp_path]
    seen = [
        (gateway.name, kind, gateway.sources == ROOT)
        for gateway, kind in islice(upgrades(nodes, tmp_path), 5)
    ]
    assert seen == [
        ("a", "node upgraded", True),
        ("b", "node upgraded", True),
        ("a", "node downgraded", False),
        ("b", "node downgraded", False),
        ("a", "node upgraded", True),
    ]


def test_sources_are_those_of_a_directory_or_a_commit(tmp_path: Path) -> None:
    assert sources_of(str(ROOT), tmp_path) == ROOT
    with pytest.raises(SourcesError, match="no-such-release is neither a directory of sources"):
        sources_of("no-such-release", tmp_path)
    if subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=False).returncode == 0:
        found = sources_of("HEAD", tmp_path)
        assert (found / "gateway" / "main.py").is_file()


def test_a_program_runs_the_modules_of_its_sources(tmp_path: Path) -> None:
    """Not those of this clone, which the environment may have on its path."""
    chaos = tmp_path / "older" / "tests" / "chaos"
    for package in ("stores", "gateway/client/stategate"):
        (tmp_path / "older" / package).mkdir(parents=True)
        (tmp_path / "older" / package / "__init__.py").write_text("")
    chaos.mkdir(parents=True)
    (chaos / "planted.py").write_text(
        "import os, stategate.stores as ours; print(os.getcwd(), os.path.realpath(ours.__file__))"
    )
    output = tmp_path / "output"
    older = tmp_path / "older"
    process = start("planted", "none", [], output, sources=older)
    assert process.wait(60) == 0, output.read_text()
    assert output.read_text().split() == [str(older), str(older / "stores" / "__init__.py")]
