"""A parsed query and the catalog to a bound one: what each name stands for, what each $n is.

Binding changes the tree so that DuckDB can run it: relations get names of their own (`r0`, `r1`, …),
parameters their types, unnamed columns Postgres's names. What only DuckDB can know, such as the
types of expressions, is left to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.scope import Scope, traverse_scope

from planner.clause import Clause
from planner.errors import NameProblem, NotSupported, SyntaxProblem, ValueProblem
from planner.names import UNNAMED, column_name
from planner.predicates import Condition, Reader, number_of, parameter_number, strip
from planner.relations import Relation, identifier, resolve
from planner.sqltypes import data_type_of, duckdb_type
from stores.schema import BIGINT, PSEUDO_COLUMNS, TEXT, DataType
from stores.store import StoreCatalog

PARAMETERS_MAX = 65_535
"""What the Postgres wire can count."""

_TABLE_FUNCTIONS = {"generate_series", "unnest"}
_PSEUDO = {column.name for column in PSEUDO_COLUMNS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One mention of a relation in FROM."""

    relation: Relation
    name: str
    """What the bound tree calls it: r0, r1, …"""
    columns: tuple[str, ...]
    """The columns that the statement can need, in schema order; at least one."""
    conditions: tuple[Condition, ...]
    """What its rows must meet to count; the tree still says so too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A query whose names and parameters are known."""

    tree: exp.Query
    sources: tuple[Source, ...]
    parameters: tuple[DataType, ...]
    names: tuple[str, ...] | None
    """Result columns as Postgres names them; None where only DuckDB knows how many there are."""


def bind(
    tree: exp.Query,
    clause: Clause,
    catalog: StoreCatalog,
    parameter_types: Sequence[DataType | None] = (),
) -> Bound:
    """Resolve the names of a query; the given tree is changed.

    Raises:
        NameProblem: an unknown relation or function.
        NotSupported: something that is not run here.
        ValueProblem: a literal that is no value of the column it is compared with.
    """
    return _Binder(tree, clause, catalog, parameter_types).bind()


