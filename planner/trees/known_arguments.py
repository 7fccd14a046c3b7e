"""The nodes of sqlglot's trees that the planner reads, with the arguments that it reads.

A new release of sqlglot can move a meaning from a node to an argument: NOT LIKE became LIKE with
`negate`. Code that ignores the argument reads the opposite. So the planner does not read a node
whose type or argument is not listed here. It lets DuckDB evaluate such a condition, and refuses
such a clause, or a node that a rule would rewrite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from sqlglot import exp

from stategate.planner.errors import InvalidSyntaxError, NotSupportedError
from stategate.planner.trees.checkpoints import checkpoint
from stategate.planner.trees.nodes import Nodes, position_of, strip

UNREAD = exp.Expression()
"""The node that readers see in place of one with arguments that the planner does not know.

No reader knows its type.
"""

_BINARY = (
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ),
    *(exp.And, exp.Or, exp.Add, exp.Sub, exp.Mul, exp.Mod, exp.IntDiv, exp.Collate, exp.Escape),
    *(exp.StartsWith, exp.SimilarTo, exp.Nullif, exp.Filter, exp.WithinGroup, exp.Extract),
    *(
        exp.ArrayContainsAll,
        exp.ArrayContainedBy,
        exp.ArrayOverlaps,
        exp.JSONBContains,
        exp.JSONBContainsTopKey,
        exp.JSONBContainsAnyTopKeys,
        exp.JSONBPathExists,
        exp.JSONBContainsAllTopKeys,
    ),
    *(exp.JSONBExtract, exp.JSONBExtractScalar, exp.Pow, exp.ArraySize, exp.Dot),
    *(exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor),
    exp.Overlaps,
    exp.JSONBDeleteAtPath,
    *(exp.Corr, exp.RegrSlope, exp.RegrIntercept, exp.RegrR2),
)
_UNARY = (
    *(exp.Not, exp.Neg, exp.Paren, exp.Any, exp.All, exp.Boolean, exp.Parameter, exp.From),
    *(
        exp.Where,
        exp.Having,
        exp.Abs,
        exp.Exp,
        exp.Avg,
        exp.Sum,
        exp.Sign,
        exp.Factorial,
        exp.Ascii,
    ),
    *(exp.BitwiseNot, exp.Sqrt, exp.Cbrt, exp.Uuid, exp.Acosh, exp.Atanh, exp.Cot, exp.Degrees),
    *(exp.BitLength, exp.Length, exp.Ntile, exp.Lower, exp.Upper, exp.Stddev, exp.Variance),
    *(
        exp.VariancePop,
        exp.StddevPop,
        exp.LogicalAnd,
        exp.LogicalOr,
        exp.CurrentTimestamp,
        exp.Localtimestamp,
    ),
    *(exp.Qualify, exp.JustifyDays, exp.JustifyHours, exp.JustifyInterval),
    *(exp.CurrentTime, exp.Localtime, exp.CurrentDate, exp.Initcap, exp.ArrayAgg),
)
_LISTS = (*(exp.Tuple, exp.Cube, exp.Rollup, exp.GroupingSets, exp.Grouping, exp.Chr),)
_OF_SETS = "with_ this expression distinct order limit offset"

_ARGUMENTS: dict[type[exp.Expr], str] = {
    **dict.fromkeys(_BINARY, "this expression"),
    **dict.fromkeys(_UNARY, "this"),
    **dict.fromkeys(_LISTS, "expressions"),
    # Conditions and values.
    **dict.fromkeys((exp.Like, exp.ILike, exp.Is), "this expression negate"),
    **dict.fromkeys((exp.RegexpLike, exp.RegexpILike), "this expression flag"),
    exp.Between: "this low high symmetric",
    exp.In: "this expressions query",
    exp.Exists: "this",
    exp.MatchAgainst: "this expressions modifier",
    exp.Column: "this table",
    exp.Star: "except_ replace rename",
    exp.Identifier: "this quoted",
    exp.Alias: "this alias",
    exp.Literal: "this is_string",
    exp.Null: "",
    exp.Interval: "this unit fraction_in_string",
    exp.IntervalSpan: "this expression",
    exp.Var: "this",
    exp.Array: "expressions bracket_notation value_constructor",
    exp.Bracket: "this expressions offset",
    exp.Slice: "this expression step",
    exp.Case: "this ifs default",
    exp.If: "this true false",
    exp.Cast: "this to",
    exp.DataType: "this expressions nested kind values",
    exp.DataTypeParam: "this",
    exp.ObjectIdentifier: "this",
    exp.Div: "this expression typed safe",
    exp.DPipe: "this expression safe",
    **dict.fromkeys((exp.BitwiseLeftShift, exp.BitwiseRightShift), "this expression"),
    exp.JSONExtract: "this expression only_json_types",
    exp.JSONExtractScalar: "this expression only_json_types",
    exp.AtTimeZone: "this zone",
    exp.Operator: "this operator expression",
    # Calls, of which rules have arguments by name or by place.
    exp.Anonymous: "this expressions",
    exp.Coalesce: "this expressions",
    **dict.fromkeys((exp.Greatest, exp.Least), "this expressions ignore_nulls"),
    **dict.fromkeys((exp.Min, exp.Max, exp.Format), "this expressions"),
    **dict.fromkeys((exp.Concat, exp.ConcatWs), "expressions safe coalesce"),
    exp.Count: "this expressions big_int",
    **dict.fromkeys((exp.Ceil, exp.Floor), "this decimals"),
    **dict.fromkeys((exp.Round, exp.Trunc), "this decimals"),
    **dict.fromkeys((exp.Lag, exp.Lead), "this offset default"),
    exp.TimestampFromParts: "year month day hour min sec",
    **dict.fromkeys((exp.Left, exp.Right), "this expression"),
    exp.Repeat: "this times",
    exp.Replace: "this expression replacement",
    exp.Pad: "this expression fill_pattern is_left",
    exp.Trim: "this expression position",
    exp.Overlay: "this expression from_ for_",
    exp.StrPosition: "this substr",
    exp.GroupConcat: "this separator",
    exp.ArrayPosition: "this expression",
    **dict.fromkeys((exp.GenerateSeries, exp.ExplodingGenerateSeries), "start end step"),
    exp.Unnest: "expressions alias offset",
    exp.Explode: "this expressions",
    # Clauses.
    exp.Select: "with_ expressions hint distinct into from_ joins where group "
    "having qualify windows order limit offset locks",
    exp.Subquery: "with_ this alias joins order limit offset",
    **dict.fromkeys((exp.Union, exp.Except, exp.Intersect), _OF_SETS),
    exp.With: "expressions recursive",
    exp.CTE: "this alias materialized",
    exp.TableAlias: "this columns",
    exp.Table: "this alias db catalog joins version ordinality only sample",
    exp.TableSample: "method percent seed",
    exp.Version: "this kind expression",
    exp.Lateral: "this alias",
    exp.Values: "expressions alias",
    exp.Join: "this on side kind using method",
    exp.Group: "expressions grouping_sets cube rollup",
    exp.Order: "this expressions",
    exp.Ordered: "this desc nulls_first",
    exp.Distinct: "expressions on",
    exp.Limit: "expression",
    exp.Offset: "expression",
    exp.Fetch: "direction count limit_options",
    exp.LimitOptions: "percent rows with_ties",
    exp.NthValue: "this offset",
    exp.Window: "this partition_by order spec alias over",
    exp.WindowSpec: "kind start start_side end end_side exclude",
}
ARGUMENTS: Mapping[type[exp.Expr], frozenset[str]] = {
    kind: frozenset(names.split()) for kind, names in _ARGUMENTS.items()
}
"""The arguments that are read, by type. Others may be present if they are None, false or empty."""
_CLAUSES = frozenset(kind for kind in ARGUMENTS if not issubclass(kind, exp.Condition))
_CLAUSES_ALL = tuple(_CLAUSES)
"""The listed types, in the form that `issubclass` takes."""

_JOINS = {"", "INNER", "OUTER", "CROSS", "NATURAL"}
"""The words of a join, apart from LEFT, RIGHT and FULL."""


def is_known(node: exp.Expr) -> bool:
    """Whether the planner knows a node's type and all its arguments; inner nodes do not count."""
    names = ARGUMENTS.get(type(node))
    return names is not None and (node.args.keys() <= names or not _unknown_arguments(node, names))


