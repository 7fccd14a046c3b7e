"""The layers of the code, read from its imports, and the sizes that keep it readable.

Imports count wherever they stand: at the top, in a function, under TYPE_CHECKING. A type that a
layer imports from above ties it to that layer as a call would.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("stores", "planner", "gateway")
"""The folders at the top of the clone, which are imported below `stategate`. Here and in messages
their modules have the names of the folders; `stategate.` is left for the client."""
PACKAGES = (*FOLDERS, "stategate")
OTHERS = ("tests", "examples")
STATEMENTS = (ast.stmt, ast.ExceptHandler, ast.match_case)  # what a statement can stand in
CLIENT = "gateway/client/"
"""The directory of the package `stategate`, which users import, and which could leave the house."""
MODULE_LINES_MAX, TEST_LINES_MAX = 420, 630
"""Longer than a module may be: one idea has many tests, which are read one at a time."""
FUNCTION_LINES_MAX, FOLDER_MODULES_MAX = 70, 30
"""More names side by side are not read, only searched."""

FORBIDDEN: dict[str, frozenset[str]] = {
    "stores": frozenset(
        {"planner", "gateway", "stategate", "sqlglot", "duckdb", "starlette", "asyncio"}
    ),
    "planner": frozenset({"gateway", "stategate", "rocksdict", "pyspark", "starlette", "asyncio"}),
    "gateway": frozenset({"rocksdict", "pyspark", "sqlglot", "duckdb"}),
    "stategate": frozenset(
        {*("stores", "planner", "gateway"), "rocksdict", "pyspark", "sqlglot", "duckdb"}
    ),
}
"""Package → modules that it must not import: imports go gateway → planner → stores."""

FLOORS: dict[str, tuple[str, ...]] = {
    "stores": (
        "stores.errors",
        "stores.optional",
        "stores.credentials",
        "stores.types",
        "stores.spec",
        "stores.codec",
        "stores.log.files",
        "stores.log.metadata",
        "stores.log.data",
        "stores.log",
        "stores.log.writing",
        "stores.log.checking",
        "stores.nodes",
        "stores.contract",
        "stores.engines.memory",
        "stores.engines.rocksdb",
        "stores.hosting",
        "stores.upkeep",
        "stores.loading",
        "stores.spark",
        "stores.extend",
    ),
    "planner": (
        "planner.errors",
        "planner.patterns",
        "planner.trees",
        "planner.values",
        "planner.records",
        "planner.postgres.types",
        "planner.composing.functions",
        "planner.postgres.expressions",
        "planner.postgres",
        "planner.syntax",
        "planner.binding",
        "planner.commands",
        "planner.composing",
        "planner.pg_catalog",
        "planner.planning",
        "planner.spark",
        "planner.engine",
        "planner.running",
        "planner.statements",
        "planner.live",
        "planner.typed",
        "planner.sql",
    ),
    "gateway": (
        "gateway.errors",
        "gateway.addresses",
        "gateway.advisory_locks",
        "gateway.setting_records",
        "gateway.spark_settings",
        *("gateway.live_settings", "gateway.thread_settings", "gateway.user_settings"),
        "gateway.login_settings",
        "gateway.settings",
        "gateway.settings_sources",
        "gateway.watching",
        "gateway.audit",
        "gateway.access",
        "gateway.failures",
        *("gateway.recent_users", "gateway.fair_threads", "gateway.statement_threads"),
        "gateway.busy_poll",
        "gateway.short_slices",
        "gateway.turns",
        "gateway.overdue",
        "gateway.elsewhere",
        "gateway.live",
        "gateway.accepting",
        "gateway.tracing",
        "gateway.nodes",
        "gateway.http.formats",
        "gateway.http.metrics",
        "gateway.http.page_snapshots",
        "gateway.http.answers",
        "gateway.http.requests",
        "gateway.http.endpoint",
        "gateway.http.statements",
        "gateway.http.origins",
        "gateway.http.live",
        "gateway.http.openapi",
        "gateway.http",
        "gateway.pgwire.protocol",
        "gateway.pgwire.types",
        "gateway.pgwire.statements",
        "gateway.pgwire.entry",
        "gateway.pgwire",
        "gateway.workers",
        "gateway.serve",
        "gateway.process_setup",
        "gateway.spark_engine",
        "gateway.statement_traces",
        "gateway.admission",
        "gateway.wiring",
        "gateway.supervision",
        "gateway.cli",
        "gateway.main",
    ),
    "stategate": (
        "stategate.version",
        "stategate.errors",
        "stategate.failures",
        "stategate.position",
        "stategate.sql_types",
        "stategate.values",
        "stategate.steps",
        "stategate.answers",
        "stategate.live_events",
        "stategate.requesting",
        "stategate.session",
        "stategate.results",
        "stategate.cursors",
        "stategate.subscribing",
        "stategate.connections",
        "stategate.credentials",
        "stategate.http_messages",
        "stategate.transport",
        "stategate.async_transport",
        "stategate.connecting",
    ),
}
"""Package → its folders and its modules at the top, the lowest first. Imports go down."""

RESERVED: dict[str, tuple[str, ...]] = {
    "rocksdict": ("stores/engines/rocksdb/database.py", "stores/engines/rocksdb/opening.py"),
    "pyspark": ("stores/spark/",),
    "duckdb": ("planner/composing/local.py",),
    "opentelemetry": ("gateway/tracing/",),
    "obstore": (
        "stores/log/files/objects.py",
        "stores/log/files/object_failures.py",
        "stores/log/files/object_uris.py",
    ),
}
"""Library → the only files and directories that import it, so that it can be replaced there."""

WIDE = {"tests/bench": "one module for each measurement; its __main__ lists them"}
"""Folder with more modules than others may have → the reason."""

GENERATED = ("planner/pg_catalog/seed.py",)
"""Data written by a program. It may have any length, because no one reads it; it holds no code."""

GATEWAY_IMPORTS_STORES = (
    "gateway/wiring.py",
    "gateway/access/changing_users.py",
    "gateway/cli/comment_command.py",
    "gateway/cli/load_command.py",
    "gateway/cli/log_commands.py",
    "gateway/cli/log_listing.py",
    "gateway/cli/rebuild_command.py",
    "gateway/cli/request_fields.py",
    "gateway/cli/shell.py",
    "gateway/http/stores_document.py",
    "gateway/nodes/",
    "gateway/spark_engine.py",
)
"""wiring.py wires stores to engine to servers, changing_users.py locks a directory as the log does,
load_command.py fills a store, log_commands.py, log_listing.py, rebuild_command.py and
comment_command.py look after a log that nothing serves, request_fields.py merges positions,
shell.py has the credentials that writers use, too, stores_document.py describes stores, nodes/
carries the messages of `stores.nodes`, and spark_engine.py makes the engine of `stores.spark`.
"""

GATEWAY_SEES = frozenset({"planner.engine", "planner.errors", "planner.typed"})
"""The modules of the planner that the gateway imports; only wiring.py may import others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One import: who imports what, and where it says so."""

    path: str
    line: int
    module: str

    @property
    def top(self) -> str:
        return self.module.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} imports {self.module}"


def files() -> list[Path]:
    return sorted(path for top in PACKAGES for path in (ROOT / top).rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def package_of(path: str) -> str:
    """Return the package of a file, by its path in the repository."""
    return path.removeprefix(CLIENT).partition("/")[0]


def module_name(path: Path) -> str:
    parts = Path(relative(path).removeprefix(CLIENT)).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """Return a node, and the statements in it at any depth; no expressions, which are far more."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, STATEMENTS):
            yield from statements_in(child)


