"""The mutations of a module: each changes one operator, condition, constant, argument or statement.

Left out is what has no effect on an answer: annotations, docstrings, `__repr__` and `__all__`, code
under TYPE_CHECKING, arguments of decorators, and the words of errors, hints and logs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
_WORDS = frozenset({"hint", "position", "message"})
"""Arguments by name that are for people."""
_UNREAD = frozenset({"__repr__", "__str__"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A changed expression or statement of a module."""

    path: Path
    lines: tuple[int, int]
    """First and last line of what is changed."""
    columns: tuple[int, int]
    """Where it begins in its first line and ends in its last one, in bytes."""
    before: str
    """The first line of it."""
    after: str

    def applied(self, source: str) -> str:
        """Return the module with the change."""
        lines = [line.encode() for line in source.splitlines(keepends=True)]
        (first, last), (begin, end) = self.lines, self.columns
        head, tail = lines[first - 1][:begin], lines[last - 1][end:]
        changed = [*lines[: first - 1], head + self.after.encode() + tail, *lines[last:]]
        return b"".join(changed).decode()


def mutations(path: Path) -> list[Mutation]:
    """Return all mutations of a module."""
    source = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(source), [line.encode() for line in source.splitlines()]
    found = []
    for node in _read(tree):
        for after in _changed(node):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            before = lines[node.lineno - 1][node.col_offset :]
            if node.lineno == node.end_lineno:
                before = before[: node.end_col_offset - node.col_offset]
            found.append(
                Mutation(
                    path=path,
                    lines=(node.lineno, node.end_lineno),
                    columns=(node.col_offset, node.end_col_offset),
                    before=before.decode(),
                    after=after,
                )
            )
    return found


def _read(node: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Yield the expressions and statements whose value matters."""
    if isinstance(node, ast.expr | ast.stmt):
        yield node
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_comment"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_unread(child):
                yield from _read(child)


def _is_unread(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.JoinedStr():
            return True
        case ast.Raise():
            return True  # its class has the SQLSTATE; its words are for people
        case ast.keyword(arg=name):
            return name in _WORDS
        case ast.FunctionDef(name=name):
            return name in _UNREAD
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "_logger" | "T")]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="_logger"))):
            return True
    return False


def _changed(node: ast.expr | ast.stmt) -> Iterator[str]:  # noqa: C901 - one kind after the other
    match node:
        case ast.Compare(ops=[operator, *_]) if type(operator) in _COMPARED:
            fresh = [_COMPARED[type(operator)](), *node.ops[1:]]
            yield f"({ast.unparse(ast.Compare(node.left, fresh, node.comparators))})"
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
            yield f"({ast.unparse(node.values[0])})"
        case ast.UnaryOp(op=ast.Not()):
            yield f"({ast.unparse(node.operand)})"
        case ast.BinOp() if type(node.op) in _COMPUTED and not _is_text(node):
            fresh_operator = _COMPUTED[type(node.op)]()
            yield f"({ast.unparse(ast.BinOp(node.left, fresh_operator, node.right))})"
        case ast.IfExp():
            yield f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
        case ast.Constant(value=bool() as value):
            yield repr(not value)
        case ast.Constant(value=int() as value):
            yield repr(value + 1)
        case ast.Constant(value=str() as value) if value:
            yield repr(f"{value}_")
        case ast.Call(args=[ast.expr() as one, ast.expr() as two, *_]):
            if not isinstance(one, ast.Starred) and not isinstance(two, ast.Starred):
                fresh_call = ast.Call(node.func, [two, one, *node.args[2:]], node.keywords)
                yield ast.unparse(fresh_call)
        case ast.Return(value=ast.expr() as returned) if not isinstance(returned, ast.Constant):
            yield "return None"
        case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Continue() | ast.Break():
            yield "pass"


def _is_text(node: ast.BinOp) -> bool:
    return any(
        isinstance(each, ast.JoinedStr)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str))
        for each in (node.left, node.right)
    )
