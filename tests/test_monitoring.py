"""The dashboard and the alerts in docker/monitoring use the metrics that the README lists.

`tests/gateway/http/metrics/test_metrics.py` holds that list to the metrics that a gateway really
has.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
MONITORING = ROOT / "docker" / "monitoring"
README = (ROOT / "gateway" / "README.md").read_text()
OF_PROCESS = {
    "process_cpu_seconds_total",
    "process_max_fds",
    "process_open_fds",
    "process_resident_memory_bytes",
}
"""Metrics of the library for Prometheus that are used."""
COLUMNS = 24
"""Width of Grafana's grid."""


def listed() -> set[str]:
    """Return the metrics of the README, and the series of histograms."""
    section = README.partition("\n## Metrics\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ((?:`stategate_\w+`(?:, )?)+) \|.*\| (.*) \|$", section, re.MULTILINE)
    found = set[str]()
    for names, about in rows:
        for name in re.findall(r"stategate_\w+", names):
            found.add(name)
            if about.startswith("histogram"):
                found |= {f"{name}{suffix}" for suffix in ("_bucket", "_count", "_sum")}
    return found


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load((MONITORING / "alerts.yaml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((MONITORING / "dashboard.json").read_text())
    return found


def expressions() -> Iterator[str]:
    for panel in dashboard()["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))
    for variable in dashboard()["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]
    yield from (rule["expr"] for rule in rules())


def test_all_metrics_exist() -> None:
    known = listed() | OF_PROCESS
    assert "stategate_store_query_seconds_bucket" in known
    used = {
        name
        for expression in expressions()
        for name in re.findall(r"\b(?:stategate|process)_\w+", expression)
    }
    assert used <= known


def test_each_metric_of_these_parts_is_shown_or_has_an_alert() -> None:
    shown = " ".join(expressions())
    hidden = {
        "stategate_node_info",
        "stategate_replica_state",
        "stategate_replica_active",
        "stategate_store_query_seconds",
    }
    wanted = {
        name for name in listed() if re.match(r"stategate_(store|replica|live|node|spark)_", name)
    }
    plain = {name for name in wanted - hidden if not name.endswith(("_bucket", "_count", "_sum"))}
    assert {name for name in plain if name not in shown} == set()


def test_the_alerts_are_those_of_the_readme() -> None:
    table = README.partition("| alert on | it means |")[2].partition("\n\n")[0]
    said = re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
    assert [rule["expr"] for rule in rules()] == said


def test_each_alert_says_what_to_do() -> None:
    names = [rule["alert"] for rule in rules()]
    assert len(set(names)) == len(names)
    for rule in rules():
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert set(rule["annotations"]) == {"summary", "description"}
        assert re.fullmatch(r"\d+m", rule["for"])


def test_panels_have_titles_and_do_not_overlap() -> None:
    panels = dashboard()["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    taken = set[tuple[int, int]]()
    for panel in panels:
        assert panel["title"]
        assert panel["type"] == "row" or (panel["description"] and panel["targets"])
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= COLUMNS
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Prometheus is missing")
def test_prometheus_accepts_the_rules() -> None:
    for what, name in (("rules", "alerts.yaml"), ("config", "prometheus.yaml")):
        subprocess.run(["promtool", "check", what, str(MONITORING / name)], check=True, timeout=30)
