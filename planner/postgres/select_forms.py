"""Clauses of SELECT that DuckDB lacks, written in clauses that it has.

They are `EXISTS (SELECT FROM …)` and `FETCH … WITH TIES`. TABLESAMPLE is checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from planner.errors import InvalidSyntaxError, InvalidValueError, NotSupportedError
from planner.trees.node_index import Nodes, kinds
from planner.trees.nodes import call, cast, position_of, strip

FORMS = kinds(exp.Exists, exp.Fetch, exp.TableSample)
"""Nodes of these types are in all such clauses."""


def spell_selects(nodes: Nodes) -> None:
    """Replace such clauses, in place.

    Raises:
        InvalidSyntaxError: WITH TIES has no ORDER BY, or a sample is not of a relation (42601).
        NotSupportedError: WITH TIES of DISTINCT rows or a set operation, or a REPEATABLE sample.
        InvalidValueError: a sample is below 0 or above 100 percent (2202H).
    """
    for spell in (_spell_exists, _spell_fetches):
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


def _spell_ties(fetch: exp.Expr) -> None:
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
