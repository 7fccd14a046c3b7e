"""DuckDB's messages, and what PostgreSQL says instead."""

from __future__ import annotations

from stategate.planner.errors import (
    InvalidSyntaxError,
    InvalidValueError,
    MismatchedTypeError,
    NotSupportedError,
    QueryError,
    UnknownNameError,
)

_NUMBER = r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*"
_NOT_FINITE = r"(?i:\s*(?:nan|[+-]?inf(?:inity)?)\s*)"
MESSAGES: tuple[tuple[str, type[QueryError], str, str], ...] = (
    (
        r'Referenced column "(?P<name>[^"]+)"',
        UnknownNameError,
        'column "{name}" does not exist',
        "42703",
    ),
    (
        r'(?:Table|Values list) "(?P<table>[^"]+)" does not have a column named "(?P<name>[^"]+)"',
        UnknownNameError,
        "column {table}.{name} does not exist",
        "42703",
    ),
    (
        r'Referenced table "(?P<name>[^"]+)" not found',
        UnknownNameError,
        'missing FROM-clause entry for table "{name}"',
        "42P01",
    ),
    (
        r'Ambiguous reference to column name "(?P<name>[^"]+)"',
        UnknownNameError,
        'column reference "{name}" is ambiguous',
        "42702",
    ),
    (
        r"(?:Function|Macro Function) with name (?P<name>\S+) does not exist",
        UnknownNameError,
        "function {name}() does not exist",
        "42883",
    ),
    (
        r"Macro (?:pg_sg_(?:cat_)?)?(?P<name>\w+)\(\) does not support the supplied arguments",
        UnknownNameError,
        "function {name}() does not exist",
        "42883",
    ),
    (
        r"No function matches the given name and argument types '(?P<name>[^']+)'",
        UnknownNameError,
        "function {name} does not exist",
        "42883",
    ),
    (
        r"Type with name (?P<name>\S+) does not exist",
        UnknownNameError,
        'type "{name}" does not exist',
        "42704",
    ),
    (
        r"Overflow in \w+ of (?P<type>INT(?:16|32|64)) (?P<name>\()",
        InvalidValueError,
        "{type} out of range",
        "22003",
    ),
    (
        r"Malformed JSON (?P<name>at byte \d+) of input",
        InvalidValueError,
        "invalid input syntax for type json",
        "22P02",
    ),
    (
        r'column "(?P<name>[^"]+)" must appear in the GROUP BY clause',
        InvalidSyntaxError,
        'column "{name}" must appear in the GROUP BY clause or be used in an aggregate function',
        "42803",
    ),
    (
        r"(?P<name>WHERE|HAVING|GROUP BY|JOIN) clause cannot contain aggregate",
        InvalidSyntaxError,
        "aggregate functions are not allowed in {name}",
        "42803",
    ),
    (
        r"aggregate function calls cannot be (?P<name>nested)",
        InvalidSyntaxError,
        "aggregate function calls cannot be nested",
        "42803",
    ),
    (
        r"[Aa]rgument for (?P<name>ntile) must be greater than zero",
        InvalidValueError,
        "argument of ntile must be greater than zero",
        "22014",
    ),
    (
        r"Could not convert string '(?P<name>.*)' to INTERVAL",
        InvalidValueError,
        'invalid input syntax for type interval: "{name}"',
        "22007",
    ),
    (
        rf"Could not convert string ['\"](?P<name>{_NUMBER})['\"] to DECIMAL",
        InvalidValueError,
        "numeric field overflow",
        "22003",
    ),
    (
        rf"Could not convert string ['\"](?P<name>{_NOT_FINITE})['\"] to DECIMAL",
        NotSupportedError,
        'value "{name}" is not held by type numeric',
        "0A000",
    ),
    (
        r"Could not convert string '(?P<name>\s*[+-]?\d+\s*)' to (?P<type>INT\d+)",
        InvalidValueError,
        'value "{name}" is out of range for type {type}',
        "22003",
    ),
    (
        r"Could not convert string '(?P<name>.*)' to (?P<type>[A-Z][A-Z0-9() ,]*)",
        InvalidValueError,
        'invalid input syntax for type {type}: "{name}"',
        "22P02",
    ),
    (
        r"(?:Could not cast|Casting) value \"?(?P<name>[^\s\"]+)\"? to (?:type )?DECIMAL",
        InvalidValueError,
        "numeric field overflow",
        "22003",
    ),
    (
        r"(?P<what>Date|Time) out of range: (?P<name>\S+)",
        InvalidValueError,
        'date/time field value out of range: "{name}"',
        "22008",
    ),
    (
        r"while executing the UDF: (?P<name>OverflowError)",
        InvalidValueError,
        "timestamp out of range",
        "22008",
    ),
    (
        r"More than one row returned by a (?P<name>subquery)",
        InvalidValueError,
        "more than one row returned by a subquery used as an expression",
        "21000",
    ),
    (
        r"cannot take (?P<what>square root) of a (?P<name>negative) number",
        InvalidValueError,
        "cannot take square root of a negative number",
        "2201F",
    ),
    (
        r"cannot take logarithm of (?P<name>zero|a negative number)",
        InvalidValueError,
        "cannot take logarithm of {name}",
        "2201E",
    ),
    (
        r"(?P<name>missing \)|missing \]|unexpected \)|invalid escape sequence|"
        r"bad repetition operator|no argument for repetition operator|"
        r"invalid character class range|invalid perl operator)",
        InvalidValueError,
        "invalid regular expression: {name}",
        "2201B",
    ),
    (
        r"Invalid (?P<name>escape string)\. Escape string must be empty or one character",
        InvalidValueError,
        "invalid escape string",
        "22025",
    ),
    (
        r"Like pattern must not end with (?P<name>escape character)",
        InvalidValueError,
        "LIKE pattern must not end with escape character",
        "22025",
    ),
    (
        r"aggregate function calls cannot contain (?P<name>window) function calls",
        InvalidSyntaxError,
        "aggregate function calls cannot contain window function calls",
        "42803",
    ),
    (
        r"invalid (?P<what>timestamp|date|time|interval) field format: \"(?P<name>[^\"]*)\"",
        InvalidValueError,
        'invalid input syntax for type {what}: "{name}"',
        "22007",
    ),
    (
        r"(?:timestamp|date|time) field value out of range: \"(?P<name>[^\"]*)\"",
        InvalidValueError,
        'date/time field value out of range: "{name}"',
        "22008",
    ),
    (
        r"with value (?P<name>\S+) can't be cast because the value is out of range for the "
        r"destination type (?P<type>[A-Z][A-Z0-9() ,]*)",
        InvalidValueError,
        'value "{name}" is out of range for type {type}',
        "22003",
    ),
    (
        r"Failed to cast decimal value (?P<name>\S+) to type (?P<type>[A-Z][A-Z0-9]*)",
        InvalidValueError,
        "{type} out of range",
        "22003",
    ),
    (
        r"(?P<name>ACOS|ASIN) is undefined outside",
        InvalidValueError,
        "input is out of range",
        "22003",
    ),
    (
        r"(?P<name>Epoch seconds) out of range",
        InvalidValueError,
        "timestamp out of range",
        "22008",
    ),
    (
        r'[Ee]xtract specifier "(?P<name>[^"]*)" not recognized',
        InvalidValueError,
        'unit "{name}" not recognized',
        "22023",
    ),
    (
        r"Unknown TimeZone '(?P<name>[^']*)'",
        InvalidValueError,
        'time zone "{name}" not recognized',
        "22023",
    ),
    (
        r"Overflow in (?P<name>multiplication|addition|subtraction) of INTERVAL",
        InvalidValueError,
        "interval out of range",
        "22008",
    ),
    (
        r"Set operations can only apply to expressions with the same number of (?P<name>result)",
        InvalidSyntaxError,
        "each side of a set operation must have the same number of columns",
        "42601",
    ),
    (
        r"(?P<what>ORDER|GROUP) (?:BY )?term (?P<name>out of range)",
        InvalidSyntaxError,
        "{what} BY position is not in select list",
        "42P10",
    ),
    (
        r"PERCENTILEs can only take parameters in the (?P<name>range)",
        InvalidValueError,
        "percentile value is not between 0 and 1",
        "22003",
    ),
    (
        r"The \"(?P<name>quantile)\" argument in function .* must be a constant",
        NotSupportedError,
        "a fraction of percentiles that depends on the rows is not supported",
        "0A000",
    ),
    (
        r"(?P<name>GROUPING) statement cannot be used without groups",
        InvalidSyntaxError,
        "arguments to GROUPING must be grouping expressions of the associated query level",
        "42803",
    ),
    (
        r"(?P<name>\w+) not supported here",
        NotSupportedError,
        "set-returning functions are not allowed here",
        "0A000",
    ),
    (
        r"interval cannot be (?P<name>0)!",
        InvalidValueError,
        "step size cannot equal zero",
        "22023",
    ),
    (
        r"Window (?P<name>\w+).* expressions? cannot be NULL",
        InvalidValueError,
        "frame offset must not be null",
        "22004",
    ),
    (
        r"Window (?P<name>\w+ \w+) expression cannot be negative",
        InvalidValueError,
        "frame offset must not be negative",
        "22013",
    ),
    (
        r"Invalid (?P<name>RANGE|GROUPS) (?:PRECEDING|FOLLOWING) value",
        InvalidValueError,
        "invalid preceding or following size in window function",
        "22013",
    ),
    (
        r"RANGE with (?P<name>infinite) bounds is not supported",
        NotSupportedError,
        "a series from or to infinity is not supported",
        "0A000",
    ),
    (
        r"[Cc]annot subtract (?P<name>infinite) timestamps",
        InvalidValueError,
        "cannot subtract infinite timestamps",
        "22008",
    ),
    (
        r"Could not choose a best candidate function for the function call \"(?P<name>[^\"]+)\"",
        MismatchedTypeError,
        "{name} is not unique",
        "42725",
    ),
    (
        r"[Cc]annot (?P<name>compare) values of type (?P<type>.+) and (?:values of )?(?:type )?"
        r"(?P<other>\S[^-]*?)(?: in IN/ANY/ALL clause)? -",
        MismatchedTypeError,
        "operator does not exist: {type} = {other}",
        "42883",
    ),
    (
        r"[Ss](?P<name>ubquery) in LIMIT/OFFSET not supported in set operation",
        NotSupportedError,
        "a subquery in LIMIT or OFFSET of a set operation is not supported",
        "0A000",
    ),
    (
        r"LIMIT/OFFSET cannot be (?P<name>negative)",
        InvalidValueError,
        "LIMIT and OFFSET must not be negative",
        "2201W",
    ),
)
"""DuckDB's message → error class, message and SQLSTATE. The group `name` has the position."""
