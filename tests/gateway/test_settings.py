"""Sources of settings, their order, and errors with hints."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from stategate.gateway.addresses import Address, parse_address
from stategate.gateway.errors import SettingsError
from stategate.gateway.settings import SETTINGS, Settings
from stategate.gateway.settings_sources import load_settings


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "stategate.toml"
    path.write_text('root = "file"\nnode = "file"\npoll_ms = 5\nthreads = 3\n')
    return path


def test_a_later_source_wins(config: Path) -> None:
    environment = {"STATEGATE_NODE": "environment", "STATEGATE_POLL_MS": "6", "HOME": "/"}
    overrides = {"poll_ms": 7, "http": None}
    loaded = load_settings(config=str(config), environment=environment, overrides=overrides)
    assert (loaded.root, loaded.node, loaded.poll_ms) == ("file", "environment", 7)
    assert loaded.threads == 3
    assert loaded.http == SETTINGS["http"].default


def test_the_command_line_overrides_the_file_of_the_environment(
    config: Path, tmp_path: Path
) -> None:
    environment = {"STATEGATE_CONFIG": str(config)}
    assert load_settings(environment=environment).root == "file"
    other = tmp_path / "other.toml"
    other.write_text('root = "other"')
    assert load_settings(config=str(other), environment=environment).root == "other"


def test_every_setting_has_a_reason_and_a_variable() -> None:
    assert list(SETTINGS) == [each.name for each in fields(Settings)]
    for setting in SETTINGS.values():
        assert setting.about.endswith(".")
        assert (setting.unit != "") == (setting.kind is int)
        given = {setting.variable: str(setting.default)}
        assert load_settings(environment=given) == Settings()


@pytest.mark.parametrize(
    ("environment", "said", "hint"),
    [
        ({"STATEGATE_ROOTS": "x"}, 'setting "roots" does not exist', 'Did you mean "root"?'),
        ({"STATEGATE_QQQ": "x"}, 'setting "qqq" does not exist', "`stategate settings`"),
        ({"STATEGATE_POLL_MS": "fast"}, "setting \"poll_ms\" cannot be 'fast'", "whole number"),
        ({"STATEGATE_POLL_MS": "0"}, 'setting "poll_ms" cannot be 0', "1 to 60000 ms"),
        ({"STATEGATE_ALLOW_ANONYMOUS": "maybe"}, "cannot be 'maybe'", "true or false"),
        ({"STATEGATE_AUTH": "md5"}, 'setting "auth" cannot be "md5"', "scram, password or trust"),
        ({"STATEGATE_AUTH": "scram"}, "there are no users", "--users"),
        (
            {"STATEGATE_TLS_KEY": "x"},
            "a certificate needs its key, and a key its certificate",
            "tls_certificate",
        ),
        ({"STATEGATE_PROXY_PROTOCOL": "pg"}, "there are no proxies", "proxies"),
        ({"STATEGATE_TLS_REQUIRED": "on"}, "there is no certificate", "tls_certificate"),
        (
            {"STATEGATE_AUTH": "password", "STATEGATE_USERS": "x"},
            "there is no certificate",
            "tls_certificate",
        ),
        ({"STATEGATE_LOG_LEVEL": "loud"}, 'setting "log_level" cannot be "loud"', "warning"),
        ({"STATEGATE_CONFIG": "/nowhere.toml"}, 'cannot read the file "/nowhere.toml"', None),
    ],
)
def test_a_wrong_setting_is_refused(
    environment: dict[str, str], said: str, hint: str | None
) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings(environment=environment)
    assert said in refused.value.message
    assert hint is None or hint in (refused.value.hint or "")


@pytest.mark.parametrize("text", ["root = ", "root = 1", "poll_ms = true", "poll_ms = 1.5"])
def test_a_wrong_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(SettingsError):
        load_settings(config=str(path), environment={})


@pytest.mark.parametrize(
    ("given", "expected"),
    [("true", True), ("ON", True), ("yes", True), (True, True), ("off", False), ("0", False)],
)
def test_a_boolean_is_parsed(given: object, expected: bool) -> None:
    loaded = load_settings(environment={}, overrides={"allow_anonymous": given})
    assert loaded.allow_anonymous is expected


def test_variables_of_the_client_are_not_settings() -> None:
    secrets = {"STATEGATE_USER": "u", "STATEGATE_PASSWORD": "p", "STATEGATE_TOKEN": "t"}
    assert load_settings(environment=secrets) == Settings()


def test_variables_of_kubernetes_are_not_settings() -> None:
    environment = {
        "STATEGATE_SERVICE_HOST": "10.0.0.1",
        "STATEGATE_PORT": "tcp://10.0.0.1:7420",
        "STATEGATE_PORT_7420_TCP_ADDR": "10.0.0.1",
        "STATEGATE_URL": "http://10.0.0.1:7420",
    }
    assert load_settings(environment=environment) == Settings()


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:7420", Address("127.0.0.1", 7420)),
        ("localhost:0", Address("localhost", 0)),
        ("[::1]:80", Address("::1", 80)),
    ],
)
def test_an_address_is_parsed(text: str, address: Address) -> None:
    assert parse_address("http", text) == address


@pytest.mark.parametrize("text", ["", "7420", ":7420", "host:", "host:70000", "::1:80", "a b:1"])
def test_a_malformed_address_is_refused(text: str) -> None:
    with pytest.raises(SettingsError, match="http"):
        parse_address("http", text)
