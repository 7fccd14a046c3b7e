"""sqlglot's parser and generator as classes that can be extended.

In sqlglot's compiled build (`sqlglotc`), Python code cannot derive from them. The sources are
installed, too, so the modules with the classes that we extend run from there, in addition to the
compiled ones. Everything else, such as nodes and tokens, is shared.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import unwrap
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import sqlglot

__all__ = ["DuckDBGenerator", "PostgresParser", "is_compiled"]

_EXTENDED = frozenset({"parser", "generator", "parsers.postgres", "generators.duckdb"})
"""Modules of the classes that we extend, and of the classes that those are derived from."""

_loaded: dict[str, ModuleType] = {}


def is_compiled(name: str) -> bool:
    """Whether a module of sqlglot is installed compiled."""
    return Path(import_module(f"sqlglot.{name}").__file__ or "").suffix != ".py"


def _interpreted(name: str) -> ModuleType:
    """Return a module of sqlglot whose classes can be extended."""
    if not is_compiled(name):
        return import_module(f"sqlglot.{name}")
    if name not in _loaded:
        path = Path(sqlglot.__file__).parent.joinpath(*name.split(".")).with_suffix(".py")
        spec = spec_from_file_location(f"sqlglot.{name}", path)
        if spec is None or spec.loader is None:
            raise ImportError(f"cannot load {path}")
        module = module_from_spec(spec)
        # Its base classes must be interpreted, too, so it has its own import function.
        vars(module)["__builtins__"] = {**vars(builtins), "__import__": _import}
        spec.loader.exec_module(module)
        _loaded[name] = module
    return _loaded[name]


def _import(
    name: str,
    from_globals: Mapping[str, object] | None = None,
    from_locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = None,
    level: int = 0,
) -> Any:
    """Import as `__import__` does, but the extended modules as interpreted ones."""
    if name.removeprefix("sqlglot.") in _EXTENDED:
        return _interpreted(name.removeprefix("sqlglot."))
    found = __import__(name, from_globals, from_locals, fromlist or (), level)
    if name.partition(".")[0] != "sqlglot" or not fromlist:
        return found
    own = {each: _interpreted(each) for each in fromlist if name == "sqlglot" and each in _EXTENDED}
    # A compiled decorator takes instances of the compiled classes only: leave it out.
    others = {each: unwrap(getattr(found, each)) for each in fromlist if each not in own}
    return SimpleNamespace(**own, **others)


if TYPE_CHECKING:
    from sqlglot.generators.duckdb import DuckDBGenerator
    from sqlglot.parsers.postgres import PostgresParser
else:
    PostgresParser = _interpreted("parsers.postgres").PostgresParser
    DuckDBGenerator = _interpreted("generators.duckdb").DuckDBGenerator
