"""The documentation is true: its code runs, its links work, and its lists are complete."""

from __future__ import annotations

import ast
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from stategate.gateway.main import app
from stategate.gateway.settings import SETTINGS
from stategate.planner.values.session import Session
from tests.planner.sides import Sides, rows_of, run
from tests.planner.world import world

ROOT = Path(__file__).resolve().parent.parent
PYTHON = ["README.md", "stores/README.md", "planner/README.md", "gateway/README.md"]
MARKDOWN = sorted(
    path.relative_to(ROOT).as_posix()
    for path in ROOT.rglob("*.md")
    if not any(
        part.startswith(".") or part == "node_modules" for part in path.parts[len(ROOT.parts) :]
    )
)
PARAGRAPH_MAX = 80
"""Maximum number of words in a paragraph."""
_BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_PARAGRAPH_END = re.compile(r"\n\s*\n|\n(?=\s*[-*] |\s*\d+\. |\|)")
_SQLSTATE = re.compile(r"[0-9A-Z]{5}")


def text_of(name: str) -> str:
    return (ROOT / name).read_text()


def blocks(name: str, info: str) -> list[str]:
    return [found["code"] for found in _BLOCK.finditer(text_of(name)) if found["info"] == info]


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("name", PYTHON)
def test_python_blocks_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run from top to bottom in one namespace; `tests/spark` runs the others."""
    monkeypatch.chdir(tmp_path)
    module = ModuleType("documentation")
    monkeypatch.setitem(sys.modules, module.__name__, module)  # where dataclasses look
    for code in blocks(name, "python"):
        exec(compile(code, name, "exec"), module.__dict__)


@pytest.mark.parametrize("name", MARKDOWN)
def test_an_example_of_an_error_fails_without_it(name: str) -> None:
    """What stands in an `except` shows nothing if nothing is raised."""
    for found in _BLOCK.finditer(text_of(name)):
        if found["info"].startswith("python"):
            for node in ast.walk(ast.parse(found["code"])):
                if isinstance(node, ast.Try) and node.handlers:
                    assert any(isinstance(last, ast.Raise) for last in node.orelse), found["code"]


def test_commands_of_the_stores_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that need no gateway, from top to bottom."""
    monkeypatch.chdir(tmp_path)
    Path("clicks.csv").write_text("usr,n\nann,3\nbob,5\n")
    code = "".join(blocks("stores/README.md", "sh"))
    lines = [line for line in code.splitlines() if " | " not in line]
    assert [line.split()[1] for line in lines] == ["load", "rebuild", "log", "log"]
    for line in lines:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        assert done.exit_code == 0, f"{line}: {done.output} {done.exception}"


@pytest.fixture(scope="module")
def sides() -> Sides:
    return world()


@pytest.mark.parametrize(
    "sql", [s.strip() for code in blocks("planner/README.md", "sql") for s in code.split(";\n")]
)
def test_sql_of_the_planner_runs(sides: Sides, sql: str) -> None:
    if sql:
        assert rows_of(run(sides.engine, sql.rstrip(";"), session=Session()))


@pytest.mark.parametrize("name", MARKDOWN)
def test_relative_links_work(name: str) -> None:
    text = _BLOCK.sub("", text_of(name))
    targets = [found["target"] for found in _LINK.finditer(text)]
    relative = [t for t in targets if "://" not in t and not t.startswith("mailto:")]
    assert not [t for t in relative if not leads_somewhere(ROOT / name, t)]


def leads_somewhere(source: Path, target: str) -> bool:
    """Whether a link's file exists and, if it is Markdown, has the heading after `#`."""
    path, _, anchor = target.partition("#")
    file = source.parent / path if path else source
    return file.exists() and (not anchor or anchor in anchors(file.read_text()))


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", _BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", each.lower()).replace(" ", "-") for each in headings}


@pytest.mark.parametrize("name", MARKDOWN)
def test_paragraphs_are_short(name: str) -> None:
    """Paragraphs have at most 80 words, so that a page can be scanned."""
    paragraphs = _PARAGRAPH_END.split(_BLOCK.sub("", text_of(name)))
    assert not [p for p in paragraphs if p.lstrip()[:1] != "|" and len(p.split()) > PARAGRAPH_MAX]


def test_every_setting_is_listed() -> None:
    listed = set(re.findall(r"`([a-z_]+)`", text_of("gateway/README.md")))
    assert set(SETTINGS) <= listed


def raised_sqlstates() -> dict[str, str]:
    """Return each SQLSTATE that our code raises, with its module."""
    found: dict[str, str] = {}
    for package in ("gateway", "planner"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                for value in _sqlstates_of(node):
                    found[value] = path.relative_to(ROOT).as_posix()
    return found


def _sqlstates_of(node: ast.AST) -> list[str]:
    """Yield SQLSTATEs passed as `sqlstate=`, assigned to `sqlstate`, or in a table of codes."""
    values: list[ast.expr | None] = []
    if isinstance(node, ast.keyword) and node.arg == "sqlstate":
        values.append(node.value)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if "sqlstate" in names:
            values.append(node.value)
        elif names & {"SQLSTATE_BY_REASON", "RESTORING", "MESSAGES", "_CLASSES"}:
            values += [n for n in ast.walk(node) if isinstance(n, ast.Constant)]
    texts = [v.value for v in values if isinstance(v, ast.Constant) and isinstance(v.value, str)]
    return [t for t in texts if _SQLSTATE.fullmatch(t) and re.search(r"[1-9]", t)]


def test_every_sqlstate_is_listed() -> None:
    raised = raised_sqlstates()
    assert len(raised) > 30
    listed = set(re.findall(r"\b[0-9A-Z]{5}\b", text_of("gateway/README.md")))
    assert {code: path for code, path in raised.items() if code not in listed} == {}


def test_every_sqlstate_of_the_planner_is_listed_with_it() -> None:
    listed = set(re.findall(r"\b[0-9A-Z]{5}\b", text_of("planner/README.md")))
    mine = {c: p for c, p in raised_sqlstates().items() if p.startswith("planner/")}
    catalog = {c for c, p in mine.items() if p.startswith("planner/pg_catalog/")}
    assert {code: path for code, path in mine.items() if code not in listed | catalog} == {}
