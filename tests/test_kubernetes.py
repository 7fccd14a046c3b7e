"""The manifest in docker/ is valid, and its settings, ports and user fit the gateway and its image.

No cluster is needed: the schemas are those of Kubernetes.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from gateway.settings import SETTINGS, Settings
from gateway.settings_sources import load_settings

ROOT = Path(__file__).parent.parent
MANIFEST = ROOT / "docker" / "kubernetes.yaml"
DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all(MANIFEST.read_text()))
OLDEST = "1.29"
"""A version of Kubernetes that providers no longer sell; newer ones have the same fields."""


def document(kind: str, name: str = "stategate") -> dict[str, Any]:
    (found,) = [d for d in DOCUMENTS if (d["kind"], d["metadata"]["name"]) == (kind, name)]
    return found


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = document("StatefulSet")["spec"]["template"]["spec"]
    return spec


def container() -> dict[str, Any]:
    (found,) = pod()["containers"]
    return dict(found)


def settings() -> Settings:
    variables: dict[str, str] = dict(document("ConfigMap")["data"])
    return load_settings(environment={**variables, "STATEGATE_NODE": "stategate-0"})


@pytest.mark.parametrize("number", range(len(DOCUMENTS)))
@pytest.mark.parametrize("version", [OLDEST, kubernetes_validate.latest_version()])
def test_each_document_is_valid(number: int, version: str) -> None:
    kubernetes_validate.validate(DOCUMENTS[number], version, strict=True)


def test_a_mistake_would_be_found() -> None:
    wrong = {**document("Service"), "spec": {"selektor": {}}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, OLDEST, strict=True)


def test_the_settings_are_those_of_the_gateway() -> None:
    found = settings()
    assert {name.removeprefix("STATEGATE_").lower() for name in document("ConfigMap")["data"]} <= (
        SETTINGS.keys()
    )
    assert found.node == "stategate-0"
    assert found.copies == 2
    assert container()["env"][0]["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.name"


def test_ports_agree() -> None:
    found = settings()
    ports = {port["name"]: port["containerPort"] for port in container()["ports"]}
    assert ports == {
        "http": int(found.http.rpartition(":")[2]),
        "postgres": int(found.pg.rpartition(":")[2]),
        "nodes": int(found.nodes.rpartition(":")[2]),
    }
    headless = document("Service", "stategate-nodes")["spec"]
    assert headless["clusterIP"] == "None"
    assert headless["publishNotReadyAddresses"] is True
    assert found.peers == f"dns:stategate-nodes:{headless['ports'][0]['port']}"
    assert headless["ports"][0]["port"] == ports["nodes"]
    clients = {p["name"]: p["port"] for p in document("Service")["spec"]["ports"]}
    assert clients == {name: ports[name] for name in ("http", "postgres")}
    open_to_all, among_them = document("NetworkPolicy")["spec"]["ingress"]
    assert {each["port"] for each in open_to_all["ports"]} == set(clients.values())
    assert among_them["ports"] == [{"port": ports["nodes"]}]
    assert among_them["from"] == [{"podSelector": {"matchLabels": {"app": "stategate"}}}]


def test_the_user_is_that_of_the_image() -> None:
    text = (ROOT / "docker" / "Dockerfile.gateway").read_text()
    uid = int(re.findall(r"useradd --uid (\d+)", text)[0])
    context = pod()["securityContext"]
    assert (context["runAsUser"], context["fsGroup"]) == (uid, uid)
    assert context["runAsNonRoot"] is True
    assert container()["securityContext"]["readOnlyRootFilesystem"] is True


def test_secrets_are_mounted_where_the_settings_say() -> None:
    found = settings()
    (volume,) = [each["secret"] for each in pod()["volumes"] if "secret" in each]
    # The gateway refuses secrets that others can read.
    assert volume["defaultMode"] == 0o440
    mounts = {m["name"]: m["mountPath"] for m in container()["volumeMounts"]}
    keys = set(re.findall(r"--from-(?:literal|file)=(\w+)", MANIFEST.read_text()))
    assert {found.nodes_secret, found.users} == {f"{mounts['secret']}/{key}" for key in keys}
    assert f"secret generic {volume['secretName']}" in MANIFEST.read_text()
    assert found.data == mounts["replicas"]


def test_a_pod_has_time_to_leave() -> None:
    assert pod()["terminationGracePeriodSeconds"] * 1000 >= 1.5 * settings().grace_ms
    budget = document("PodDisruptionBudget")["spec"]
    assert budget["maxUnavailable"] < settings().copies


def test_probes_ask_what_they_are_for() -> None:
    paths = {
        name: container()[name]["httpGet"]["path"]
        for name in ("startupProbe", "livenessProbe", "readinessProbe")
    }
    assert paths == {
        "startupProbe": "/healthz",
        "livenessProbe": "/healthz",
        "readinessProbe": "/readyz",
    }


def test_each_selector_finds_the_pods() -> None:
    labels = document("StatefulSet")["spec"]["template"]["metadata"]["labels"]
    assert document("StatefulSet")["spec"]["selector"]["matchLabels"] == labels
    assert document("PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == labels
    for name in ("stategate", "stategate-nodes"):
        assert document("Service", name)["spec"]["selector"] == labels
