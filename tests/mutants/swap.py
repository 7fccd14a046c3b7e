"""A mutant in this process: the code of one function is swapped, which takes no import.

That is right unless a function has run while modules were imported, or the change is outside of
functions.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from functools import cached_property
from types import CodeType, FrameType, FunctionType, ModuleType

from tests.mutants.mutations import Mutation

_WRAPPED = ("__wrapped__", "__func__", "fget", "func")


class Warm:
    """Modules that are imported once, with all that they import; forked processes change them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._called: set[CodeType] = set()
        sys.setprofile(self._note)
        try:
            for name in names:
                importlib.import_module(name)
        finally:
            sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            self._called.add(frame.f_code)

    def swap_of(self, mutation: Mutation) -> tuple[FunctionType, CodeType] | None:
        """Return the function that a mutation changes, and its changed code.

        None means that the mutation is not in a function.
        """
        module = sys.modules.get(".".join(mutation.path.with_suffix("").parts))
        if module is None:
            return None
        source = mutation.applied(mutation.path.read_text(encoding="utf-8"))
        changed = {
            _place(code): code for code in _codes(compile(source, str(mutation.path), "exec"))
        }
        for function in _functions(module):
            code = function.__code__
            fresh = changed.get(_place(code))
            last = max((line for _, _, line in code.co_lines() if line), default=0)
            for inner in _codes(code):
                last = max(last, *(line or 0 for _, _, line in inner.co_lines()))
            is_in = code.co_firstlineno < mutation.lines[0] <= last
            if is_in and fresh is not None and not self._called.intersection(_codes(code)):
                return function, fresh
        return None


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yield the functions and methods that a module defines."""
    found = [*vars(module).values()]
    while found:
        each = found.pop()
        if isinstance(each, type) and each.__module__ == module.__name__:
            found += vars(each).values()
        elif isinstance(each, FunctionType):
            if each.__module__ == module.__name__:
                yield each
        elif isinstance(each, property | staticmethod | classmethod | cached_property) or hasattr(
            each, "cache_info"
        ):
            found += [getattr(each, name) for name in _WRAPPED if hasattr(each, name)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code and those within it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _place(code: CodeType) -> tuple[str, int]:
    return code.co_qualname, code.co_firstlineno
