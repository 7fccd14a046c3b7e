"""`make chaos ARGS="--seconds 1200 --seed 1"`: kill a pipeline and gateways over Kafka.

With `--nodes 3` the gateways are nodes of one cluster: one at a time is lost, and statements at the
others may not fail. With `--upgrade REVISION` all of them begin as that older release, and one
after the other is restarted as ours, and back.
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import random
import secrets
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from examples.kafka_orders.jars import JarError, fetch
from tests.chaos.faults import Storm
from tests.chaos.planted import GATEWAYS
from tests.chaos.planted_pipeline import PIPELINES
from tests.chaos.planted_rebuild import REBUILDS
from tests.chaos.reads.modes import too_few
from tests.chaos.report import report
from tests.chaos.upgrading import SourcesError, sources_of
from tests.chaos.world import ChaosError, World
from tests.spark.kafka.broker import running_broker
from tests.support.process import start_children_with_plain_signals

SECONDS = 300.0
PLANTED = (*GATEWAYS, *PIPELINES, *REBUILDS)
_NODES_LEAST = 3


@contextlib.contextmanager
def _directory(kept: Path | None) -> Iterator[Path]:
    """Give a directory for the run: a temporary one, unless one is named."""
    if kept is not None:
        kept.mkdir(parents=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="stategate-chaos-") as made:
        yield Path(made)


def main(arguments: Sequence[str]) -> int:
    """Run; return 1 if a bound was broken, a row is wrong, or something did not come back."""
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long faults go on")
    parser.add_argument("--seed", type=int, default=None, help="draws faults and questions")
    parser.add_argument("--keep", type=Path, help="a new directory that keeps logs and replicas")
    planted = ["none", "all", *PLANTED]
    parser.add_argument("--plant", choices=planted, default="none", help="a defect to find")
    parser.add_argument("--nodes", type=int, default=0, help="gateways of one cluster")
    parser.add_argument(
        "--rebuilds", action="store_true", help="break nothing, only change definitions of stores"
    )
    parser.add_argument(
        "--upgrade", metavar="REVISION", help="an older release to upgrade the nodes from, and back"
    )
    given = parser.parse_args(arguments)
    start_children_with_plain_signals()
    # It warns of connections that are lost in a pipeline.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    if given.nodes and given.nodes < _NODES_LEAST:
        parser.error(f"a cluster that can lose a node has at least {_NODES_LEAST}")
    if given.upgrade and not given.nodes:
        parser.error("--upgrade needs --nodes")
    seed = secrets.randbelow(1 << 32) if given.seed is None else given.seed
    try:
        fetch(["connector", "broker"])
    except JarError as error:
        print(f"chaos: {error}", file=sys.stderr)
        return 2
    with _directory(given.keep) as directory:
        try:
            older = sources_of(given.upgrade, directory) if given.upgrade else None
        except SourcesError as error:
            print(f"chaos: {error}", file=sys.stderr)
            return 2
        options: dict[str, Any] = {
            "seconds": given.seconds,
            "seed": seed,
            "nodes": given.nodes,
            "rebuilds_only": given.rebuilds,
            "older": older,
        }
        if given.plant == "all":
            return find_all(directory, **options)
        return run(directory, plant=given.plant, **options)


def find_all(directory: Path, **options: Any) -> int:
    """Plant one defect after the other, print when each was found, and return 1 if one was not."""
    lines, missed = [], 0
    for plant in PLANTED:
        found: list[tuple[float, str]] = []
        (directory / plant).mkdir()
        run(directory / plant, plant=plant, found=found, **options)
        missed += not found
        lines += [f"{plant:<12} {at_s:5.0f} s  {kind}" for at_s, kind in found[:1]]
        lines += [] if found else [f"{plant:<12}   not found"]
        print(lines[-1], flush=True)
    print("\n".join(["planted:", *lines]), flush=True)
    return 1 if missed else 0


def run(
    directory: Path,
    *,
    seconds: float,
    seed: int,
    plant: str = "none",
    nodes: int = 0,
    rebuilds_only: bool = False,
    older: Path | None = None,
    found: list[tuple[float, str]] | None = None,
) -> int:
    """Run in a directory, print the figures, and return 1 if something was wrong.

    Args:
        directory: an empty directory.
        seconds: how long faults go on.
        seed: draws faults and questions.
        plant: a defect, or `none`.
        nodes: how many gateways are one cluster; 0 for two that are none.
        rebuilds_only: whether only definitions of stores change.
        older: sources from which nodes are upgraded, and back.
        found: if given, the run ends at the first violation, and this gets when it was found, in
            seconds since faults began, and its kind.
    """
    (directory / "kafka").mkdir()
    with running_broker(directory / "kafka") as broker:
        chance = random.Random(seed)
        world = World(
            directory=directory,
            broker=broker,
            chance=chance,
            plant=plant,
            nodes=nodes,
            older=older,
        )
        storm = Storm(
            world=world, chance=random.Random(chance.random()), rebuilds_only=rebuilds_only
        )
        began_s = time.monotonic()
        differences: list[str] | None = None

        def say() -> None:
            ledger, answers = world.answers.ledger, world.answers
            print(
                f"{(time.monotonic() - began_s) / 60:4.1f} min: {ledger.written} records, "
                f"{answers.answered.total()} answers, {answers.refused.total()} refusals, "
                f"{storm.counts.total()} faults, {sum(world.epochs().values())} epochs, "
                f"{answers.violations.total()} violations",
                flush=True,
            )

        def is_found() -> bool:
            if found is None:
                return False
            world.answers.check()
            kinds = [*world.answers.violations]
            found.extend((time.monotonic() - raged_s, kind) for kind in kinds)
            return bool(found)

        try:
            world.begin()
            raged_s = time.monotonic()
            storm.rage(seconds, say, is_found)
            if not found:
                storm.calm()
                world.drain()
                too_few(world.answers, seconds)
                differences = world.differences()
        except ChaosError as error:
            world.answers.violate("it does not go on", str(error))
        except Exception as error:  # so that the figures are shown, too
            traceback.print_exc()
            world.answers.violate("the run itself failed", repr(error))
        finally:
            storm.end()
            world.end()
        say()
        print("\n".join(report(world, storm, differences)), flush=True)
    wrong = world.answers.violations.total() + len(differences or ())
    print(f"chaos: {wrong} violations, seed {seed}, plant {plant}", flush=True)
    if wrong:
        print(f"look at the output of all processes with --keep DIR --seed {seed}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
