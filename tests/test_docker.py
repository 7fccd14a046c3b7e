"""The files in docker/ agree with the tree, with the command line and with each other.

These tests need no container engine. They check mistakes that would break a build or a start
unnoticed, because no one builds images on every change.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from stategate.gateway.addresses import parse_address
from stategate.gateway.settings import SETTINGS, Settings

ROOT = Path(__file__).parent.parent
DOCKER = ROOT / "docker"
DOCKERFILES = [DOCKER / "Dockerfile.gateway", DOCKER / "Dockerfile.pipeline"]
COMPOSE = DOCKER / "compose.yaml"
HEALTH = ["stategate", "health"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One instruction of a Dockerfile, its continued lines joined."""

    word: str
    rest: str


def instructions(path: Path) -> list[Instruction]:
    text = re.sub(r"\\\n\s*", " ", path.read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [Instruction(word=w, rest=r) for w, r in (line.split(maxsplit=1) for line in lines)]


def last_command(path: Path) -> list[str]:
    """Return the CMD of the final stage, in its JSON form."""
    command = [i.rest for i in instructions(path) if i.word == "CMD"][-1]
    words: list[str] = json.loads(command)
    return words


def services() -> dict[str, str]:
    """Return the text of each service."""
    text = COMPOSE.read_text().partition("\nservices:\n")[2].partition("\nvolumes:\n")[0]
    _, *parts = re.split(r"^  (\w+):$", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def health_command(path: Path) -> list[str]:
    """Return the command of the HEALTHCHECK."""
    health = next(i.rest for i in instructions(path) if i.word == "HEALTHCHECK")
    words: list[str] = json.loads(health[health.index("CMD ") + 4 :])
    return words


def compose_commands() -> list[list[str]]:
    """Return the commands of services from our images.

    Each is a JSON array in the file, which YAML reads in the same way.
    """
    ours = "".join(text for text in services().values() if " image: " not in text)
    return [json.loads(command) for command in re.findall(r"^ +command: (\[.*\])$", ours, re.M)]


def all_commands() -> list[list[str]]:
    return [*map(last_command, DOCKERFILES), *compose_commands()]


def published_ports(service: str = "gateway") -> set[int]:
    """Return the container's side of each `- "address:host:container"`."""
    found = re.findall(r'^ +- "127\.0\.0\.1:\d+:(\d+)"$', services()[service], re.MULTILINE)
    return {int(port) for port in found}


def test_no_port_of_the_host_is_published_twice() -> None:
    """All profiles can run together."""
    ports = re.findall(r'^ +- "127\.0\.0\.1:(\d+):\d+"$', COMPOSE.read_text(), re.MULTILINE)
    assert len(set(ports)) == len(ports)


def test_each_gateway_is_watched_with_a_certificate_and_without() -> None:
    """`tests/gateway/cli/test_health_command.py` holds the command to that."""
    assert health_command(DOCKER / "Dockerfile.gateway") == HEALTH
    for text in services().values():
        if "stategate" in text and '"serve"' in text and "Dockerfile.pipeline" in text:
            (probe,) = re.findall(r"^ +test: (\[.*\])$", text, re.MULTILINE)
            assert json.loads(probe) == ["CMD", *HEALTH]


def option(command: list[str], name: str) -> str:
    return command[command.index(name) + 1]


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda p: p.name)
def test_copied_files_exist_and_reach_the_builder(path: Path) -> None:
    allowed = Path(f"{path}.dockerignore").read_text().splitlines()
    assert "*" in allowed
    for instruction in instructions(path):
        if instruction.word != "COPY" or instruction.rest.startswith("--from"):
            continue
        *sources, _ = instruction.rest.split()
        for source in sources:
            assert (ROOT / source).exists(), f"{path.name} copies {source}"
            assert f"!{source}" in allowed, f"{path.name}.dockerignore keeps {source} out"


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda p: p.name)
def test_images_are_slim_staged_unprivileged_and_watched(path: Path) -> None:
    made = instructions(path)
    assert [i.rest for i in made if i.word == "FROM"] == [
        "python:3.11-slim AS build",
        "python:3.11-slim",
    ]
    words = [i.word for i in made]
    assert words.index("USER") > len(words) - 1 - words[::-1].index("FROM")
    probe = health_command(path)
    if probe != HEALTH:
        assert probe[:2] == ["python", "-c"]
        compile(probe[2], f"{path.name} HEALTHCHECK", "exec")


def test_packages_are_all_copied() -> None:
    """An image without one of the packages would install and then fail to start."""
    for path in DOCKERFILES:
        copied = " ".join(i.rest for i in instructions(path) if i.word == "COPY").split()
        assert {"stores", "planner", "gateway", "examples", "LICENSE"} <= set(copied)


def test_every_command_exists() -> None:
    for command in all_commands():
        if command[0] == "python":
            assert (ROOT / command[1]).is_file(), command
        elif command[0] != "sh":
            assert command[:2] == ["stategate", "serve"]


def test_every_flag_is_known_to_the_command_line() -> None:
    known: dict[str, str] = {}
    for command in (each for each in all_commands() if each[0] != "sh"):
        target = " ".join(command[: 1 if command[0] != "python" else 2])
        known.setdefault(target, _help_of(command))
        for flag in (word for word in command if word.startswith("--")):
            assert re.search(rf"{flag}\b", known[target]), f"{target} has no {flag}"


