"""Which Java Spark gets; each `java` here is a script, so no JVM starts."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from stategate.stores.spark import session
from stategate.stores.spark.session import JavaMissingError, use_java


def installed(home: Path, version: str, *, release: bool = True) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    shown = f'openjdk version "{version}" 2024-01-01'
    program.write_text(f'#!/bin/sh\necho \'{shown}\' >&2\nfor a in "$@"; do echo "<$a>"; done\n')
    program.chmod(0o755)
    if release:
        (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return program


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = installed(tmp_path / "bun dled", "25.0.2")
    monkeypatch.setattr(session, "_bundled_java", lambda: program)
    return program


@pytest.mark.parametrize("release", [True, False], ids=["release file", "asked"])
def test_java_home_comes_before_the_path(tmp_path: Path, release: bool) -> None:
    mine = installed(tmp_path / "mine", "17.0.9", release=release)
    other = installed(tmp_path / "other", "21.0.1", release=release)
    env = {"JAVA_HOME": str(tmp_path / "mine"), "PATH": str(other.parent)}
    assert use_java(env) == str(mine)
    del env["JAVA_HOME"]
    assert use_java(env) == str(other)
    assert "JAVA_HOME" not in env


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2"])
def test_a_java_that_is_too_old_is_ignored(tmp_path: Path, bundled: Path, version: str) -> None:
    installed(tmp_path / "old", version)
    env = {"JAVA_HOME": str(tmp_path / "old"), "PATH": "", "XDG_CACHE_HOME": str(tmp_path)}
    assert use_java(env) == f"{env['JAVA_HOME']}/bin/java"
    assert env["JAVA_HOME"] != str(tmp_path / "old")
    assert str(bundled) in Path(env["JAVA_HOME"], "bin/java").read_text()


def test_the_bundled_java_is_started_without_the_module_that_it_lacks(
    tmp_path: Path, bundled: Path
) -> None:
    env = {"PATH": str(tmp_path / "nothing"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    shim = use_java(env)
    arguments = ["-cp", "a b:*", "--add-modules=jdk.incubator.vector", "Main", "", "$HOME"]
    shown = subprocess.run([shim, *arguments], capture_output=True, text=True, check=True)
    assert shown.stdout.splitlines() == ["<-cp>", "<a b:*>", "<Main>", "<>", "<$HOME>"]
    before = Path(shim).stat()
    assert use_java({"PATH": "", "XDG_CACHE_HOME": str(tmp_path / "cache")}) == shim
    assert Path(shim).stat().st_ino == before.st_ino
    assert [path.name for path in Path(shim).parent.iterdir()] == ["java"]
    assert bundled.exists()


def test_no_java_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_bundled_java", lambda: None)
    with pytest.raises(
        JavaMissingError, match=r"Java 17 or newer.*pip install 'stategate-stores\[spark\]'"
    ):
        use_java({"PATH": ""})


def test_a_home_directory_that_cannot_be_written(
    tmp_path: Path, bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    env = {"PATH": "", "XDG_CACHE_HOME": str(tmp_path / "file")}
    assert use_java(env).startswith(f"{tmp_path}/stategate-")