def imports_of(path: Path) -> Iterator[Import]:
    """Return every module named; `from a import b` names `a.b` too, if that is a module of ours."""
    return imports_in(tree(path), path=relative(path), known=MODULES)


def imports_in(module: ast.Module, *, path: str, known: frozenset[str]) -> Iterator[Import]:
    for node in statements_in(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(path=path, line=node.lineno, module=short(alias.name))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write imports from the package's name"
            assert node.module is not None
            inner = {short(f"{node.module}.{alias.name}") for alias in node.names}
            for name in sorted(inner & known) or [short(node.module)]:
                yield Import(path=path, line=node.lineno, module=name)


def short(module: str) -> str:
    """Return the name of a module here, for the name by which it is imported."""
    name = module.removeprefix("stategate.")
    if module.partition(".")[0] in FOLDERS:
        return f"the folder {module}"  # which no package has
    return name if name.partition(".")[0] in FOLDERS else module


def begins(path: str, places: tuple[str, ...]) -> bool:
    return any(path == place or (place[-1] == "/" and path.startswith(place)) for place in places)


MODULES = frozenset(map(module_name, files()))


@pytest.fixture(scope="module", autouse=True)
def _no_tree_outlives_these_tests() -> Iterator[None]:
    yield
    tree.cache_clear()


@cache
def imports() -> tuple[Import, ...]:
    """Return all imports, read by the first test that asks: each process would read them else."""
    return tuple(found for path in files() for found in imports_of(path))


def test_the_tree_is_read() -> None:
    assert set(PACKAGES) <= {found.partition(".")[0] for found in MODULES}
    assert any(found.top == "stores" for found in imports())


def test_hidden_imports_are_seen() -> None:
    source = """
if TYPE_CHECKING:
    from stategate.gateway.http.app import App
def late():
    import duckdb.typing
    from stategate.stores import errors
"""
    known = frozenset({"stores.errors"})
    found = imports_in(ast.parse(source), path="x.py", known=known)
    assert [i.module for i in found] == ["gateway.http.app", "duckdb.typing", "stores.errors"]


def test_no_module_has_two_names() -> None:
    """In a clone, `stores` can be imported, too: as another module than `stategate.stores`."""
    known = frozenset[str]()
    wrong = [
        str(found)
        for path in (*files(), *chain.from_iterable((ROOT / t).rglob("*.py") for t in OTHERS))
        for found in imports_in(ast.parse(path.read_text()), path=relative(path), known=known)
        if found.top.startswith("the folder ")
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_layers(package: str) -> None:
    wrong = [
        str(found)
        for found in imports()
        if package_of(found.path) == package and found.top in FORBIDDEN[package]
    ]
    assert wrong == []


@pytest.mark.parametrize("library", RESERVED)
def test_libraries_stay_behind_their_module(library: str) -> None:
    wrong = [
        str(found)
        for found in imports()
        if found.top == library and not begins(found.path, RESERVED[library])
    ]
    assert wrong == []


def test_gateway_reaches_stores_only_where_it_is_wired() -> None:
    wrong = [
        str(found)
        for found in imports()
        if package_of(found.path) == "gateway"
        and found.top == "stores"
        and not begins(found.path, GATEWAY_IMPORTS_STORES)
    ]
    assert wrong == []


def test_the_gateway_sees_only_the_engine() -> None:
    wrong = [
        str(found)
        for found in imports()
        if package_of(found.path) == "gateway"
        and found.path != "gateway/wiring.py"
        and found.top == "planner"
        and found.module not in GATEWAY_SEES
    ]
    assert wrong == []


def floor(module: str) -> int:
    """Return the number of a module's floor in its package, the lowest being 0."""
    floors = FLOORS[module.partition(".")[0]]
    name = module
    while name and name not in floors:
        name = name.rpartition(".")[0]
    assert name, f"{module} is on no floor"
    return floors.index(name)


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_down(package: str) -> None:
    """A folder imports from those below it. The names of a package itself are for others."""
    wrong = [
        str(found)
        for found in imports()
        if package_of(found.path) == package
        and module_name(ROOT / found.path) != package
        and found.top == package
        and floor(found.module) > floor(module_name(ROOT / found.path))
    ]
    assert wrong == []


@pytest.mark.parametrize("package", PACKAGES)
def test_floors_exist(package: str) -> None:
    folders = {name.rpartition(".")[0] for name in MODULES if name.count(".") > 1}
    assert set(FLOORS[package]) <= MODULES | folders


def test_no_package_imports_tests_or_examples() -> None:
    assert [str(found) for found in imports() if found.top in {"tests", "examples"}] == []


@pytest.mark.parametrize(
    ("project", "packages"),
    [
        ("pyproject.toml", ("planner", "gateway")),
        ("stores/pyproject.toml", ("stores",)),
        (f"{CLIENT}pyproject.toml", ("stategate",)),
    ],
    ids=["gateway", "stores", "client"],
)
def test_imported_libraries_are_declared(project: str, packages: tuple[str, ...]) -> None:
    """A library that is there only because another one needs it can vanish without notice."""
    declared = declared_distributions(project)
    allowed = set(sys.stdlib_module_names) | set(PACKAGES)
    wrong = [
        str(found)
        for found in imports()
        if package_of(found.path) in packages
        and found.top not in allowed
        and _DISTRIBUTIONS.get(found.top, found.top).replace("_", "-") not in declared
    ]
    assert wrong == []


@pytest.mark.parametrize("folder", ["stores/", CLIENT])
def test_each_distribution_has_the_license(folder: str) -> None:
    assert (ROOT / folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


_DISTRIBUTIONS = {"opentelemetry": "opentelemetry-sdk"}
"""Library → the distribution that has it, if that has another name."""


def declared_distributions(path: str) -> set[str]:
    """Return what the users of a project install; extras for development do not count."""
    project = tomllib.loads((ROOT / path).read_text())["project"]
    extras = project["optional-dependencies"]
    installed = (extras[name] for name in extras if name not in {"dev", "engine", "fuzz"})
    requirements = [*project["dependencies"], *chain.from_iterable(installed)]
    return {found[0] for text in requirements if (found := re.match(r"[\w-]+", text))}


@cache
def import_graph() -> dict[str, set[str]]:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in imports():
        module = module_name(ROOT / found.path)
        if found.module in MODULES and found.module != module:
            graph[module].add(found.module)
    return graph


def test_no_import_cycles() -> None:
    assert cycle_in(import_graph()) is None


def reached_from(module: str) -> set[str]:
    """Return the modules that importing one imports, their packages included."""
    graph, reached, ahead = import_graph(), set[str](), [module]
    while ahead:
        if (name := ahead.pop()) not in reached:
            reached.add(name)
            ahead += [*graph[name], *filter(None, [name.rpartition(".")[0]])]
    return reached


def test_the_gateway_runs_no_duckdb() -> None:
    """DuckDB cannot always be stopped, so it runs only in processes that can be killed."""
    assert "planner.composing.remote" in reached_from("gateway.main")
    assert "planner.composing.local" not in reached_from("gateway.main")


def test_composing_processes_import_little() -> None:
    """They are started again while statements wait, and hold no store."""
    reached = reached_from("planner.composing.forkserver_main")
    assert "planner.composing.local" in reached
    libraries = {found.top for found in imports() if module_name(ROOT / found.path) in reached}
    assert not libraries & {"stores", "gateway", "sqlglot", "rocksdict", "pyspark"}


def test_a_cycle_is_found() -> None:
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c", "a"]
    assert cycle_in({"a": {"b", "c"}, "b": {"c"}, "c": set()}) is None


def cycle_in(graph: dict[str, set[str]]) -> list[str] | None:
    """Return one cycle of imports, its first module again at the end; None without a cycle."""
    done: set[str] = set()

    def walk(name: str, trail: list[str]) -> list[str] | None:
        if name in trail:
            return [*trail[trail.index(name) :], name]
        if name in done:
            return None
        for target in sorted(graph[name]):
            if (found := walk(target, [*trail, name])) is not None:
                return found
        done.add(name)
        return None

    return next((found for name in sorted(graph) if (found := walk(name, []))), None)


def test_modules_are_short() -> None:
    lengths = {relative(path): lines_in(path) for path in files()}
    long = {path: n for path, n in lengths.items() if n > MODULE_LINES_MAX}
    assert set(long) == set(GENERATED), long


def test_test_modules_are_short() -> None:
    lengths = {relative(path): lines_in(path) for path in (ROOT / "tests").rglob("*.py")}
    assert {path: n for path, n in lengths.items() if n > TEST_LINES_MAX} == {}


def test_folders_are_narrow() -> None:
    tops = (*PACKAGES[:-1], "tests", "examples")
    modules = chain.from_iterable((ROOT / top).rglob("*.py") for top in tops)
    widths = Counter(relative(path.parent) for path in modules if path.stem != "__init__")
    wide = {folder: width for folder, width in widths.items() if width > FOLDER_MODULES_MAX}
    assert set(wide) == set(WIDE), wide


def lines_in(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_generated_modules_hold_no_code() -> None:
    code = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda | ast.Call
    for path in GENERATED:
        assert not [node for node in ast.walk(tree(ROOT / path)) if isinstance(node, code)], path


def test_functions_are_short() -> None:
    long = [
        f"{relative(path)}:{node.lineno} {node.name} has {lines} lines"
        for path in files()
        for node in statements_in(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (lines := lines_of(node)) > FUNCTION_LINES_MAX
    ]
    assert long == []


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return its number of lines without the docstring, which may be long."""
    documented = len((ast.get_docstring(function, clean=False) or "").splitlines())
    return (function.end_lineno or function.lineno) - function.lineno + 1 - documented


@pytest.mark.parametrize("package", ["stores", "planner", "gateway"])
def test_raised_errors_are_in_no_variable(package: str) -> None:
    """A variable with an error that is raised makes a ring: error, traceback, frame, variable.

    Only the garbage collector, which a gateway hardly runs, would free the error with all that its
    frames hold, such as the open epoch of a database. `except … as` removes its variable itself.
    """
    wrong = [
        f"{path}:{line} raises {name}"
        for file in files()
        if package_of(path := relative(file)) == package
        and not begins(path, (CLIENT, "stores/spark/reports.py"))  # they run in other programs
        for line, name in raised_variables(tree(file))
    ]
    assert wrong == []


def test_a_raised_variable_is_found() -> None:
    source = """
def f(given):
    try:
        raise Wrong
    except Wrong as error:
        if g(): raise error from None
        def late(): raise error
    if g(): raise _Wrong
    if g(): raise errors.Wrong
    if g(): raise given
    raise self.error
"""
    found = list(raised_variables(ast.parse(source)))
    assert found == [(7, "error"), (10, "given"), (11, "self.error")]


def raised_variables(
    node: ast.AST, caught: frozenset[str] = frozenset()
) -> Iterator[tuple[int, str]]:
    """Return each raise of a variable or field, but for those of the `except … as` around it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        caught = frozenset()
    elif isinstance(node, ast.ExceptHandler) and node.name is not None:
        caught |= {node.name}
    elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Name | ast.Attribute):
        name = ast.unparse(node.exc)
        is_class = name.rpartition(".")[2].lstrip("_")[:1].isupper()
        if name not in caught and not is_class:
            yield node.lineno, name
    for child in ast.iter_child_nodes(node):
        if isinstance(child, STATEMENTS):
            yield from raised_variables(child, caught)


def test_modules_describe_their_content() -> None:
    assert [relative(path) for path in files() if not ast.get_docstring(tree(path))] == []


def test_no_module_shadows_the_standard_library() -> None:
    """No module has a name into which everything fits, either."""
    drawers = {"utils", "helpers", "common", "manager", "misc"}
    assert [relative(p) for p in files() if p.stem in drawers | sys.stdlib_module_names] == []
