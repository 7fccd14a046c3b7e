"""Qualified names: of columns, functions and types.

Relations are renamed and have no schema in DuckDB, so the schema of `public.people.name` is checked
and removed, as are those of functions and types. DuckDB would resolve some columns in another way
than Postgres: a column of an outer query must not be hidden by a result column of a subquery. Names
that differ only in case are told apart.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Sequence, Set

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.optimizer.scope import Scope

from planner.binding.relations import SYSTEM_SCHEMA
from planner.errors import NotSupportedError, UnknownNameError
from planner.trees.checkpoints import checkpoint
from planner.trees.column_names import column_name
from planner.trees.nodes import Nodes, position_of
from planner.values.catalog_types import CATALOG_TYPES

IsRelation = Callable[[exp.Table], bool]
_SCHEMAS = {"public", SYSTEM_SCHEMA}


def drop_schemas(
    columns: Sequence[exp.Column], scopes: Sequence[Scope], is_relation: IsRelation
) -> None:
    """Remove the schemas of columns, in place.

    Args:
        columns: the columns of the statement.
        scopes: the scopes of the statement.
        is_relation: whether a table is a relation, not a function or common table expression.

    Raises:
        UnknownNameError: no relation of that schema and name is in FROM under its own name (42P01).
    """
    qualified = [column for column in columns if column.args.get("db") is not None]
    if not qualified:
        return
    by_tree = {id(scope.expression): scope for scope in scopes}
    for column in qualified:
        if _is_named(column, by_tree.get(id(column.parent_select)), is_relation):
            column.set("db", None)
            column.set("catalog", None)


def _is_named(column: exp.Column, scope: Scope | None, is_relation: IsRelation) -> bool:
    """Whether a column names a relation by its schema, in its scope or an outer one."""
    schema, name = column.db, column.table
    while scope is not None:
        _, source = scope.selected_sources.get(name, (None, None))
        if isinstance(source, exp.Table) and is_relation(source):
            if (source.db.lower() or "public") == schema and not source.alias:
                return True
            raise UnknownNameError(
                f'invalid reference to FROM-clause entry for table "{name}"',
                hint=f'Call it "{name}".',
                position=position_of(column.args["db"]),
            )
        if schema in scope.selected_sources:
            return False
        scope = scope.parent
    if schema not in _SCHEMAS:
        return False
    raise UnknownNameError(
        f'missing FROM-clause entry for table "{name}"', position=position_of(column.args["db"])
    )


Star = Callable[[Scope, exp.Expr], Sequence[tuple[str, str]] | None]
"""Returns the FROM items of a star and their columns; None if they are not certain."""
_BY_RESULT = ("order", "group", "distinct")
"""Clauses in which a bare name can be a result column."""


def qualify_outer(columns: Sequence[exp.Column], scopes: Sequence[Scope], star: Star) -> None:
    """Qualify columns of an outer query if a subquery has result columns of the same name.

    DuckDB would take the result column, in WHERE and in the SELECT list. If no one refers to the
    results by name, they are renamed; otherwise the outer column is qualified by its relation.

    Args:
        columns: the columns of the statement.
        scopes: the scopes of the statement.
        star: the columns that stars stand for.
    """
    if len(scopes) == 1:
        return
    inner = {id(scope.expression): scope for scope in scopes if scope.parent is not None}
    results = {key: _results(scope.expression) for key, scope in inner.items()}
    for column in columns:
        select = column.parent_select
        scope = inner.get(id(select))
        if scope is None or column.table or not isinstance(select, exp.Select):
            continue
        if (
            column.name not in results[id(select)]
            or _is_by_result(column, select)
            or _has(scope, column.name, star)
        ):
            continue
        checkpoint()
        is_named = any(
            each.name == column.name
            and each.parent_select is select
            and _is_by_result(each, select)
            for each in columns
        )
        if _hides_names(scope, select) and not is_named:
            for item in select.expressions:
                if isinstance(item, exp.Alias) and item.alias == column.name:
                    item.set("alias", exp.to_identifier(f"{column.name}#", quoted=True))
            results[id(select)].discard(column.name)
        else:
            _qualify(column, scope, star)


def _hides_names(scope: Scope, select: exp.Select) -> bool:
    """Whether no one refers to the names of a subquery's results."""
    holder = select.parent
    around = holder.parent if holder is not None else None
    alias = (around if isinstance(around, exp.Lateral) else holder or select).args.get("alias")
    if isinstance(alias, exp.TableAlias):
        is_starred = any(item.is_star for item in select.expressions)
        return not is_starred and len(alias.columns) >= len(select.expressions)
    return bool(scope.is_subquery)


