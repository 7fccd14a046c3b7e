"""The file of the audit: bounded, counted, reopened, and never waited for."""

from __future__ import annotations

import errno
import getpass
import json
import os
import stat
import threading
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from stategate.gateway.audit.log import AuditLog, open_audit
from stategate.gateway.errors import SettingsError
from stategate.gateway.main import app
from stategate.gateway.settings import Settings
from stategate.stores.log.writing.store_writer import StoreWriter
from stategate.stores.spec.position import Position
from tests.support.stores import keyvalue
from tests.support.waiting import until

CLICKS = keyvalue("clicks", {"usr": "text"}, {"n": "bigint"}, partitions=2)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_line_has_the_time_the_node_and_the_fields(tmp_path: Path) -> None:
    audit = AuditLog(str(tmp_path / "audit"), node="n1", clock=lambda: 1_700_000_000.25)
    audit.note("login", user="ann", sqlstate="28P01")
    audit.close()
    assert lines(tmp_path / "audit") == [
        {
            "at": "2023-11-14T22:13:20.250Z",
            "node": "n1",
            "event": "login",
            "user": "ann",
            "sqlstate": "28P01",
        }
    ]
    assert stat.S_IMODE((tmp_path / "audit").stat().st_mode) == 0o600


def test_lines_are_added_to_a_file(tmp_path: Path) -> None:
    for number in range(2):
        audit = AuditLog(str(tmp_path / "audit"), node="n1")
        audit.note("login", number=number)
        audit.close()
        audit.close()
    assert [line["number"] for line in lines(tmp_path / "audit")] == [0, 1]


def test_a_name_that_is_not_utf8_has_a_line(tmp_path: Path) -> None:
    audit = AuditLog(str(tmp_path / "audit"), node="n1")
    audit.note("login", user="\udcff")
    audit.close()
    (line,) = lines(tmp_path / "audit")
    assert line["user"] == repr("\udcff")


def test_a_slow_disk_stops_nothing_and_loses_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_writing, may_write = threading.Event(), threading.Event()
    write = os.write

    def slow(handle: int, raw: bytes) -> int:
        is_writing.set()
        may_write.wait()
        return write(handle, raw)

    monkeypatch.setattr("stategate.gateway.audit.log.os.write", slow)
    audit = AuditLog(str(tmp_path / "audit"), node="n1", waiting_max=3)
    audit.note("first")
    is_writing.wait()
    for number in range(8):
        audit.note("statement", number=number)
    assert audit.dropped == 5
    may_write.set()
    audit.close()
    events = [(line["event"], line.get("number", line.get("lines"))) for line in lines_of(tmp_path)]
    kept = [("statement", number) for number in range(3)]
    assert events == [("first", None), ("dropped", 5), *kept]


def lines_of(directory: Path) -> list[dict[str, Any]]:
    return lines(directory / "audit")


def has_dropped(audit: AuditLog, count: int) -> bool:
    return audit.dropped == count


def test_a_full_disk_drops_lines_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    is_full = True
    write = os.write

    def full(handle: int, raw: bytes) -> int:
        if is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, raw)

    monkeypatch.setattr("stategate.gateway.audit.log.os.write", full)
    audit = AuditLog(str(tmp_path / "audit"), node="n1")
    for number in range(2):
        audit.note("statement", number=number)
        until(partial(has_dropped, audit, number + 1))
    is_full = False
    audit.note("statement", number=2)
    audit.close()
    events = [(line["event"], line.get("number", line.get("lines"))) for line in lines_of(tmp_path)]
    assert events == [("dropped", 2), ("statement", 2)]
    assert audit.dropped == 2
    assert len(caplog.records) == 1


def test_a_file_that_was_moved_is_made_anew(tmp_path: Path) -> None:
    audit = AuditLog(str(tmp_path / "audit"), node="n1")
    audit.note("statement", number=0)
    until(lambda: (tmp_path / "audit").stat().st_size > 0)
    (tmp_path / "audit").rename(tmp_path / "audit.1")
    audit.reopen()
    audit.note("statement", number=1)
    audit.close()
    assert [line.get("number") for line in lines(tmp_path / "audit.1")] == [0]
    assert [line["event"] for line in lines_of(tmp_path)] == ["reload", "statement"]


def test_an_audit_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="audit"):
        open_audit(Settings(audit=str(tmp_path / "missing" / "audit")))
    assert open_audit(Settings()) is None


def test_a_stream_takes_the_lines(capfd: pytest.CaptureFixture[str]) -> None:
    audit = open_audit(Settings(audit="stdout"))
    assert audit is not None
    audit.note("login")
    audit.close()
    assert json.loads(capfd.readouterr().out)["event"] == "login"


def test_acts_of_an_operator_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Users and rebuilds, if the environment names the audit; and no secret."""
    users, audit, root = tmp_path / "users", tmp_path / "audit", tmp_path / "log"
    rows = pa.table({"usr": ["ann"], "n": [1]})
    StoreWriter(root, CLICKS).write(rows, position=Position.of({"events": {0: 1}}))
    monkeypatch.setenv("STATEGATE_AUDIT", str(audit))
    given = ("--users", str(users))
    secrets = []
    for command in (
        ("user", "add", "joe", *given),
        ("user", "add", "joe", *given),
        ("user", "token", "joe", *given),
        ("user", "stores", "joe", "clicks", *given),
        ("user", "token", "joe", "--revoke", *given),
        ("user", "remove", "joe", *given),
        ("rebuild", "--root", str(root), "--store", "clicks", "--partitions", "3"),
    ):
        done = CliRunner().invoke(app, list(command), input="open sesame\n")
        assert done.exit_code == 0, done.output
        if command[1] == "token" and "--revoke" not in command:
            secrets.append(done.stdout.split()[-1])
    found = [(line["event"], line.get("of", line.get("store"))) for line in lines(audit)]
    acts = ["add", "password", "token", "stores", "revoke", "remove"]
    assert found == [*((f"user_{act}", "joe") for act in acts), ("rebuild", "clicks")]
    assert {line["account"] for line in lines(audit)} == {getpass.getuser()}
    assert all(secret not in audit.read_text() for secret in (*secrets, "open sesame"))


def test_an_act_is_done_though_the_audit_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STATEGATE_AUDIT", str(tmp_path / "missing" / "audit"))
    given = ("user", "add", "joe", "--users", str(tmp_path / "users"))
    done = CliRunner().invoke(app, list(given), input="open sesame\n")
    assert (done.exit_code, "not in the audit" in done.output) == (0, True)
