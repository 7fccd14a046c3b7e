"""Bind a parsed query: resolve its names by the catalog, and find the types of its parameters.

Binding changes the tree. If a plan needs DuckDB, `Bound.translate` changes the tree once more, so
that DuckDB can run it: relations get unique names (`r0`, `r1`), parameters get their types, and
operators get Postgres's meaning. `names` resolves each column, so that DuckDB decides none.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from stategate.planner.binding.bound import Bound, Source, Translated
from stategate.planner.binding.column_origins import origins_of
from stategate.planner.binding.computed_values import extract_values
from stategate.planner.binding.derived_tables import DerivedTables, Readable, Resolver
from stategate.planner.binding.desugar import desugar
from stategate.planner.binding.naming.from_items import Relation as Named
from stategate.planner.binding.naming.names import resolve_names
from stategate.planner.binding.naming.result_names import EXPRESSION, names_of_rows
from stategate.planner.binding.parameters import Parameters
from stategate.planner.binding.plain_joins import PlainJoin, plain_join
from stategate.planner.binding.pushdown import Pushdown
from stategate.planner.binding.qualifiers import (
    tell_apart,
    unqualify_all,
    unqualify_call,
    unqualify_type,
)
from stategate.planner.binding.relations import Relation, Vocabulary, identifier
from stategate.planner.binding.scopes import scopes_of
from stategate.planner.binding.table_aliases import alias_columns, readable_columns
from stategate.planner.errors import NotSupportedError, QueryError
from stategate.planner.postgres import rewrite
from stategate.planner.postgres.address_checks import check_addresses
from stategate.planner.postgres.arities import check_arguments
from stategate.planner.postgres.common_types import agree_in_comparisons, match_columns
from stategate.planner.postgres.distinct_lists import sort_distinct_lists
from stategate.planner.postgres.document_checks import check_documents, check_using
from stategate.planner.postgres.document_order import order_documents
from stategate.planner.postgres.expressions.nested_macros import hold_nested
from stategate.planner.postgres.expressions.volatile import compute_once
from stategate.planner.postgres.local_times import localize
from stategate.planner.postgres.operator_checks import (
    MissingOperator,
    check_inner_rows,
    missing_operator,
)
from stategate.planner.postgres.places import check_places
from stategate.planner.postgres.recursion import check_recursion
from stategate.planner.postgres.refused import refuse, unknown_function
from stategate.planner.postgres.types.alternatives import check_alternatives
from stategate.planner.postgres.types.array_literals import convert_array_literals
from stategate.planner.postgres.types.functions import columns_of_function
from stategate.planner.postgres.types.inference import Types
from stategate.planner.postgres.types.literals import (
    convert_byte_literals,
    convert_compared_literals,
    convert_number_arguments,
)
from stategate.planner.postgres.types.output_columns import (
    Outputs,
    expand_fields,
    name_columns,
    name_values,
)
from stategate.planner.syntax.with_clause import Clause
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import kinds, put, strip
from stategate.planner.values import type_modifiers
from stategate.planner.values.times.time_settings import PLAIN_TIMES, TimeSettings
from stategate.stores.spec.schema import Column, DataType


def bind(
    tree: exp.Query,
    clause: Clause,
    vocabulary: Vocabulary,
    parameter_types: Sequence[DataType | None] = (),
    times: TimeSettings = PLAIN_TIMES,
    *,
    computes: bool = False,
) -> Bound:
    """Resolve the names of a query. The given tree is changed.

    Args:
        tree: the query.
        clause: its WITH clause.
        vocabulary: the names that it can use.
        parameter_types: types that the client gives.
        computes: whether values of expressions become parameters, which the run then computes.
        times: the settings of the session that say what times mean.

    Raises:
        UnknownNameError: a relation or function does not exist.
        NotSupportedError: the query has a part that is not supported.
        MismatchedTypeError: PostgreSQL has no operator for the types of its operands.
        InvalidValueError: a literal is not a value of the type it is compared with.
        QueryError: `translate` raises it for an expression without an equivalent in DuckDB.
    """
    binder = _Binder(tree, clause, vocabulary, parameter_types, times)
    try:
        bound = binder.bind(computes=computes)
        if binder.missing is not None:
            bound.translate()
    except QueryError as error:
        if binder.missing is None or binder.missing.is_after(error):
            raise
    if binder.missing is not None:
        raise binder.missing.error()
    return bound


class _Binder:
    def __init__(
        self,
        tree: exp.Query,
        clause: Clause,
        vocabulary: Vocabulary,
        parameter_types: Sequence[DataType | None],
        times: TimeSettings,
    ) -> None:
        self._tree, self._vocabulary, self._clause = tree, vocabulary, clause
        self._times = times
        self._nodes = desugar(tree)
        self._parameters = Parameters(self._nodes, parameter_types, vocabulary.arguments)
        self._relations: dict[int, Relation] = {}
        self._readable: dict[int, Readable] = {}
        self._mentioned: set[str] = set()
        self.missing: MissingOperator | None = None
        """An operator that does not exist; errors of values before it come first."""

    def bind(self, *, computes: bool) -> Bound:
        self._normalize()
        check_recursion(self._nodes)
        ungrouped = resolve_names(self._tree, self._nodes, self._resolve, self._mentioned)
        scopes = scopes_of(self._tree, self._nodes)
        tables = self._tables(scopes)
        hidden = sorted(self._mentioned & self._vocabulary.hidden)
        resolvers = {id(scope): self._resolver(scope) for scope in scopes}
        for select in self._nodes.of(exp.Select):
            name_columns(select)
        before = Outputs(self._star_columns, hidden=hidden)
        check_places(self._nodes)
        types = self._types(scopes, before)
        self._check(types)
        expand_fields(self._nodes, types.of)
        self._parameters.infer(self._clause, types)
        convert_array_literals(self._nodes, types)
        convert_compared_literals(self._nodes, types)
        convert_number_arguments(self._nodes, types)
        check_documents(self._nodes, types)
        check_addresses(self._nodes, types)
        self._parameters.check_comparisons(types)
        localize(self._tree, self._nodes, types)
        values = extract_values(self._nodes, types, self._parameters) if computes else ()
        whole = self._whole()  # before stars are expanded
        outputs = Outputs(self._star_columns, hidden=hidden)
        outputs.expand(scopes)
        check_using(self._nodes, types)
        root = next((scope for scope in scopes if scope.is_root), None)
        derived = DerivedTables(self._nodes, outputs, resolvers)
        pushdown = Pushdown(scopes, self._readable, resolvers, self._parameters.type_of, derived)
        sources = self._sources(tables, pushdown, whole)

        def translate() -> Translated:
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
            sort_distinct_lists(self._nodes, types)
            self._tree = order_documents(self._tree, self._nodes, types)
            rewrite.apply(self._tree, self._nodes, types)
            if ungrouped is not None:
                raise ungrouped.error()
            for each in self._nodes.of(exp.Cast):
                type_modifiers.cut_to_length(each)
                type_modifiers.round_seconds(each)
            compute_once(self._nodes, self._mentioned)
            hold_nested(self._tree, self._nodes, self._mentioned)
            columns = [source.columns for source in sources]
            tell_apart(self._tree, self._mentioned, list(zip(tables, columns, strict=True)))
            return Translated(tree=self._tree, types=shown)

        return Bound(
            tree=self._tree,
            nodes=self._nodes,
            sources=sources,
            parameters=self._parameters.types(),
            values=values,
            type_of=types.of,
            names=lambda: None if root is None else outputs.names(root),
            origins=lambda: None if root is None else origins_of(root, outputs, self._named),
            join=lambda: None if root is None else self._join(resolvers[id(root)]),
            translate=translate,
        )

    def _check(self, types: Types) -> None:
        """Check the arguments of functions, and the operands of operators."""
        vocabulary = self._vocabulary
        check_arguments(self._nodes, types, vocabulary.functions, vocabulary.arguments)
        self.missing = missing_operator(self._nodes, types)
        check_inner_rows(self._nodes, types)

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
            times=self._times,
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
        is_changed |= unqualify_all(self._nodes, self._vocabulary.schemas)
        for collate in self._nodes.of(exp.Collate):
            bare = strip(collate)
            bare.meta[EXPRESSION] = True
            put(collate, bare)
        for values in self._nodes.of(exp.Values):
            name_values(values)
        for cast in self._nodes.of(exp.Cast):
            for each in [*cast.to.find_all(exp.DataType)]:
                unqualify_type(each)
        if is_changed:
            self._nodes.renew()

    def _tables(self, scopes: Sequence[Scope]) -> list[exp.Table]:
        """Return the tables that are relations; those in scopes come first."""
        found = [
            selected
            for scope in scopes
            for _, selected in scope.selected_sources.values()
            if isinstance(selected, exp.Table) and id(selected) in self._relations
        ]
        listed = set(map(id, found))
        # Tables of joins in parentheses are in no scope.
        rest = [table for table in self._nodes.of(exp.Table) if id(table) not in listed]
        found += [table for table in rest if id(table) in self._relations]
        for table in found:
            self._readable[id(table)] = readable_columns(table, self._relations[id(table)])
        return found

    def _resolve(self, table: exp.Table) -> Named | None:
        """Return the relation of a table; None if it is a function."""
        checkpoint()
        if isinstance(table.this, exp.Identifier):
            relation = self._vocabulary.resolve(table)
            self._relations[id(table)] = relation
            names = tuple(column.name for column in relation.columns)
            hidden = frozenset(relation.readable) - set(names)
            return Named(
                columns=names,
                written=names,
                hidden=hidden,
                schema=relation.schema,
                key=relation.primary_key,
            )
        if table.this is None:
            raise NotSupportedError(
                "ROWS FROM is not supported", hint="Join the functions instead."
            )
        name = column_name(table.this)
        if name not in self._vocabulary.table_functions:
            raise unknown_function(table.this, name, kind="table function")
        unqualify_call(table, self._vocabulary.schemas)
        return None

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
        whole = {id(table) for table in tables if alias_columns(table)}
        selects: list[exp.Expr | None] = []
        qualifiers: set[str] = set()
        for star in self._nodes.of(exp.Star):
            if isinstance(star.parent, exp.Column):
                qualifiers.add(star.parent.table)
            elif not isinstance(star.parent, exp.Count):
                selects.append(star.parent_select)
        bare = names_of_rows(self._nodes.of(exp.Column))
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
        return tuple([n for n in relation.readable if n in wanted]) or (relation.cheapest,)


_REPLACED = kinds(exp.Collate, exp.Dot)
"""Nodes that `_normalize` replaces."""


def _rename(table: exp.Table, source: Source) -> None:
    alias = table.args.get("alias")
    if alias is None:
        table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name, quoted=True)))
    schema, name = source.relation.in_duckdb or (None, source.name)
    table.set("this", exp.to_identifier(name))
    table.set("db", exp.to_identifier(schema))
    table.set("catalog", None)
