"""Clauses of SELECT that DuckDB lacks, written in clauses that it has.

They are `EXISTS (SELECT FROM …)`, `FETCH … WITH TIES`, and functions in FROM that DuckDB does not
take there. A function that returns one value becomes a query of one row: JDBC sends
`{? = call f($1)}` as such a call. `unnest` of several arrays and `regexp_matches` become queries,
too. TABLESAMPLE is checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, InvalidValueError, NotSupportedError
from stategate.planner.postgres.named_windows import write_out_windows
from stategate.planner.postgres.places import MAY_AGGREGATE, is_aggregate
from stategate.planner.postgres.refused import TABLE_FUNCTIONS, unknown_function
from stategate.planner.postgres.types.functions import ROW_FUNCTIONS, check_names, is_numbered
from stategate.planner.trees.column_names import column_name
from stategate.planner.trees.nodes import Nodes, call, cast, kinds, position_of, put_query, strip

DESUGARED = kinds(exp.Exists, exp.Fetch, exp.TableSample, exp.Window)
"""Each such clause has a node of one of these types."""


def desugar_clauses(nodes: Nodes) -> None:
    """Replace such clauses, in place.

    Raises:
        InvalidSyntaxError: WITH TIES has no ORDER BY, or a sample is not of a relation (42601).
        NotSupportedError: WITH TIES of DISTINCT rows or a set operation, or a REPEATABLE sample.
        InvalidValueError: a sample is below 0 or above 100 percent (2202H).
    """
    for desugar in (write_out_windows, _desugar_exists, _desugar_fetches):
        if desugar(nodes):
            nodes.renew()
    for sample in nodes.of(exp.TableSample):
        _check_sample(sample)


def _desugar_exists(nodes: Nodes) -> bool:
    selects = [exists.this for exists in nodes.of(exp.Exists)]
    bare = [each for each in selects if isinstance(each, exp.Select) and not each.expressions]
    for select in bare:
        select.set("expressions", [exp.Literal.number(1)])
    return bool(bare)


def _desugar_fetches(nodes: Nodes) -> bool:
    found = False
    for fetch in reversed(nodes.of(exp.Fetch)):  # inner ones first: others hold copies of them
        options = fetch.args.get("limit_options")
        if options is not None and options.args.get("percent"):
            raise InvalidSyntaxError(
                'syntax error at or near "PERCENT"', position=position_of(fetch)
            )
        if options is not None and options.args.get("with_ties"):
            _desugar_ties(fetch)
            found = True
    return found


def _desugar_ties(fetch: exp.Expr) -> None:
    """Write WITH TIES as QUALIFY: `rank() <= n`, and `row_number() > m` for OFFSET m."""
    select = fetch.parent
    order = None if select is None else select.args.get("order")
    if order is None:
        raise InvalidSyntaxError(
            "WITH TIES cannot be specified without ORDER BY clause", position=position_of(fetch)
        )
    if not isinstance(select, exp.Select) or select.args.get("distinct"):
        raise NotSupportedError(
            "FETCH … WITH TIES of DISTINCT rows, or of a UNION, is not supported",
            hint="Put them into a subquery in FROM.",
            position=position_of(fetch),
        )
    given = fetch.args.get("count")
    _check_counts(select)
    if given is not None and isinstance(strip(given), exp.Null | exp.Neg):
        is_null = isinstance(strip(given), exp.Null)
        raise InvalidValueError(
            "row count cannot be null in FETCH FIRST ... WITH TIES clause"
            if is_null
            else "LIMIT must not be negative",
            position=position_of(given),
            sqlstate="2201W",
        )
    terms = [_without_position(select, term) for term in order.expressions]
    count: exp.Expr = cast((given or exp.Literal.number(1)).copy(), "BIGINT")
    if given is not None and not isinstance(strip(given), exp.Literal):
        count = call("coalesce", count, exp.Literal.number((1 << 63) - 1))
    offset = select.args.get("offset")
    last: exp.Expr = count.copy()
    if offset is not None:
        last = exp.Add(this=last, expression=exp.Paren(this=offset.expression.copy()))
    conditions: list[exp.Expr] = [
        exp.GT(this=count, expression=exp.Literal.number(0)),
        exp.LTE(this=_window("rank", terms), expression=exp.Paren(this=last)),
    ]
    if offset is not None:
        first = exp.Paren(this=offset.expression.copy())
        conditions.append(exp.GT(this=_window("row_number", terms), expression=first))
        select.set("offset", None)
    select.set("limit", None)
    select.set("qualify", exp.Qualify(this=exp.and_(*conditions)))


def _check_counts(select: exp.Select) -> None:
    """Refuse columns in the counts of WITH TIES; names are not resolved yet."""
    for clause in (select.args["limit"], select.args.get("offset")):
        column = None if clause is None else clause.find(exp.Column, exp.Identifier)
        if column is not None:
            raise NotSupportedError(
                "a column in the counts of FETCH … WITH TIES is not supported",
                hint="Number the rows in a subquery by rank(), and compare.",
                position=position_of(column),
            )


def _window(name: str, terms: Sequence[exp.Expr]) -> exp.Expr:
    order = exp.Order(expressions=[term.copy() for term in terms])
    return exp.Window(this=call(name), order=order)


def _without_position(select: exp.Select, term: exp.Expr) -> exp.Expr:
    """Return a term of ORDER BY with the expression that a position or a result name stands for."""
    fresh, bare = term.copy(), strip(term.this)
    items = select.expressions
    meant: exp.Expr | None = None
    if isinstance(bare, exp.Literal) and bare.name.isdigit():
        at = int(bare.name)
        if not 1 <= at <= len(items) or any(item.find(exp.Star) for item in items):
            raise NotSupportedError(
                "FETCH … WITH TIES after ORDER BY of a position is not supported here",
                hint="Order by the column's name.",
                position=position_of(term),
            )
        meant = items[at - 1].unalias()
    elif isinstance(bare, exp.Column) and not bare.table:
        named = (i for i in items if isinstance(i, exp.Alias) and i.alias == bare.name)
        meant = next((item.this for item in named), None)
    if meant is not None:
        fresh.set("this", meant.copy())
    return fresh


def _check_sample(sample: exp.Expr) -> None:
    method = sample.args.get("method")
    name = "" if method is None else method.name.lower()
    if name not in {"bernoulli", "system"}:
        raise InvalidValueError(f"tablesample method {name} does not exist", sqlstate="42704")
    if not isinstance(sample.parent, exp.Table):
        raise InvalidSyntaxError('syntax error at or near "TABLESAMPLE"')
    share = strip(sample.args.get("percent") or exp.null())
    if isinstance(share, exp.Null):
        raise InvalidValueError("TABLESAMPLE parameter cannot be null", sqlstate="2202H")
    if isinstance(share, exp.Neg) or not isinstance(share, exp.Literal) or share.is_string:
        raise NotSupportedError(
            "TABLESAMPLE requires its percentage as a literal", position=position_of(sample)
        )
    if not 0 <= float(share.name) <= 100:
        raise InvalidValueError(
            "sample percentage must be between 0 and 100",
            position=position_of(sample),
            sqlstate="2202H",
        )
    if sample.args.get("seed") is not None:
        raise NotSupportedError(
            "TABLESAMPLE … REPEATABLE is not supported",
            hint="Take a part by a hash: WHERE hash(key) % 100 < 5.",
            position=position_of(sample),
        )


OF_VALUES = "of_values"
"""Marks a query that stands for a function, whose rows are values."""
_MAY_RETURN_ROWS = kinds(exp.Unnest, exp.Anonymous)


def desugar_row_functions(nodes: Nodes) -> None:
    """Write `unnest(a, b)` and `regexp_matches(…)` as queries, in place."""
    if not nodes.has(_MAY_RETURN_ROWS):
        return
    for desugar in (_name_numbered, _desugar_unnests, _desugar_matches):
        if desugar(nodes):
            nodes.renew()


def drop_group_words(groups: Sequence[exp.Group]) -> None:
    """Read `GROUP BY DISTINCT a` as `GROUP BY a`: only grouping sets can be the same twice.

    Raises:
        NotSupportedError: there are grouping sets.
    """
    for group in groups:
        if group.args.get("all") is False:
            if group.find(exp.Cube, exp.Rollup, exp.GroupingSets) is not None:
                raise NotSupportedError(
                    "GROUP BY DISTINCT of grouping sets is not supported",
                    position=position_of(group),
                )
            group.set("all", None)


def desugar_value_functions(tables: Sequence[exp.Table]) -> bool:
    """Write functions that return one value as queries, in place; False if there are none.

    Raises:
        UnknownNameError: as `_desugar_value_function`.
    """
    return bool([table for table in tables if _desugar_value_function(table)])


def _desugar_value_function(table: exp.Table) -> bool:
    """Replace `f(x) AS alias` with `(SELECT f(x) AS alias)`, unless f returns rows.

    Without an alias, the item has the name of the function.

    Returns:
        Whether it was replaced.

    Raises:
        UnknownNameError: f is an aggregate or a window function (42883).
    """
    called = table.this
    if not isinstance(called, exp.Func) or isinstance(called, exp.Unnest):
        return False
    name = column_name(called)
    if name in TABLE_FUNCTIONS or isinstance(called, exp.GenerateSeries | exp.Explode):
        if isinstance(called, exp.Anonymous) and table.args.get("alias") is None:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(name, quoted=True)))
        return False
    if isinstance(called, exp.AggFunc):
        raise unknown_function(called, name, kind="table function")
    for inner in called.find_all(*MAY_AGGREGATE):
        if is_aggregate(inner) and inner.find_ancestor(exp.Query, exp.Table) is table:
            raise InvalidSyntaxError(
                "aggregate functions are not allowed in functions in FROM",
                position=position_of(inner),
                sqlstate="42803",
            )
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name, quoted=True))
    given = alias.columns
    column = given[0].copy() if given else alias.this.copy()
    parts = [*(table.args.get(part) for part in ("catalog", "db")), called]
    value, *rest = (part.copy() for part in parts if part is not None)
    for part in rest:
        value = exp.Dot(this=value, expression=part)
    items: list[exp.Expr] = [exp.Alias(this=value, alias=column)]
    if table.args.get("ordinality"):
        ordinal = given[1].copy() if len(given) > 1 else exp.to_identifier("ordinality")
        one = exp.Cast(this=exp.Literal.number(1), to=exp.DataType.build("bigint"))
        items.append(exp.Alias(this=one, alias=ordinal))
    query = exp.Select(expressions=items)
    query.meta[OF_VALUES] = len(items) == 1
    put_query(table, query, alias.copy())
    return True


def _name_numbered(nodes: Nodes) -> bool:
    """Name the column of `unnest(a) WITH ORDINALITY AS u`, which PostgreSQL calls u.

    DuckDB calls it `unnest`, and finds `u.u` only without ORDINALITY.
    """
    numbered = [n for n in nodes.of(exp.Unnest) if is_numbered(n) and len(n.expressions) == 1]
    bare = [item for item in numbered if not item.alias_column_names]
    for item in bare:
        alias = item.args.get("alias") or exp.TableAlias(this=exp.to_identifier("unnest"))
        alias.set("columns", [alias.this.copy()])
        item.set("alias", alias)
    return bool(bare)


def _desugar_unnests(nodes: Nodes) -> bool:
    several = [unnest for unnest in nodes.of(exp.Unnest) if len(unnest.expressions) > 1]
    for unnest in reversed(several):
        _desugar_unnest(unnest)
    return bool(several)


def _desugar_matches(nodes: Nodes) -> bool:
    items = sorted(nodes.of(exp.Table), key=lambda item: -item.depth)
    return bool([item for item in items if _desugar_rows(item)])


def _desugar_unnest(unnest: exp.Expr) -> None:
    """Write `unnest(a, b)` as a SELECT of both, side by side; the shorter one ends in NULLs."""
    arrays = unnest.expressions
    if any(isinstance(strip(array), exp.Tuple) for array in arrays):
        raise unknown_function(unnest, "unnest", "record")
    alias = unnest.args.get("alias") or exp.TableAlias(this=exp.to_identifier("unnest"))
    given = [column.name for column in alias.columns]
    ordinal = unnest.args.get("offset")
    check_names(unnest, len(arrays), len(given))
    names = [given[i] if i < len(given) else "unnest" for i in range(len(arrays))]
    items: list[exp.Expr] = [
        exp.alias_(exp.Explode(this=array.copy()), f"u{i}", quoted=True)
        for i, array in enumerate(arrays)
    ]
    if ordinal:
        longest = exp.Greatest(
            this=_length(arrays[0]), expressions=[_length(array) for array in arrays[1:]]
        )
        items.append(exp.alias_(exp.Explode(this=call("range", longest)), "n", quoted=True))
        names.append(ordinal.name if isinstance(ordinal, exp.Expr) else "ordinality")
    columns = [exp.to_identifier(name, quoted=True) for name in names]
    outer = exp.TableAlias(this=alias.this.copy(), columns=columns)
    if ordinal:
        inner = exp.select(*items)
        counted: list[exp.Expr] = [exp.column(f"u{i}", quoted=True) for i in range(len(arrays))]
        counted.append(exp.Add(this=exp.column("n", quoted=True), expression=exp.Literal.number(1)))
        query = exp.select(*counted).from_(inner.subquery("unnested"))
    else:
        query = exp.select(*items)
    put_query(unnest, query, outer)


def _desugar_rows(table: exp.Table) -> bool:
    """Write `regexp_matches(…)` as a SELECT; False for any other table."""
    function = table.this
    name = function.name.lower() if isinstance(function, exp.Anonymous) else ""
    if name not in ROW_FUNCTIONS or not function.expressions or table.args.get("ordinality"):
        return False
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    given = [column.copy() for column in alias.columns]
    names = [alias.name]
    query = exp.select(function.copy())
    columns_as = [*given, *(exp.to_identifier(n, quoted=True) for n in names[len(given) :])]
    outer = exp.TableAlias(this=alias.this.copy(), columns=columns_as)
    query.meta[OF_VALUES] = True
    put_query(table, query, outer)
    return True


def _length(array: exp.Expr) -> exp.Expr:
    return exp.Coalesce(
        this=cast(call("cardinality", array.copy()), "BIGINT"), expressions=[exp.Literal.number(0)]
    )
