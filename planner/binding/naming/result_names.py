"""The names of result columns, by which ORDER BY, GROUP BY and DISTINCT ON can refer to them.

A bare name in ORDER BY or DISTINCT ON is first that of a result column; in GROUP BY it is first
that of a column of FROM. Source: PostgreSQL's parse_clause.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp

from stategate.planner.binding.naming.namespaces import Level, ambiguous, find_bare
from stategate.planner.errors import InvalidSyntaxError, NotSupportedError, UnknownNameError
from stategate.planner.trees.nodes import position_of, put, strip

WHOLE_ROW = "whole_row"
"""Marks a name that was written as `t.*`, and so is no column's."""
RESULT = "result"
"""Marks a name that stands for a result column that AS names."""
EXPRESSION = "expression"
"""Marks a column that is part of an expression though it stands alone, as `x COLLATE "C"`."""
_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)


@dataclass(frozen=True, slots=True)
class Output:
    """A result column.

    Args:
        name: its name.
        value: its expression, with resolved names.
        is_named: whether the SELECT list gives it that name by AS.
    """

    name: str
    value: exp.Expr
    is_named: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Clauses:
    """Reads the clauses of one SELECT that can refer to its results.

    Args:
        outputs: the results; None if their number is not known.
        level: the names that its expressions see.
        read: resolves the names of an expression at that level.
        copied: returns a copy of a resolved expression.
    """

    outputs: Sequence[Output] | None
    level: Level
    read: Callable[[exp.Expr, Level], None]
    copied: Callable[[exp.Expr], exp.Expr]

    def group(self, group: exp.Group) -> bool:
        """Resolve GROUP BY; return whether it had an expression twice, which DuckDB takes once.

        Raises:
            InvalidSyntaxError: a number is that of no result column (42P10).
        """
        for node in grouped_terms(group):
            self._check_position(node, "GROUP BY")
            if self._names_column(node):
                # DuckDB would take it for another key than the column by its name, whose value then
                # is missing in the sets that roll the number up.
                number = int(strip(node).name)
                put(strip(node), self.copied((self.outputs or ())[number - 1].value))
                continue
            name = _bare(node)
            is_column = name and find_bare(self.level, name, node, is_local=True)
            self._term(node, "GROUP BY", is_result=not is_column)
        seen: list[exp.Expr] = []
        count = len(group.expressions)
        for node in list(group.expressions):
            if (key := meaning(node)) not in seen:
                seen.append(key)
            elif not isinstance(key, exp.Literal | exp.Parameter | exp.Null):
                node.pop()
        return len(group.expressions) < count

    def _names_column(self, node: exp.Expr) -> bool:
        """Whether a term of a grouping set is the number of a result that is a column."""
        if self.outputs is None or not isinstance(node.parent, _SETS) or not is_position(node):
            return False
        return isinstance(strip(self.outputs[int(strip(node).name) - 1].value), exp.Column)

    def _check_position(self, term: exp.Expr, clause: str) -> None:
        if self.outputs is not None:
            _check_position(term, clause, len(self.outputs))

    def order(self, order: exp.Order) -> None:
        """Resolve ORDER BY.

        Raises:
            InvalidSyntaxError: a number is that of no result column (42P10).
        """
        for term in order.expressions:
            self._check_position(term.this, "ORDER BY")
            self._term(term.this, "ORDER BY", is_result=True)

    def distinct(self, distinct: exp.Distinct, order: exp.Order | None) -> None:
        """Resolve DISTINCT, and check that ORDER BY suits it.

        Raises:
            InvalidSyntaxError: ORDER BY has other expressions than DISTINCT (42P10).
        """
        on = distinct.args.get("on")
        for key in _keys(on):
            self._check_position(key, "SELECT DISTINCT ON")
            self._term(key, "DISTINCT ON", is_result=True)
        if order is None or self.outputs is None:
            return
        sorted_by = [(self._meant(term.this), term) for term in order.expressions]
        if on is None:
            listed = [meaning(output.value) for output in self.outputs]
            for meant, term in sorted_by:
                if meant not in listed:
                    raise InvalidSyntaxError(
                        "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                        position=position_of(term),
                        sqlstate="42P10",
                    )
            return
        left = [self._meant(key) for key in _keys(on)]
        every = list(left)
        for meant, _ in sorted_by:
            if left and meant not in every:
                raise InvalidSyntaxError(
                    "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                    position=position_of(on),
                    sqlstate="42P10",
                )
            left = [each for each in left if each != meant]

    def _term(self, node: exp.Expr, clause: str, *, is_result: bool) -> None:
        name = _bare(node)
        found = [o for o in self.outputs or () if o.name == name] if is_result and name else []
        if not found:
            if not is_position(node):
                self.read(node, self.level)
            return
        first = found[0]
        if any(meaning(each.value) != meaning(first.value) for each in found[1:]):
            raise ambiguous(f'{clause} "{name}" is ambiguous', node)
        if not first.is_named:
            # DuckDB would look for the name in FROM, where others may have it, too.
            put(strip(node), self.copied(first.value))
        else:
            strip(node).meta[RESULT] = True

    def _meant(self, node: exp.Expr) -> exp.Expr:
        """Return the expression that an item of ORDER BY or DISTINCT ON stands for."""
        bare, outputs = strip(node), self.outputs or ()
        if is_position(bare) and 0 < int(bare.name) <= len(outputs):
            return meaning(outputs[int(bare.name) - 1].value)
        name = _bare(node)
        found = [output for output in outputs if output.is_named and output.name == name]
        return meaning(found[0].value if found else node)