def _help_of(command: list[str]) -> str:
    """Return what `--help` prints, on wide lines; for the pipeline its source.

    The pipeline's own `--help` would import Spark for three flags.
    """
    if command[0] == "python":
        return (ROOT / command[1]).read_text()
    shown = subprocess.run(
        [sys.executable, "-m", "stategate.gateway.main", "serve", "--help"],
        cwd=ROOT,
        env={"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return shown.stdout


def test_ports_agree() -> None:
    gateway = DOCKER / "Dockerfile.gateway"
    exposed = next(i.rest for i in instructions(gateway) if i.word == "EXPOSE")
    ports = {int(port) for port in exposed.split()}
    assert published_ports() == ports
    serving = [c for c in all_commands() if c[0] == "stategate"]
    assert len(serving) == 6
    for command in serving:
        http, pg = (option(command, flag).rpartition(":")[2] for flag in ("--http", "--pg"))
        assert {int(http), int(pg)} == ports
        # What `stategate health` asks without settings.
        assert int(http) == parse_address("http", Settings().http).port


def test_ports_are_those_of_the_readme_and_of_serve() -> None:
    ports = published_ports()
    assert ports == {int(str(SETTINGS[name].default).rpartition(":")[2]) for name in ("http", "pg")}
    readme = (ROOT / "README.md").read_text()
    assert ports <= {int(port) for port in re.findall(r"\b\d{4,5}\b", readme)}


def test_the_services_share_one_log() -> None:
    roots = {option(command, "--root") for command in all_commands() if "--root" in command}
    assert roots == {"/var/lib/stategate/log"}
    mounts = re.findall(r"^ +- log:(\S+?)(?::ro)?$", COMPOSE.read_text(), re.MULTILINE)
    assert mounts == ["/var/lib/stategate/log"] * 7
    owned = [
        p.name for p in DOCKERFILES if "--owner stategate /var/lib/stategate/log" in p.read_text()
    ]
    assert owned == [p.name for p in DOCKERFILES]


def test_the_broker_and_its_clients_agree() -> None:
    kafka, topic, pipeline = (services()[name] for name in ("kafka", "topic", "orders"))
    settings = dict(re.findall(r'^ +(KAFKA_\w+): "(.*)"$', kafka, re.MULTILINE))
    names = dict(each.split("://") for each in settings["KAFKA_ADVERTISED_LISTENERS"].split(","))
    inside, outside = names["INSIDE"], names["OUTSIDE"]
    assert outside == f"127.0.0.1:{published_ports('kafka').pop()}"
    order = (ROOT / "examples/kafka_orders/order.py").read_text()
    assert f'"--kafka", default="{outside}"' in order
    assert re.findall(r'"(kafka:\d+)"', topic + pipeline) == [inside] * 2
    (name,) = re.findall(r'"--topic", "(\w+)"', topic)
    assert f'TOPIC = "{name}"' in order
    assert f'TOPIC = "{name}"' in (ROOT / "examples/kafka_orders/pipeline.py").read_text()
    pins = (ROOT / "examples/kafka_orders/jars.txt").read_text()
    pinned = re.search(r" org\.apache\.kafka:kafka_2\.13:(\S+)", pins)
    assert pinned is not None
    images = re.findall(r"^ +image: (\S+)$", kafka + topic, re.MULTILINE)
    assert images == [f"apache/kafka:{pinned[1]}"] * 2


def test_extra_services_are_started_by_their_profile_alone() -> None:
    extra = {name for name, text in services().items() if "profiles: [kafka]" in text}
    assert extra == {"kafka", "topic", "orders"}


def test_the_gateway_with_a_spark_of_its_own_has_what_it_needs() -> None:
    """Spark's client and server, Java, a place for the replicas, and settings that are taken."""
    found = {name: text for name, text in services().items() if "profiles: [spark]" in text}
    (text,) = found.values()
    assert "dockerfile: docker/Dockerfile.pipeline" in text
    installed = re.search(r"'\.\[(.*)\]'", (DOCKER / "Dockerfile.pipeline").read_text())
    assert installed is not None
    assert "engine" in installed[1].split(",")
    assert "/var/lib/stategate/replicas" in (DOCKER / "Dockerfile.pipeline").read_text()
    (line,) = re.findall(r"^ +command: (\[.*\])$", text, re.MULTILINE)
    command = json.loads(line)
    given = dict(
        word.split("=", 1) for at, word in enumerate(command) if command[at - 1] == "--set"
    )
    assert set(given) <= set(SETTINGS)
    Settings(spark_remote=given["spark_remote"])  # raises for an address that Spark does not know


def test_the_nodes_of_the_cluster_know_each_other() -> None:
    nodes = {name: text for name, text in services().items() if name.startswith("node_")}
    peers = ",".join(f"{name}={name}:7430" for name in nodes)
    published = []
    for name, text in nodes.items():
        (line,) = re.findall(r"^ +command: (\[.*\])$", text, re.MULTILINE)
        command = json.loads(line)
        given = [word for at, word in enumerate(command) if command[at - 1] == "--set"]
        assert given[:3] == [f"node={name}", "nodes=0.0.0.0:7430", f"peers={peers}"]
        secret = given[3].removeprefix("nodes_secret=/var/lib/stategate/")
        assert f"> {secret}" in services()["secret"]
        assert f"replicas_{name[-1]}:/var/lib/stategate/replicas" in text
        published += re.findall(r'"127\.0\.0\.1:(\d+):', text)
    assert len(nodes) == 3
    assert len(set(published)) == 6
