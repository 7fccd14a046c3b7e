"""Bind a parsed query: resolve its names by the catalog, and find the types of its parameters.

Binding changes the tree. If a plan needs DuckDB, `Bound.translate` changes the tree once more, so
that DuckDB can run it: relations get unique names (`r0`, `r1`), parameters get their types, and
operators get Postgres's meaning. DuckDB resolves the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from planner.binding.column_origins import Origins, origins_of
from planner.binding.derived_tables import DerivedTables, Resolver
from planner.binding.desugar import desugar
from planner.binding.parameters import Parameters
from planner.binding.plain_joins import PlainJoin, plain_join
from planner.binding.predicates import Predicate
from planner.binding.pushdown import Compared, Pushdown, Readable
from planner.binding.qualifiers import (
    drop_schemas,
    qualify_outer,
    refuse_results,
    tell_apart,
    unqualify,
    unqualify_call,
    unqualify_type,
)
from planner.binding.relations import Relation, Vocabulary, identifier
from planner.binding.scopes import scopes_of
from planner.errors import NotSupportedError, UnknownNameError
from planner.postgres import rewrite
from planner.postgres.arities import check_arguments
from planner.postgres.common_types import agree_in_comparisons, match_columns
from planner.postgres.expressions.volatile import compute_once
from planner.postgres.refused import refuse, unknown_function
from planner.postgres.types.array_literals import convert_array_literals
from planner.postgres.types.functions import columns_of_function
from planner.postgres.types.inference import Types
from planner.postgres.types.literals import (
    check_alternatives,
    convert_byte_literals,
    convert_compared_literals,
)
from planner.postgres.types.output_columns import (
    Outputs,
    expand_fields,
    name_columns,
    name_values,
)
from planner.syntax.with_clause import Clause
from planner.trees.column_names import column_name
from planner.trees.nodes import Nodes, kinds, strip
from planner.values import type_modifiers
from stores.spec.schema import Column, DataType


class Source(Struct, frozen=True, kw_only=True):
    """One mention of a relation in FROM."""

    relation: Relation
    name: str
    """Its name in the bound tree: r0, r1, …, or rr0, rr1, … if the statement has a name of that
    form.
    """
    columns: tuple[str, ...]
    """The columns that the statement can need, in schema order; at least one."""
    predicate: Predicate
    """The conditions that its rows must meet; they also stay in the tree."""
    compared: tuple[Compared, ...] = ()
    """The columns of other relations that its own columns are compared with."""
    table: int = 0
    """The id of its table node, by which comparisons refer to it."""


class Bound(Struct, frozen=True, kw_only=True):
    """A query whose names and parameters are known."""

    tree: exp.Query
    nodes: Nodes
    sources: tuple[Source, ...]
    parameters: tuple[DataType, ...]
    names: Callable[[], tuple[str, ...] | None]
    """Returns the result columns as Postgres names them; None where only DuckDB knows their number.
    """
    origins: Callable[[], Origins | None]
    """Returns which result columns are columns of a relation. Call both before `translate`."""
    join: Callable[[], PlainJoin | None]
    """Returns the join, if all its conditions are understood. Call it before `translate`, too."""
    translate: Callable[[], tuple[DataType | None, ...] | None]
    """Rewrites the tree for DuckDB, and returns the result types in Postgres where certain.
    Call it at most once: a plan without DuckDB does not need it."""


def bind(
    tree: exp.Query,
    clause: Clause,
    vocabulary: Vocabulary,
    parameter_types: Sequence[DataType | None] = (),
) -> Bound:
    """Resolve the names of a query. The given tree is changed.

    Raises:
        UnknownNameError: a relation or function does not exist.
        NotSupportedError: the query has a part that is not supported.
        MismatchedTypeError: Postgres has no operator for a comparison.
        InvalidValueError: a literal is not a value of the type it is compared with.
        QueryError: `translate` raises it for an expression without an equivalent in DuckDB.
    """
    return _Binder(tree, clause, vocabulary, parameter_types).bind()


class _Binder:
    def __init__(
        self,
        tree: exp.Query,
        clause: Clause,
        vocabulary: Vocabulary,
        parameter_types: Sequence[DataType | None],
    ) -> None:
        self._tree, self._vocabulary, self._clause = tree, vocabulary, clause
        self._nodes = desugar(tree)
        self._parameters = Parameters(self._nodes, parameter_types, vocabulary.arguments)
        self._relations: dict[int, Relation] = {}
        self._readable: dict[int, Readable] = {}
        self._mentioned: set[str] = set()

    def bind(self) -> Bound:
        self._normalize()
        scopes = scopes_of(self._tree, self._nodes)
        tables = self._resolve_tables(scopes)
        columns = self._nodes.of(exp.Column)
        drop_schemas(columns, scopes, lambda table: id(table) in self._relations)
        hidden = sorted(self._mentioned & self._vocabulary.hidden)
        resolvers = {id(scope): self._resolver(scope) for scope in scopes}
        for select in self._nodes.of(exp.Select):
            name_columns(select)
        # Not used after NATURAL joins are expanded below: it caches their columns.
        before = Outputs(self._star_columns, hidden=hidden)
        refuse_results(columns, scopes, before.star, self._is_readable)
        qualify_outer(columns, scopes, before.star)
        types = self._types(scopes, before)
        check_arguments(self._nodes, types, self._vocabulary.functions)
        expand_fields(self._nodes, types.of)
        self._parameters.infer(self._clause, types)
        convert_array_literals(self._nodes, types)
        convert_compared_literals(self._nodes, types)
        self._parameters.check_comparisons(types)
        whole = self._whole()  # before stars are expanded
        outputs = Outputs(self._star_columns, hidden=hidden)
        outputs.expand(scopes)
        root = next((scope for scope in scopes if scope.is_root), None)
        derived = DerivedTables(self._nodes, outputs, resolvers)
        pushdown = Pushdown(scopes, self._readable, resolvers, self._parameters.type_of, derived)
        sources = self._sources(tables, pushdown, whole)

        def translate() -> tuple[DataType | None, ...] | None:
            for source, table in zip(sources, tables, strict=True):
                _rename(table, source)
            # Types are inferred again, because columns now have names and parameters have types.
            types = self._types(scopes, outputs)
            shown = None if root is None else types.columns.of_query(root)
            self._parameters.give_types()
            convert_byte_literals(self._nodes, types)
            check_alternatives(self._nodes, types)
            match_columns(self._nodes, types)
            agree_in_comparisons(self._nodes, types)
            rewrite.apply(self._tree, self._nodes, types)
            for each in self._nodes.of(exp.Cast):
                type_modifiers.cut_to_length(each)
                type_modifiers.round_seconds(each)
            compute_once(self._nodes, self._mentioned)
            columns = [source.columns for source in sources]
            tell_apart(self._tree, self._mentioned, list(zip(tables, columns, strict=True)))
            return shown

        return Bound(
            tree=self._tree,
            nodes=self._nodes,
            sources=sources,
            parameters=self._parameters.types(),
            names=lambda: None if root is None else outputs.names(root),
            origins=lambda: None if root is None else origins_of(root, outputs, self._named),
            join=lambda: None if root is None else self._join(resolvers[id(root)]),
            translate=translate,
        )

    def _sources(
        self, tables: Sequence[exp.Table], pushdown: Pushdown, whole: set[int]
    ) -> tuple[Source, ...]:
        prefix = self._free_prefix()
        return tuple(
            Source(
                relation=self._relations[id(table)],
                name=f"{prefix}{i}",
                columns=self._used(table, is_whole=id(table) in whole),
                predicate=pushdown.of(table).predicate,
                compared=pushdown.of(table).compared,
                table=id(table),
            )
            for i, table in enumerate(tables)
        )

    def _join(self, resolve: Resolver) -> PlainJoin | None:
        return plain_join(self._tree, self._nodes, resolve, self._parameters.type_of)

    def _types(self, scopes: Sequence[Scope], outputs: Outputs) -> Types:
        return Types(
            scopes,
            self._column_type,
            self._parameters.known_type,
            outputs.star,
            results=self._vocabulary.results,
        )

    # Names

    def _normalize(self) -> None:
        """Bring an accepted tree into the form that all later steps and DuckDB read."""
        refuse(self._nodes)
        mentioned = self._mentioned
        for node in self._nodes.of(exp.Identifier):
            name = identifier(node)
            if name != node.args["this"]:
                node.set("this", name)
            mentioned.add(name)
        is_changed = self._nodes.has(_REPLACED)
        for text in self._nodes.of(exp.ByteString):
            literal = exp.Literal.string(text.name)  # E'…' is text in Postgres
            literal.meta.update(text.meta)
            text.replace(literal)
        for collate in self._nodes.of(exp.Collate):
            collate.replace(strip(collate))
        for values in self._nodes.of(exp.Values):
            name_values(values)
        for dot in self._nodes.of(exp.Dot):
            unqualify(dot, self._vocabulary.schemas)
        for cast in self._nodes.of(exp.Cast):
            for each in [*cast.to.find_all(exp.DataType)]:
                unqualify_type(each)
        if is_changed:
            self._nodes.renew()

    def _resolve_tables(self, scopes: Sequence[Scope]) -> list[exp.Table]:
        """Return the tables that are relations; those in scopes come first."""
        found: list[exp.Table] = []
        for scope in scopes:
            for _, selected in scope.selected_sources.values():
                if isinstance(selected, exp.Table) and self._resolve(selected):
                    found.append(selected)
        # Tables of joins in parentheses are in no scope.
        commons = {cte.alias for cte in self._nodes.of(exp.CTE)}
        for table in self._nodes.of(exp.Table):
            if id(table) in self._relations:
                continue
            is_name = not table.db and isinstance(table.this, exp.Identifier)
            if not (is_name and table.name in commons) and self._resolve(table):
                found.append(table)
        return found

    def _resolve(self, table: exp.Table) -> bool:
        """Resolve a table; return whether it is a relation and not a function."""
        if isinstance(table.this, exp.Identifier):
            relation = self._vocabulary.resolve(table)
            self._relations[id(table)] = relation
            self._readable[id(table)] = _readable(table, relation)
            return True
        if table.this is None:
            raise NotSupportedError(
                "ROWS FROM is not supported", hint="Join the functions instead."
            )
        name = column_name(table.this)
        if name not in self._vocabulary.table_functions:
            raise unknown_function(table.this, name, kind="table function")
        unqualify_call(table, self._vocabulary.schemas)
        return False

    def _resolver(self, scope: Scope) -> Resolver:
        """Return a function that finds the table and column of a column node in a scope."""
        tables: dict[str, tuple[exp.Table, Readable]] = {}
        opaque = False
        for name, (_, source) in scope.selected_sources.items():
            if isinstance(source, exp.Table) and id(source) in self._relations:
                tables[name] = (source, self._readable[id(source)])
            else:
                opaque = True

        def resolve_column(column: exp.Column) -> tuple[exp.Table, Column] | None:
            name, qualifier = column.name, column.table
            if qualifier:
                owners = [tables[qualifier]] if qualifier in tables else []
            else:
                owners = [] if opaque else list(tables.values())
            found = [(table, readable[name]) for table, readable in owners if name in readable]
            return found[0] if len(found) == 1 else None

        return resolve_column

    def _named(self, table: exp.Table) -> tuple[Relation, Readable] | None:
        """Return the relation of a table, and its columns by their names in the query."""
        relation = self._relations.get(id(table))
        return None if relation is None else (relation, self._readable[id(table)])

    def _is_readable(self, table: exp.Expr, name: str) -> bool:
        return name in self._readable.get(id(table), {})

    def _column_type(self, table: exp.Table, name: str) -> DataType | None:
        """Return the type of a relation's column; None if no column has that name."""
        column = self._readable.get(id(table), {}).get(name)
        return None if column is None else column.type

    def _free_prefix(self) -> str:
        """Return a prefix for the names of relations that makes no name of the statement.

        DuckDB ignores case: a common table expression "R0" would hide r0.
        """
        prefix = "r"
        taken = [name.lower() for name in self._mentioned if name[-1:].isdigit()]
        while taken and any(n.startswith(prefix) and n[len(prefix) :].isdigit() for n in taken):
            prefix += "r"
        return prefix

    # Columns

    def _star_columns(self, table: exp.Table) -> tuple[str, ...] | None:
        relation = self._relations.get(id(table))
        if relation is None:
            return columns_of_function(table)
        return tuple(column.name for column in relation.columns)

    def _whole(self) -> set[int]:
        """Return the tables that a star, NATURAL or a row name may read in whole."""
        tables = [table for table in self._nodes.of(exp.Table) if id(table) in self._relations]
        whole = {id(table) for table in tables if _alias_columns(table)}
        selects: list[exp.Expr | None] = []
        qualifiers: set[str] = set()
        for star in self._nodes.of(exp.Star):
            if isinstance(star.parent, exp.Column):
                qualifiers.add(star.parent.table)
            elif not isinstance(star.parent, exp.Count):
                selects.append(star.parent_select)
        selects += [j.parent_select for j in self._nodes.of(exp.Join) if j.method]
        bare = {c.name for c in self._nodes.of(exp.Column) if not c.args.get("table")}
        for table in tables:
            name = table.alias_or_name
            is_row = name in bare and name not in self._readable[id(table)]
            if (
                is_row
                or name in qualifiers
                or (selects and any(table.parent_select is select for select in selects))
            ):
                whole.add(id(table))
        return whole

    def _used(self, table: exp.Table, *, is_whole: bool) -> tuple[str, ...]:
        """Return the columns that the statement may read: those that it names, or all of a `*`."""
        relation = self._relations[id(table)]
        wanted = self._mentioned
        if is_whole:
            wanted = wanted.union(column.name for column in relation.columns)
        used = tuple([name for name in relation.readable if name in wanted])
        return used or (relation.cheapest,)


