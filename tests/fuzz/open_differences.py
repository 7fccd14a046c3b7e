"""What is known to be wrong, and so is left out of the short form that `make test` runs.

Each entry names a feature of the grammar, or a form of `tests.fuzz.expressions` by its text, and
says what is wrong with it. An entry goes when the defect does. `make fuzz` leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Mapping

OPEN: Mapping[str, str] = {
    "(@ {integer})": "the operator @ does not exist",
    "(~ {integer})": "sum and avg of it have another type",
    "({integer} & {integer})": "the same",
    "({integer} | {integer})": "the same",
    "({integer} # {integer})": "the same",
    "({integer} << 2)": "negative numbers are not shifted",
    "({integer} >> 1)": "pg_typeof of it and a numeric is DuckDB's name",
    "({integer} / {'small})": "of two constants it is a bigint",
    "gcd({integer}, {integer})": "it is a bigint",
    "bit_count({bytea})": "it does not exist",
    "({bigint[]})[{integer}]": "negative subscripts count from the end; array literals have none",
    "({bigint[]})[1]": "the same, of an array literal",
    "({bigint[]})[1:1]": "the same",
    "({bigint[]} @> {bigint[]})": "NULL elements are contained",
    "({bigint[]} <@ {bigint[]})": "the same",
    "({bigint[]} || {bigint[]})": "NULL || array is NULL",
    "array_cat({bigint[]}, {bigint[]})": "the same",
    "substr({text}, {integer})": "from NULL it is not NULL",
    "initcap({text})": "of ß it is ẞ",
    "extract(millisecond FROM {timestamp})": "59.999999 seconds are 60000",
    "to_char({integer}, 'S999')": "the sign stands at the left end",
    "make_interval(days => abs({'small}))": "named arguments are not evaluated",
    "pg_typeof({integer} + {numeric})::text": "parameters in it are counted, then forgotten",
    "uuid": "a uuid that is computed is a text in comparisons, CASE and UNION",
    "interval 0": "a parameter '0' is no interval",
    "percentile_cont": "of NaN and infinities",
    "make_date(2021, {integer}, 29)": "22P02 for 22008",
    "decode({text}, 'hex')": "an odd number of digits is taken; other letters give XX000",
    "{text}::interval": "22P02 for 22007",
    "string_agg distinct": "with parameters the ORDER BY is not seen to be the argument: 42804",
    "star": "beside a LATERAL join uuid and json are described as text",
    "age({'timestamp}, {'timestamp})": "least(age(…), …) takes the greater interval",
    "upper({text})": "of ß it is ẞ",
    "to_char({timestamp}, 'YYYY-MM-DD HH24:MI:SS.US')": "a year before 1000 has not four digits",
    "{numeric}::numeric(4,1)": "22P02 for 22003",
    "lateral": "a LATERAL subquery that names a column of the outer one: 42804",
    "({numeric} + {numeric})": "a numeric parameter has 16 digits, and the sum of a sum overflows",
    "({smallint} + {integer})": "of two constants it is a smallint",
    "window": "ordered by repeat(…) and other calls of our own: 42804, they are taken for volatile",
    "aggregate order": "string_agg('a', ',' ORDER BY 'a') and others ordered by a constant: 42804",
    "names": "the name of + a is that of a",
}