def refuse_results(
    columns: Sequence[exp.Column],
    scopes: Sequence[Scope],
    star: Star,
    is_hidden: Callable[[exp.Expr, str], bool],
) -> None:
    """Refuse result columns in clauses such as WHERE, where PostgreSQL knows only FROM.

    Args:
        columns: the columns of the statement.
        scopes: the scopes of the statement.
        star: the columns that stars stand for.
        is_hidden: whether a table has a column of a name that `*` does not include.

    Raises:
        UnknownNameError: a name certainly belongs to a result column only (42703).
    """
    # The name is checked first, as few columns are named like a result column and the other checks
    # walk the tree.
    results = {id(scope.expression): _results(scope.expression) for scope in scopes}
    every = set().union(*results.values())
    named = [column for column in columns if column.name in every] if every else ()
    if not named:
        return
    by_tree = {id(scope.expression): scope for scope in scopes}
    for column in named:
        checkpoint()
        select, name = column.parent_select, column.name
        if column.table or not isinstance(select, exp.Select) or _is_by_result(column, select):
            continue
        if name not in results.get(id(select), ()):
            continue
        scope = by_tree.get(id(select))
        while scope is not None and not _may_have(scope, name, star, is_hidden):
            scope = scope.parent
            if scope is None:
                raise UnknownNameError(
                    f'column "{name}" does not exist',
                    hint="Result columns can be named in ORDER BY and GROUP BY, by themselves.",
                    position=position_of(column),
                    sqlstate="42703",
                )


def _results(tree: exp.Expr) -> set[str]:
    """Return the names of the result columns of a SELECT."""
    items = tree.expressions if isinstance(tree, exp.Select) else ()
    return {item.alias for item in items if isinstance(item, exp.Alias)}


def _may_have(
    scope: Scope, name: str, star: Star, is_hidden: Callable[[exp.Expr, str], bool]
) -> bool:
    sources = scope.selected_sources
    return (
        isinstance(scope.expression, exp.Lateral)
        or name in sources
        or _has(scope, name, star) is not False
        or any(is_hidden(node, name) for node, _ in sources.values())
    )


def _qualify(column: exp.Column, scope: Scope, star: Star) -> None:
    if _has(scope, column.name, star) is not False:
        return
    at, outer = scope, scope.parent
    while outer is not None:
        own = ""
        if isinstance(outer.expression, exp.Lateral):
            at, own, outer = outer, outer.expression.alias, outer.parent
        if outer is None:
            return
        # A derived table does not see the other relations of its FROM, unless it is LATERAL.
        names = () if at.is_derived_table else [n for n in outer.selected_sources if n != own]
        owners = [name for name in names if _item_has(outer, name, column.name, star) is not False]
        if owners:
            is_certain = len(owners) == 1 and _item_has(outer, owners[0], column.name, star)
            if is_certain and owners[0] not in scope.selected_sources:
                column.set("table", exp.to_identifier(owners[0], quoted=True))
            return
        at, outer = outer, outer.parent


def _has(scope: Scope, name: str, star: Star) -> bool | None:
    """Whether a relation in the FROM of a scope has a column; None if that is not certain."""
    found = [_item_has(scope, item, name, star) for item in scope.selected_sources]
    return None if None in found else True in found


def _item_has(scope: Scope, item: str, name: str, star: Star) -> bool | None:
    places = star(scope, exp.Column(this=exp.Star(), table=exp.to_identifier(item, quoted=True)))
    return None if places is None else any(name == each for _, each in places)


def _is_by_result(column: exp.Column, select: exp.Select) -> bool:
    """Whether a column alone is an item of ORDER BY, GROUP BY or DISTINCT ON."""
    node: exp.Expr = column
    while isinstance(node.parent, _AROUND_RESULTS):
        node = node.parent
    parent = node.parent
    return parent is not None and parent.parent is select and parent.arg_key in _BY_RESULT


_AROUND_RESULTS = (exp.Paren, exp.Ordered, exp.Tuple, exp.Rollup, exp.Cube, exp.GroupingSets)


def tell_apart(
    tree: exp.Expr, mentioned: Set[str], relations: Sequence[tuple[exp.Table, Sequence[str]]]
) -> None:
    """Rename columns whose names differ from others only in case, which DuckDB ignores.

    Args:
        tree: a whole statement; its result columns get their names elsewhere.
        mentioned: all names in it.
        relations: each relation of a FROM, with the columns that it has there, mentioned or not.
            Each has a name of its own, which its copies share.

    Raises:
        NotSupportedError: a whole row as a value would have other names (0A000).
    """
    of_relations = {name for _, columns in relations for name in columns}
    if all(name.islower() for name in mentioned | of_relations):
        return
    groups: dict[str, dict[str, list[exp.Identifier]]] = {}
    for name in sorted(of_relations):
        groups.setdefault(name.lower(), {})[name] = []
    for node in tree.find_all(exp.Identifier):
        groups.setdefault(node.name.lower(), {}).setdefault(node.name, []).append(node)
    renamed = _rename(groups, of_relations)
    if renamed:
        _refuse_rows(tree, of_relations)
    columns_of = {table.name: columns for table, columns in relations}
    for table in tree.find_all(exp.Table):  # some of them are copies
        columns, alias = columns_of.get(table.name, ()), table.args.get("alias")
        if not columns or alias is None:
            continue
        given = alias.columns  # of the client, which have been renamed like all others
        if any(name in renamed for name in columns[len(given) :]):
            fresh_names = [renamed.get(name, name) for name in columns[len(given) :]]
            rest = [exp.to_identifier(name, quoted=True) for name in fresh_names]
            alias.set("columns", [*given, *rest])