def _check_position(term: exp.Expr, clause: str, columns: int) -> None:
    """Refuse a number that is that of no result column."""
    if not is_position(term):
        return
    number = strip(term).name.lstrip("0")
    if not number or len(number) > 9 or int(number) > columns:
        raise InvalidSyntaxError(
            f"{clause} position {number or 0} is not in select list",
            position=position_of(term),
            sqlstate="42P10",
        )


def _keys(on: exp.Expr | None) -> list[exp.Expr]:
    """Return the expressions of DISTINCT ON, as they are now."""
    if isinstance(on, exp.Tuple):
        return list(on.expressions)
    return [] if on is None else [on]


def order_set(order: exp.Order, names: Sequence[str] | None) -> None:
    """Check ORDER BY of a set operation, which can sort by result columns only.

    Raises:
        UnknownNameError: a name is no result column (42703), or that of several (42702).
        InvalidSyntaxError: a number is that of no result column (42P10).
        NotSupportedError: it has an expression (0A000).
    """
    if names is None:
        return
    for term in order.expressions:
        node = term.this
        if is_position(node):
            _check_position(node, "ORDER BY", len(names))
            continue
        for column in node.find_all(exp.Column):
            if column.table:
                raise UnknownNameError(
                    f'missing FROM-clause entry for table "{column.table}"',
                    position=position_of(column.args["table"]),
                )
            if column.name not in names:
                raise UnknownNameError(
                    f'column "{column.name}" does not exist',
                    position=position_of(column),
                    sqlstate="42703",
                )
        name = _bare(node)
        if not name:
            raise NotSupportedError(
                "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
                detail="Only result column names can be used, not expressions or functions.",
                hint="Add the expression/function to every SELECT, or move the UNION into a FROM "
                "clause.",
                position=position_of(node),
            )
        if names.count(name) > 1:
            raise ambiguous(f'ORDER BY "{name}" is ambiguous', node)


def meaning(node: exp.Expr) -> exp.Expr:
    """Return an expression as it is compared with others: without parentheses, names in quotes."""
    copied = strip(node).copy()
    for paren in [*copied.find_all(exp.Paren)]:
        put(paren, paren.this)
    for name in copied.find_all(exp.Identifier):
        name.set("quoted", True)
    return copied


def _bare(node: exp.Expr) -> str:
    """Return the name of an expression that is a name without a relation; otherwise none."""
    bare = strip(node)
    is_name = isinstance(bare, exp.Column) and not bare.table and EXPRESSION not in bare.meta
    return bare.name if is_name else ""


def is_position(node: exp.Expr) -> bool:
    """Whether a term is the number of a result column."""
    bare = strip(node)
    return isinstance(bare, exp.Literal) and not bare.is_string and bare.name.isdigit()


def grouped_terms(group: exp.Expr) -> Iterator[exp.Expr]:
    """Yield the expressions of GROUP BY, also those in grouping sets."""
    left = [
        each
        for key in ("expressions", "grouping_sets", "cube", "rollup")
        for each in (group.args.get(key) or ())
    ]
    while left:
        node = left.pop(0)
        if isinstance(node, _SETS):
            left += node.expressions
        elif isinstance(node, exp.Expr):
            yield node


def resolve_frame(
    frame: exp.WindowSpec, level: Level, read: Callable[[exp.Expr, Level], None]
) -> None:
    """Resolve the names of a frame's offsets, which are of the queries around it.

    Raises:
        InvalidSyntaxError: one is of the frame's own query (42P10).
    """
    inner = Level(level)
    outside, before = level.parent, level.reads
    before_outside = outside.reads if outside is not None else 0
    for offset in (frame.args.get("start"), frame.args.get("end")):
        if isinstance(offset, exp.Expr):
            read(offset, inner)
    further = outside.reads - before_outside if outside is not None else 0
    if level.reads - before > further:
        raise InvalidSyntaxError(
            f"argument of {str(frame.args['kind']).upper()} must not contain variables",
            sqlstate="42P10",
        )


def names_of_rows(columns: Iterable[exp.Column]) -> set[str]:
    """Return the resolved names without a table that may stand for the whole rows of relations.

    In ORDER BY, GROUP BY and DISTINCT ON, a name that AS gives to a result stands for that.
    """
    return {c.name for c in columns if not c.args.get("table") and not _is_result(c)}


def _is_result(column: exp.Column) -> bool:
    node: exp.Expr = column
    while isinstance(node.parent, exp.Paren | exp.Ordered | exp.Rollup | exp.Cube | exp.Tuple):
        node = node.parent
    clause = node.parent
    if not isinstance(clause, exp.Order | exp.Group | exp.Distinct):
        return False
    select = clause.parent
    return isinstance(select, exp.Select) and any(
        isinstance(i, exp.Alias) and i.alias == column.name for i in select.expressions
    )


def no_whole_row(column: exp.Column) -> NotSupportedError:
    """Return the error for `t.*` as a value where a column is called t, too."""
    return NotSupportedError(
        f'a whole row of "{column.name}" is not supported where a column has that name, too',
        hint="Give the relation another alias.",
        position=position_of(column),
    )
