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

from stategate.gateway.settings import SETTINGS, Settings
from stategate.gateway.settings_sources import load_settings

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
    volumes = {each["name"]: each["secret"] for each in pod()["volumes"] if "secret" in each}
    # The gateway refuses secrets that others can read.
    assert {volume["defaultMode"] for volume in volumes.values()} == {0o440}
    mounts = {m["name"]: m["mountPath"] for m in container()["volumeMounts"]}
    named = {}
    for name, volume in volumes.items():
        _, command = MANIFEST.read_text().split(f"secret generic {volume['secretName']} ")
        lines = re.match(r"(?:.*\\\n)*.*\n", command)
        assert lines is not None
        keys = re.findall(r"--from-(?:literal|file)=([\w.]+)", lines[0])
        named[name] = {f"{mounts[name]}/{key}" for key in keys}
    assert named["secret"] == {found.nodes_secret, found.users}
    assert named["tls"] == {found.tls_certificate, found.tls_key, found.nodes_ca}
    assert found.data == mounts["replicas"]


def test_users_can_log_in_on_both_protocols() -> None:
    """HTTP takes credentials over TLS only, and probes have to ask by HTTPS then."""
    found = settings()
    assert found.users
    assert found.tls_certificate
    assert found.tls_required
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert container()[name]["httpGet"]["scheme"] == "HTTPS"
    annotations = document("StatefulSet")["spec"]["template"]["metadata"]["annotations"]
    assert annotations["prometheus.io/scheme"] == "https"


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