def _rename(
    groups: dict[str, dict[str, list[exp.Identifier]]], of_relations: Set[str]
) -> dict[str, str]:
    """Rename all names of a group but one, in place; return the new names by the old ones."""
    renamed: dict[str, str] = {}
    for lower, group in [each for each in groups.items() if len(each[1]) > 1]:
        # Relations of the catalog have names in lower case, and cannot have others.
        stays = lower if lower in of_relations else next(iter(group))
        for name, nodes in group.items():
            if name != stays:
                fresh = renamed[name] = _fresh(name, groups)
                groups[fresh.lower()] = {}
                for node in nodes:
                    node.set("this", fresh)
    return renamed


def _refuse_rows(tree: exp.Expr, columns: Set[str]) -> None:
    """Refuse whole rows as values, except where only their number counts, or whether they are NULL.

    A function in FROM is no row: its name is that of its column, too.
    """
    items = {
        each.alias
        for each in tree.find_all(exp.Table, exp.Subquery, exp.CTE)
        if not isinstance(each.this, exp.Func)
    }
    # A name that is a column's anywhere is taken for one.
    named = {each.alias for each in tree.find_all(exp.Alias)}
    for alias in tree.find_all(exp.TableAlias):
        named |= {each.name for each in alias.columns}
    rows = items - named - columns
    for column in tree.find_all(exp.Column):
        is_shown = not isinstance(column.parent, exp.Count | exp.Is)
        if not column.table and column.name in rows and is_shown:
            raise NotSupportedError(
                "a whole row as a value is not supported where names differ only in case",
                hint="Name its columns.",
                position=position_of(column.this),
            )


def _fresh(name: str, taken: Container[str]) -> str:
    numbered = (f"{name}#{number}" for number in itertools.count(1))
    return next(each for each in numbered if each.lower() not in taken)


def unqualify(dot: exp.Dot, schemas: frozenset[str]) -> None:
    """Turn `pg_catalog.now()` into `now()`; no other schema has functions."""
    called: exp.Expr = dot.expression
    while isinstance(called, exp.Window | exp.Filter | exp.WithinGroup):
        called = called.this
    if not isinstance(called, exp.Func):
        return
    check_schema(dot.this, called, schemas)
    dot.replace(dot.expression)


def unqualify_all(nodes: Nodes, schemas: frozenset[str]) -> bool:
    """Remove the schemas of all calls outside of FROM, in place.

    Returns:
        Whether one was parsed as a column, as `pg_catalog.count(*) FILTER (…)` is.
    """
    for dot in nodes.of(exp.Dot):
        unqualify(dot, schemas)
    filtered = [each for each in nodes.of(exp.Column) if isinstance(each.this, exp.Filter)]
    for column in filtered:
        check_schema(column.args["table"], column.this.this, schemas)
        column.replace(column.this)
    return bool(filtered)


def unqualify_call(table: exp.Table, schemas: frozenset[str]) -> None:
    """Remove the schema of a function in FROM.

    Raises:
        QueryError: as `check_schema`.
    """
    schema, database = table.args.get("db"), table.args.get("catalog")
    if database is not None:
        schema = exp.Dot(this=database, expression=schema)
    if schema is not None:
        check_schema(schema, table.this, schemas)
    table.set("db", None)
    table.set("catalog", None)


def check_schema(schema: exp.Expr, called: exp.Expr, schemas: frozenset[str]) -> None:
    """Refuse a schema that has no functions.

    Raises:
        UnknownNameError: the schema does not exist (3F000).
        NotSupportedError: it is in another database (0A000).
    """
    if not isinstance(schema, exp.Identifier):
        raise NotSupportedError(
            "cross-database references are not implemented: "
            f"{schema.sql(dialect='postgres')}.{column_name(called)}",
            position=position_of(called),
        )
    if schema.name not in schemas:
        raise UnknownNameError(
            f'schema "{schema.name}" does not exist',
            position=position_of(called),
            sqlstate="3F000",
        )


def unqualify_type(to: exp.DataType) -> None:
    """Turn `pg_catalog.text` into `text`, and `pg_catalog._text` into its array, for asyncpg."""
    kind = to.args.get("kind")
    if not isinstance(kind, exp.Dot) or kind.this.name != "pg_catalog":
        return
    name = kind.expression.name
    if name in CATALOG_TYPES:
        named = exp.DataType(this=exp.DType.USERDEFINED, kind=exp.to_identifier(name, quoted=True))
        to.replace(named)
        return
    spelled = f"{name[1:]}[]" if name.startswith("_") else name
    try:
        built = exp.DataType.build(spelled, dialect="postgres")
        if to.expressions and not built.expressions:
            built.set("expressions", to.expressions)
        to.replace(built)
    except ParseError:
        return  # a type of the catalog only; the code that reads the cast refuses it