_REPLACED = kinds(exp.ByteString, exp.Collate, exp.Dot)
"""Nodes that `_normalize` replaces."""


def _alias_columns(table: exp.Table) -> list[str]:
    """Return the names that `AS t (a, b)` gives to the first columns of a relation."""
    alias = table.args.get("alias")
    return [c.name for c in alias.columns] if isinstance(alias, exp.TableAlias) else []


def _readable(table: exp.Table, relation: Relation) -> Readable:
    renamed = _alias_columns(table)
    if not renamed:
        return relation.readable
    if len(renamed) > len(relation.columns):
        raise UnknownNameError(
            f'table "{table.alias_or_name}" has {len(relation.columns)} columns available but '
            f"{len(renamed)} columns specified",
            sqlstate="42P01",
        )
    replaced = {column.name for column in relation.columns[: len(renamed)]}
    kept = {name: c for name, c in relation.readable.items() if name not in replaced}
    return {**kept, **dict(zip(renamed, relation.columns, strict=False))}


def _rename(table: exp.Table, source: Source) -> None:
    alias = table.args.get("alias")
    if alias is None:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
    schema, name = source.relation.in_duckdb or (None, source.name)
    table.set("this", exp.to_identifier(name))
    table.set("db", exp.to_identifier(schema))
    table.set("catalog", None)
