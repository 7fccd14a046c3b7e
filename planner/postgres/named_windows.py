"""The windows of a WINDOW clause, written out where OVER names them.

DuckDB knows their names in the SELECT list only, not in ORDER BY.
"""

from __future__ import annotations

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, UnknownNameError
from stategate.planner.trees.nodes import Nodes, position_of

_PARTS = ("partition_by", "order", "spec")


def write_out_windows(nodes: Nodes) -> bool:
    """Give each OVER the definition that it names, in place; return whether there were any.

    A definition that is used leaves the WINDOW clause.

    Raises:
        UnknownNameError: there is no window of that name (42704).
        InvalidSyntaxError: two have the same name, or one changes what it copies (42P20).
    """
    named = [window for window in nodes.of(exp.Window) if window.args.get("alias") is not None]
    if not named and not any(select.args.get("windows") for select in nodes.of(exp.Select)):
        return False
    for select in nodes.of(exp.Select):
        _write_out(select, [window for window in named if window.parent_select is select])
    return True


def _write_out(select: exp.Select, named: list[exp.Window]) -> None:
    defined: dict[str, exp.Window] = {}
    used: set[str] = set()
    for window in select.args.get("windows") or ():
        name = _folded(window.this)
        if name in defined:
            raise InvalidSyntaxError(
                f'window "{name}" is already defined',
                position=position_of(window.this),
                sqlstate="42P20",
            )
        if window.args.get("alias") is not None:
            used.add(_copy(window, defined, is_bare=False))
        defined[name] = window
    for window in named:
        if window.arg_key != "windows":
            used.add(_copy(window, defined, is_bare=_is_bare(window)))
    kept = [window for name, window in defined.items() if name not in used]
    if defined:
        select.set("windows", kept or None)


def _is_bare(window: exp.Window) -> bool:
    """Whether it is `OVER w`; in parentheses, a window is copied, which may have no frame."""
    return "spec" not in window.args


def _copy(window: exp.Window, defined: dict[str, exp.Window], *, is_bare: bool) -> str:
    """Give a window the parts of the one that it names, and return that name."""
    name = _folded(window.args["alias"])
    found = defined.get(name)
    if found is None:
        raise UnknownNameError(
            f'window "{name}" does not exist',
            position=position_of(window.args["alias"]),
            sqlstate="42704",
        )
    for part, word in (("partition_by", "PARTITION BY"), ("order", "ORDER BY")):
        if window.args.get(part) and (part == "partition_by" or found.args.get(part)):
            raise _wrong(window, f'cannot override {word} clause of window "{name}"')
    if found.args.get("spec") and not is_bare:
        raise _wrong(window, f'cannot copy window "{name}" because it has a frame clause')
    window.set("alias", None)
    for part in _PARTS:
        value = found.args.get(part)
        if value and not window.args.get(part):
            copied = [each.copy() for each in value] if isinstance(value, list) else value.copy()
            window.set(part, copied)
    return name


def _wrong(window: exp.Window, message: str) -> InvalidSyntaxError:
    return InvalidSyntaxError(message, position=position_of(window), sqlstate="42P20")


def _folded(node: exp.Expr) -> str:
    """Return a name as PostgreSQL compares it."""
    is_quoted = isinstance(node, exp.Identifier) and node.args.get("quoted")
    return node.name if is_quoted else node.name.lower()