class _Binder:
    def __init__(
        self,
        tree: exp.Query,
        clause: Clause,
        catalog: StoreCatalog,
        parameter_types: Sequence[DataType | None],
    ) -> None:
        self._tree, self._catalog, self._clause = tree, catalog, clause
        self._given = parameter_types
        self._relations: dict[int, Relation] = {}
        self._types: dict[int, DataType] = {}
        self._mentioned: set[str] = set()
        self._has_star = False

    def bind(self) -> Bound:
        _refuse(self._tree)
        self._normalize()
        scopes = self._scopes()
        for scope in scopes:
            for _, selected in scope.selected_sources.values():
                if isinstance(selected, exp.Table):
                    self._resolve(selected)
        unscoped = self._resolve_unscoped()
        resolvers = {id(scope): self._resolver(scope) for scope in scopes}
        self._infer_parameters(scopes, resolvers)
        names = self._name_columns(scopes)
        sources = [s for scope in scopes for s in self._sources(scope, resolvers[id(scope)])]
        sources += [(table, self._relations[id(table)], ()) for table in unscoped]
        bound = tuple(
            Source(
                relation=relation,
                name=f"r{i}",
                columns=self._used(relation),
                conditions=conditions,
            )
            for i, (_, relation, conditions) in enumerate(sources)
        )
        for source, (table, _, _) in zip(bound, sources, strict=True):
            _rename(table, source.name)
        self._cast_parameters()
        return Bound(
            tree=self._tree,
            sources=bound,
            parameters=self._parameter_tuple(),
            names=names,
        )

    # Names

    def _normalize(self) -> None:
        """Bring identifiers to their folded form and read what later steps ask of the tree."""
        for node in list(self._tree.walk()):
            if isinstance(node, exp.Identifier):
                node.set("this", identifier(node))
                self._mentioned.add(node.name)
            elif isinstance(node, exp.Star) and not isinstance(node.parent, exp.Count):
                self._has_star = True
            elif isinstance(node, exp.ByteString):
                node.replace(exp.Literal.string(node.name))  # E'…' is text in Postgres
            elif isinstance(node, exp.Collate):
                node.replace(strip(node))
            elif isinstance(node, exp.Join) and node.method.upper() == "NATURAL":
                self._has_star = True

    def _scopes(self) -> list[Scope]:
        try:
            return list(traverse_scope(self._tree))
        except OptimizeError as error:
            raise NameProblem(str(error).split("\n")[0].lower(), sqlstate="42712") from error

    def _resolve(self, table: exp.Table) -> None:
        if isinstance(table.this, exp.Identifier):
            self._relations[id(table)] = resolve(table, self._catalog)
            return
        name = column_name(table.this)
        if name not in _TABLE_FUNCTIONS:
            raise NameProblem(
                f"table function {name}() does not exist",
                hint="generate_series and unnest are there.",
                sqlstate="42883",
            )

    def _resolve_unscoped(self) -> list[exp.Table]:
        """Resolve tables that lie in no scope, such as those of joins in parentheses."""
        ctes = {cte.alias for cte in self._tree.find_all(exp.CTE)}
        found = []
        for table in self._tree.find_all(exp.Table):
            is_cte = not table.db and isinstance(table.this, exp.Identifier) and table.name in ctes
            if id(table) not in self._relations and not is_cte:
                self._resolve(table)
                if id(table) in self._relations:
                    found.append(table)
        return found

    def _resolver(self, scope: Scope) -> Callable[[exp.Column], tuple[exp.Table, str] | None]:
        """For one scope: the table and column that a column node means, if that is certain."""
        tables: dict[str, exp.Table] = {}
        opaque = False
        for name, (_, source) in scope.selected_sources.items():
            if isinstance(source, exp.Table) and id(source) in self._relations:
                tables[name] = source
            else:
                opaque = True

        def resolve_column(column: exp.Column) -> tuple[exp.Table, str] | None:
            name = column.name
            if column.table:
                table = tables.get(column.table)
                found = table is not None and name in self._relations[id(table)].readable
                return (table, name) if table is not None and found else None
            if opaque:
                return None
            owners = [t for t in tables.values() if name in self._relations[id(t)].readable]
            return (owners[0], name) if len(owners) == 1 else None

        return resolve_column

    def _used(self, relation: Relation) -> tuple[str, ...]:
        """Columns that the statement may mention: by name anywhere, or all by a star."""
        whole = self._has_star or relation.name in self._mentioned - set(relation.readable)
        whole = whole and self._has_whole_row(relation)
        plain = {column.name for column in relation.columns}
        used = tuple(
            name
            for name in relation.readable
            if name in self._mentioned or (whole and name in plain)
        )
        return used or (_cheapest(relation),)

    def _has_whole_row(self, relation: Relation) -> bool:
        if self._has_star:
            return True
        return any(
            not column.table and column.name not in relation.readable
            for column in self._tree.find_all(exp.Column)
        )

    def _name_columns(self, scopes: Sequence[Scope]) -> tuple[str, ...] | None:
        """Give every unnamed expression Postgres's name; return the names of the result."""
        pseudo = sorted(self._mentioned & _PSEUDO)
        for select in self._tree.find_all(exp.Select):
            named: list[exp.Expr] = []
            for node in select.expressions:
                hidden = pseudo if isinstance(node, exp.Star) else []
                if hidden and self._reads_store(select):
                    node.set("except_", [exp.to_identifier(name) for name in hidden])
                plain = isinstance(node, exp.Alias | exp.Column | exp.Star)
                named.append(node if plain else exp.alias_(node, column_name(node), quoted=True))
            select.set("expressions", named)
        root = next((scope for scope in scopes if scope.is_root), None)
        return None if root is None else self._output(root, {})

    def _reads_store(self, select: exp.Select) -> bool:
        tables = select.find_all(exp.Table)
        return any(self._relations.get(id(t)) is not None for t in tables)

    def _output(
        self, scope: Scope, known: dict[int, tuple[str, ...] | None]
    ) -> tuple[str, ...] | None:
        """The result columns of a scope, stars spelled out; None if that is not known here."""
        if id(scope) not in known:
            known[id(scope)] = None  # a recursive CTE meets itself
            known[id(scope)] = self._spell_out(scope, known)
        return known[id(scope)]

    def _spell_out(
        self, scope: Scope, known: dict[int, tuple[str, ...] | None]
    ) -> tuple[str, ...] | None:
        tree = scope.expression
        if isinstance(tree, exp.SetOperation):
            return self._output(scope.set_operation_scopes[0], known) if scope.set_operation_scopes else None
        if not isinstance(tree, exp.Select):
            return None
        names: list[str] = []
        for node in tree.expressions:
            if isinstance(node, exp.Star) or (
                isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
            ):
                spelled = self._star(scope, node, known)
                if spelled is None:
                    return None
                names.extend(spelled)
            else:
                names.append(column_name(node))
        return tuple(names)

    def _star(
        self, scope: Scope, node: exp.Expr, known: dict[int, tuple[str, ...] | None]
    ) -> tuple[str, ...] | None:
        if any(join.args.get("using") or join.method for join in scope.expression.args.get("joins") or []):
            return None
        only = node.table if isinstance(node, exp.Column) else ""
        names: list[str] = []
        for name, (_, source) in scope.selected_sources.items():
            if only and name != only:
                continue
            if isinstance(source, exp.Table):
                relation = self._relations.get(id(source))
                found = None if relation is None else tuple(c.name for c in relation.columns)
            else:
                found = self._output(source, known)
            if found is None:
                return None
            renamed = _alias_columns(source)
            names.extend((*renamed, *found[len(renamed) :]))
        return tuple(names)

    # Parameters

    def _infer_parameters(
        self,
        scopes: Sequence[Scope],
        resolvers: dict[int, Callable[[exp.Column], tuple[exp.Table, str] | None]],
    ) -> None:
        columns: dict[int, DataType] = {}
        for scope in scopes:
            for column in scope.columns:
                found = resolvers[id(scope)](column)
                if found is not None:
                    readable = self._relations[id(found[0])].readable
                    columns[id(column)] = readable[found[1]].type
        for reference in self._clause.parameters:
            self._check_number(reference.number)
            self._types.setdefault(reference.number, self._declared(reference.number) or reference.type)
        for node in self._tree.find_all(exp.Parameter):
            if not node.name.isdigit():
                raise SyntaxProblem(f'syntax error at or near "{node.sql()}"')
            number = parameter_number(node)
            self._check_number(number)
            declared = self._declared(number) or _expected_type(node, columns)
            if declared is not None:
                self._types.setdefault(number, declared)
        for node in self._tree.find_all(exp.Parameter):
            self._types.setdefault(parameter_number(node), TEXT)

    @staticmethod
    def _check_number(number: int) -> None:
        if not 1 <= number <= PARAMETERS_MAX:
            raise ValueProblem(f"there is no parameter ${number}", sqlstate="42P02")

    def _declared(self, number: int) -> DataType | None:
        return self._given[number - 1] if number <= len(self._given) else None

    def _parameter_tuple(self) -> tuple[DataType, ...]:
        count = max([*self._types, len(self._given)], default=0)
        missing = [n for n in range(1, count + 1) if n not in self._types and not self._declared(n)]
        if missing:
            raise ValueProblem(
                f"could not determine data type of parameter ${missing[0]}",
                hint="Number parameters from $1 on, without gaps.",
                sqlstate="42P18",
            )
        return tuple(self._types.get(n) or self._declared(n) or TEXT for n in range(1, count + 1))

    def _cast_parameters(self) -> None:
        for node in list(self._tree.find_all(exp.Parameter)):
            wanted = duckdb_type(self._types[parameter_number(node)])
            cast = exp.Cast(this=node.copy(), to=exp.DataType.build(wanted, dialect="duckdb"))
            node.replace(cast)

    # Conditions

    def _sources(
        self, scope: Scope, resolve_column: Callable[[exp.Column], tuple[exp.Table, str] | None]
    ) -> list[tuple[exp.Table, Relation, tuple[Condition, ...]]]:
        found = []
        for name, (_, table) in scope.selected_sources.items():
            if not isinstance(table, exp.Table) or id(table) not in self._relations:
                continue
            relation = self._relations[id(table)]
            conditions = self._conditions(scope, name, table, relation, resolve_column)
            found.append((table, relation, conditions))
        return found

    def _conditions(
        self,
        scope: Scope,
        name: str,
        table: exp.Table,
        relation: Relation,
        resolve_column: Callable[[exp.Column], tuple[exp.Table, str] | None],
    ) -> tuple[Condition, ...]:
        if relation.store is None or not isinstance(scope.expression, exp.Select):
            return ()

        def column_of(column: exp.Column) -> str | None:
            owned = resolve_column(column)
            return owned[1] if owned is not None and owned[0] is table else None

        reader = Reader(
            column_of=column_of,
            type_of=lambda column: relation.readable[column].type,
            parameter_type=lambda number: self._types[number],
        )
        where = scope.expression.args.get("where")
        found = reader.conditions(where.this if where is not None else None)
        for join in scope.expression.args.get("joins") or []:
            if _may_filter(join, name):
                found += reader.conditions(join.args.get("on"))
        return tuple(found)