def _unknown_arguments(node: exp.Expr, names: frozenset[str]) -> list[str]:
    return [name for name, value in node.args.items() if value and name not in names]


def known_node(node: exp.Expr) -> exp.Expr:
    """Return a node without the parentheses around it, or `UNREAD` if it is not known.

    All code that reads a condition calls this first.
    """
    checkpoint()
    bare = strip(node)
    while node is not bare:
        if not is_known(node):
            return UNREAD
        node = node.this
    # The check of `is_known`, without a call in most cases: this runs for each value of an IN.
    names = ARGUMENTS.get(type(bare))
    plain = names is not None and bare.args.keys() <= names
    return bare if plain or is_known(bare) else UNREAD


def check_known(node: exp.Expr) -> None:
    """Refuse to rewrite a node that the planner does not know.

    Raises:
        NotSupportedError: it is not known (0A000).
    """
    if not is_known(node):
        raise _not_supported(node)


def check_clauses(nodes: Nodes) -> None:
    """Refuse clauses that the planner does not know; conditions may stay with DuckDB.

    Raises:
        NotSupportedError: a clause is not known (0A000).
        InvalidSyntaxError: a clause is SQL of other databases (42601).
    """
    for kind in nodes.types:
        names = ARGUMENTS.get(kind)
        if kind in _CLAUSES:
            assert names is not None
            for node in nodes.of(kind):
                if not node.args.keys() <= names and _unknown_arguments(node, names):
                    raise _not_supported(node)
        elif names is None and issubclass(kind, _CLAUSES_ALL):
            raise _not_supported(nodes.of(kind)[0])
    for join in nodes.of(exp.Join):
        if {join.kind.upper(), join.method.upper()} - _JOINS:
            word = f"{join.method} {join.kind}".strip().upper()
            raise NotSupportedError(f"{word} JOIN is not supported", position=position_of(join))


def _not_supported(node: exp.Expr) -> NotSupportedError | InvalidSyntaxError:
    found = _unknown_arguments(node, ARGUMENTS.get(type(node), frozenset()))
    position = position_of(node)
    if type(node) is exp.Limit:
        return InvalidSyntaxError("syntax error: LIMIT takes a number of rows", position=position)
    word = " ".join(re.findall("[A-Z]+[a-z]*", type(node).__name__)).upper()
    if found and type(node) in ARGUMENTS:
        word = f"{word} with {found[0].strip('_').replace('_', ' ').upper()}"
    return NotSupportedError(f"{word} is not supported", position=position)


def conjuncts(node: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that a nested AND joins."""
    return _parts(node, exp.And)


def disjuncts(node: exp.Expr) -> list[exp.Expr]:
    """Return the conditions that a nested OR joins."""
    return _parts(node, exp.Or)


def _parts(node: exp.Expr, kind: type[exp.Expr]) -> list[exp.Expr]:
    found: list[exp.Expr] = []
    left = [node]  # no recursion: programs write thousands of parts
    while left:
        checkpoint()
        part = known_node(left.pop())
        if isinstance(part, kind):
            left += (part.expression, part.this)
        else:
            found.append(part)
    return found
