from __future__ import annotations

from stategate.gateway.pgwire.statements.replies import ReportedSettings
from stategate.planner.engine import Session


def test_only_changed_settings_are_reported() -> None:
    reports = ReportedSettings(server_version="15.18")
    session = Session(user="joe")
    assert len(reports.changed(session)) == 13
    assert reports.changed(session) == ()
    session.set("timezone", "Europe/Paris")
    session.set("datestyle", "ISO, DMY")
    session.set("work_mem", "8MB")
    assert [(status.name, status.value) for status in reports.changed(session)] == [
        ("DateStyle", "ISO, DMY"),
        ("TimeZone", "Europe/Paris"),
    ]