def _may_filter(join: exp.Join, name: str) -> bool:
    """Whether a join's ON drops rows of a relation, rather than leaving them unmatched."""
    if join.method:
        return False
    side = join.side.upper()
    if side == "":
        return join.kind.upper() in {"", "INNER", "CROSS"}
    return side == "LEFT" and join.this.alias_or_name == name


def _alias_columns(source: exp.Table | Scope) -> tuple[str, ...]:
    """The names that `AS t (a, b)` or `WITH t (a, b) AS` gives to a source's first columns."""
    node = source if isinstance(source, exp.Table) else source.expression.parent
    alias = node.args.get("alias") if node is not None else None
    return tuple(c.name for c in alias.columns) if isinstance(alias, exp.TableAlias) else ()


def _cheapest(relation: Relation) -> str:
    return "_partition" if relation.store is not None else relation.columns[0].name


def _rename(table: exp.Table, name: str) -> None:
    alias = table.args.get("alias")
    if alias is None:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
    table.set("this", exp.to_identifier(name))
    table.set("db", None)
    table.set("catalog", None)


_COMPARED = exp.Binary
_TEXTUAL = (exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike, exp.SimilarTo, exp.DPipe)


def _expected_type(node: exp.Parameter, columns: dict[int, DataType]) -> DataType | None:
    """The type that a parameter's surroundings ask for; None if they do not say."""
    child: exp.Expr = node
    parent = node.parent
    while isinstance(parent, exp.Paren):
        child, parent = parent, parent.parent
    if isinstance(parent, exp.Cast):
        return data_type_of(parent.to)
    if isinstance(parent, exp.Limit | exp.Offset | exp.Fetch):
        return BIGINT
    if isinstance(parent, _TEXTUAL):
        return TEXT
    beside: list[exp.Expr] = []
    if isinstance(parent, exp.Between):
        beside = [parent.this, parent.args["low"], parent.args["high"]]
    elif isinstance(parent, exp.In):
        beside = [parent.this, *parent.expressions]
    elif isinstance(parent, exp.Binary | exp.Coalesce | exp.Greatest | exp.Least | exp.Nullif):
        expression = parent.args.get("expression")
        beside = [parent.this, *([expression] if expression else []), *parent.expressions]
    for each in beside:
        if each is not child:
            found = _known_type(each, columns)
            if found is not None:
                return found
    return None


