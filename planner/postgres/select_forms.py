"""Forms of SELECT that the composing database lacks, spelled in those that it has.

`EXISTS (SELECT FROM …)`, `FETCH … WITH TIES`, `unnest` of several arrays in FROM, and the checks of
TABLESAMPLE.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.errors import InvalidSyntaxError, InvalidValueError, NotSupportedError
from planner.trees.node_index import Nodes, kinds
from planner.trees.nodes import call, cast, position_of, strip

FORMS = kinds(exp.Exists, exp.Fetch, exp.Unnest, exp.TableSample, exp.Anonymous)
"""Nodes of which one is in every such form."""


def spell_selects(nodes: Nodes) -> None:
    """Replace such forms, in place.

    Raises:
        InvalidSyntaxError: WITH TIES without ORDER BY, or a sample of what is no relation (42601).
        NotSupportedError: WITH TIES of what is DISTINCT or a set operation, REPEATABLE samples.
        InvalidValueError: a sample of less than nothing or more than all (2202H).
    """
    for spell in (_spell_exists, _spell_fetches, _spell_unnests, _spell_functions):
        if spell(nodes):
            nodes.renew()
    for sample in nodes.of(exp.TableSample):
        _check_sample(sample)


def _spell_exists(nodes: Nodes) -> bool:
    selects = [exists.this for exists in nodes.of(exp.Exists)]
    bare = [each for each in selects if isinstance(each, exp.Select) and not each.expressions]
    for select in bare:
        select.set("expressions", [exp.Literal.number(1)])
    return bool(bare)


def _spell_fetches(nodes: Nodes) -> bool:
    found = False
    for fetch in reversed(nodes.of(exp.Fetch)):  # inner ones first: others hold copies of them
        options = fetch.args.get("limit_options")
        if options is not None and options.args.get("percent"):
            raise InvalidSyntaxError(
                'syntax error at or near "PERCENT"', position=position_of(fetch)
            )
        if options is not None and options.args.get("with_ties"):
            _spell_ties(fetch)
            found = True
    return found


def _spell_unnests(nodes: Nodes) -> bool:
    several = [unnest for unnest in nodes.of(exp.Unnest) if len(unnest.expressions) > 1]
    for unnest in reversed(several):
        _spell_unnest(unnest)
    return bool(several)


def _spell_functions(nodes: Nodes) -> bool:
    items = sorted((*nodes.of(exp.Table), *nodes.of(exp.Lateral)), key=lambda item: -item.depth)
    return bool([item for item in items if _spell_rows(item)])


def _spell_ties(fetch: exp.Expr) -> None:
    """The rows whose rank is among the first n: `rank() <= n`, and `row_number()` for OFFSET."""
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
    count = cast((fetch.args.get("count") or exp.Literal.number(1)).copy(), "BIGINT")
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


def _window(name: str, terms: Sequence[exp.Expr]) -> exp.Expr:
    order = exp.Order(expressions=[term.copy() for term in terms])
    return exp.Window(this=call(name), order=order)


def _without_position(select: exp.Select, term: exp.Expr) -> exp.Expr:
    """A term of ORDER BY in which no column is meant by its place or its name in the result."""
    fresh, bare = term.copy(), strip(term.this)
    items = select.expressions
    meant: exp.Expr | None = None
    if isinstance(bare, exp.Literal) and bare.name.isdigit():
        at = int(bare.name)
        if not 1 <= at <= len(items) or any(item.find(exp.Star) for item in items):
            raise NotSupportedError(
                "FETCH … WITH TIES behind ORDER BY of a position is not supported here",
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


def _spell_unnest(unnest: exp.Expr) -> None:
    """`unnest(a, b)` in FROM as a SELECT of both, side by side; the shorter ends in NULLs."""
    arrays = unnest.expressions
    alias = unnest.args.get("alias") or exp.TableAlias(this=exp.to_identifier("unnest"))
    given = [column.name for column in alias.columns]
    ordinal = unnest.args.get("offset")
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
    if any(array.find(exp.Column) for array in arrays):
        unnest.replace(exp.Lateral(this=exp.Subquery(this=query), alias=outer))
    else:
        unnest.replace(exp.Subquery(this=query, alias=outer))


ROW_FUNCTIONS = frozenset(f"json{b}_each{text}" for b in ("", "b") for text in ("", "_text")) | {
    "regexp_matches"
}
"""Functions that may stand in FROM because a SELECT says the same."""


def _spell_rows(table: exp.Expr) -> bool:
    """`jsonb_each(x)` and `regexp_matches(…)` in FROM, as a SELECT; whether it was one."""
    function = table.this
    name = function.name.lower() if isinstance(function, exp.Anonymous) else ""
    if name not in ROW_FUNCTIONS or not function.expressions or table.args.get("ordinality"):
        return False
    alias = table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(name))
    given = [column.copy() for column in alias.columns]
    if name == "regexp_matches":
        names = [alias.name]
        query = exp.select(function.copy())
    else:
        names, whole = ["key", "value"], function.expressions[0]
        path = "jsonb_extract_path_text" if name.endswith("_text") else "jsonb_extract_path"
        columns = [exp.column(each, quoted=True) for each in ("whole", "key")]
        inner = exp.select(
            exp.alias_(cast(whole.copy(), "JSON"), "whole", quoted=True),
            exp.alias_(call("json_object_keys", cast(whole.copy(), "JSON")), "key", quoted=True),
        )
        query = exp.select(columns[1].copy(), call(path, *columns)).from_(inner.subquery("each"))
    columns_as = [*given, *(exp.to_identifier(n, quoted=True) for n in names[len(given) :])]
    outer = exp.TableAlias(this=alias.this.copy(), columns=columns_as)
    subquery = exp.Subquery(this=query)
    if isinstance(table, exp.Table) and not function.find(exp.Column):
        subquery.set("alias", outer)
        table.replace(subquery)
    else:
        table.replace(exp.Lateral(this=subquery, alias=outer))
    return True


def _length(array: exp.Expr) -> exp.Expr:
    return exp.Coalesce(
        this=cast(call("cardinality", array.copy()), "BIGINT"), expressions=[exp.Literal.number(0)]
    )


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
            "TABLESAMPLE takes a number that is written out", position=position_of(sample)
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