def _known_type(node: exp.Expr, columns: dict[int, DataType]) -> DataType | None:
    node = strip(node)
    if isinstance(node, exp.Column):
        return columns.get(id(node))
    if isinstance(node, exp.Literal):
        return TEXT if node.is_string else number_of(node.name)[1]
    if isinstance(node, exp.Cast):
        return data_type_of(node.to)
    if isinstance(node, exp.Count):
        return BIGINT
    if isinstance(node, exp.Sum | exp.Min | exp.Max | exp.Avg | exp.Neg | exp.Abs):
        return _known_type(node.this, columns)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul | exp.Div | exp.Mod):
        return _known_type(node.this, columns) or _known_type(node.expression, columns)
    return None


_REFUSED: dict[type[exp.Expr], str] = {
    exp.Lock: "FOR UPDATE and FOR SHARE",
    exp.TableSample: "TABLESAMPLE",
    exp.Into: "SELECT INTO",
    exp.Command: "this statement",
    exp.Placeholder: "a placeholder other than $1, $2, …",
}


def _refuse(tree: exp.Query) -> None:
    for node in tree.walk():
        what = _REFUSED.get(type(node))
        if what is not None:
            raise NotSupported(f"{what} is not supported")
        if isinstance(node, exp.DML) and not isinstance(node, exp.Query):
            raise NotSupported(
                f"cannot execute {node.key.upper()} in a read-only gateway", sqlstate="25006"
            )


__all__ = ["UNNAMED", "Bound", "Source", "bind"]
