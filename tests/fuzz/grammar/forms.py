"""Forms of expressions: a table by type, each line a form with typed places.

`{integer}` is a place for an expression, `{'text}` one for a constant. A form may name a feature,
so that a run can leave it out. Forms that may fail for some rows (a division, a cast of a text) are
listed apart: SQL does not say which expressions are evaluated, so they are used only where all are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tests.fuzz.grammar.vocabulary import RISKY_TEXTS

_PLACE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Form:
    """One way to make an expression of a type."""

    text: str
    parts: tuple[str, ...]
    """Texts and places, alternating."""
    feature: str = ""

    def is_in(self, names: frozenset[str]) -> bool:
        """Whether the set names this form or its feature."""
        return self.feature in names or self.text in names


def forms(text: str, feature: str = "") -> tuple[Form, ...]:
    """Return the forms of some lines."""
    lines = [line.strip() for line in text.strip().split("\n")]
    return tuple(Form(line, tuple(_PLACE.split(line)), feature) for line in lines if line)


_COMPARED = (
    """
    integer|smallint|bigint|numeric|double precision|real|text|date|timestamp|timestamptz|uuid
    |bytea|boolean|bigint[]|jsonb|interval|time|text[]
""".replace("\n    ", "")
    .strip()
    .split("|")
)
_OPERATORS = ("=", "<>", "!=", "<", "<=", ">", ">=")
_TESTS = ("IS NULL", "IS NOT NULL", "ISNULL", "NOTNULL")


def _comparisons() -> tuple[Form, ...]:
    lines: list[str] = []
    for name in _COMPARED:
        place = "{" + name + "}"
        lines += [f"({place} {operator} {place})" for operator in _OPERATORS]
        lines += [f"({place} {test})" for test in _TESTS]
        for word in ("", "NOT "):
            lines += [
                f"({place} {word}BETWEEN {place} AND {place})",
                f"({place} {word}BETWEEN SYMMETRIC {place} AND {place})",
                f"({place} {word}IN ({place}, {place}))",
                f"({place} IS {word}DISTINCT FROM {place})",
            ]
        if name.endswith("[]"):
            continue
        lines += [
            f"({place} = ANY (ARRAY[{place}, {place}]))",
            f"({place} <> ALL (ARRAY[{place}, {place}]))",
            f"({place} <= SOME (ARRAY[{place}, NULL]))",
        ]
    return forms("\n".join(lines))


_BOOLEAN = """
({boolean} AND {boolean})
({boolean} OR {boolean})
(NOT {boolean})
({boolean} IS TRUE)
({boolean} IS NOT TRUE)
({boolean} IS FALSE)
({boolean} IS NOT FALSE)
({boolean} IS UNKNOWN)
({boolean} IS NOT UNKNOWN)
starts_with({text}, {text})
(({integer}, {text}) = ({integer}, {text}))
(({integer}, {text}) <> ({integer}, {text}))
({integer} OPERATOR(pg_catalog.>=) {integer})
(({integer}, {date}) < ({integer}, {date}))
(({integer}, {integer}) >= ({integer}, {integer}))
(({integer}, {text}) IS NOT DISTINCT FROM ({integer}, {text}))
({jsonb} @> {jsonb})
({jsonb} <@ {jsonb})
({jsonb} ? 'a')
({jsonb} ?| ARRAY['a', {text}])
({bigint[]} @> {bigint[]})
({bigint[]} <@ {bigint[]})
({bigint[]} && {bigint[]})
({bigint} = ANY ({bigint[]}))
({bigint} = ANY ({bigint[][]}))
({bigint} > ALL ({bigint[][]}))
({bigint[][]} = {bigint[][]})
({bigint[][]} < {bigint[][]})
({bigint[][]} @> {bigint[]})
({bigint[][]} && {bigint[][]})
({integer} <> ALL ({bigint[]}))
({bigint} >= SOME ({bigint[]}))
({numeric} < ALL ({bigint[]}))
isfinite({timestamp})
(now() > {'timestamp}::timestamptz)
(current_date >= {'date})
(gen_random_uuid() IS NOT NULL)
(random() BETWEEN 0 AND 1)
(CURRENT_TIMESTAMP = now())
(localtimestamp IS NOT NULL)
(current_time IS NULL)
(clock_timestamp() IS NULL)
(statement_timestamp() >= transaction_timestamp())
({text} = ANY ({text[]}))
({text[]} && {text[]})
({text[]} @> ARRAY[{text}])
({jsonb} @? {'path})
({jsonb} @@ {'path})
(({timestamp}, {interval}) OVERLAPS ({timestamp}, {interval}))
({real} = {numeric})
({real} <> {double precision})
({integer} >= {real})
({double precision} < {numeric})
({bigint} > {numeric})
({smallint} = {bigint})
({numeric} BETWEEN {integer} AND {real})
({bigint} IS DISTINCT FROM {double precision})
({real} IN ({numeric}))
({real} IN ({integer}, 0.5))
({integer} = ANY (ARRAY[{numeric}, 1]))
"""
_ROWS_NULL = """
(ROW({integer}, {text}) IS NULL)
(ROW({integer}, {text}) IS NOT NULL)
"""
_ROWS_IN = """
(({integer}, {text}) IN (({integer}, {text}), ({integer}, {text})))
(({integer}, {text}) NOT IN (({integer}, {text}), ({integer}, {text})))
"""
_PATTERNS = """
({text} LIKE {'pattern})
({text} NOT LIKE {'pattern})
({text} ILIKE {'pattern})
({text} NOT ILIKE {'pattern})
({text} ~~ {'pattern})
({text} !~~ {'pattern})
({text} ~~* {'pattern})
({text} !~~* {'pattern})
({text} LIKE {text})
({text} NOT LIKE {text})
({text} LIKE 'a#_%' ESCAPE '#')
({text} SIMILAR TO {'similar} ESCAPE '#')
({text} NOT LIKE 'a#_%' ESCAPE '#')
({text} ~ {'regex})
({text} !~ {'regex})
({text} ~* {'regex})
({text} !~* {'regex})
({text} SIMILAR TO {'similar})
({text} NOT SIMILAR TO {'similar})
({text} ~ ({'regex} || {'regex}))
({text} ~ ANY (ARRAY[{'regex}, {'regex}]))
regexp_like({text}, {'regex}, {'flags})
"""
_ARRAY_PATTERNS = """
({text} LIKE ANY (ARRAY['a%', '%b']))
({text} NOT LIKE ALL (ARRAY['a%', '%b']))
"""
_SUBQUERIES = """
EXISTS ({rows})
(NOT EXISTS ({rows}))
({integer} IN ({rows of integer}))
({integer} NOT IN ({rows of integer}))
({text} = ANY ({rows of text}))
({text} <> ALL ({rows of text}))
({integer} < ALL ({rows of integer}))
({integer} >= SOME ({rows of integer}))
"""
_ANY_TYPE = """
coalesce({@}, {@})
nullif({@}, {@})
(CASE WHEN {boolean} THEN {@} ELSE {@} END)
(CASE WHEN {boolean} THEN {@} WHEN {boolean} THEN {@} END)
(CASE {integer} WHEN {integer} THEN {@} ELSE {@} END)
({@})::{=}
CAST({@} AS {=})
"""
_ORDERED = """
greatest({@}, {@})
least({@}, {@}, {@})
"""
_INTEGER = """
({integer} + {integer})
({integer} - {integer})
({integer} * {'small})
(- {integer})
(@ {integer})
({integer} / {'small})
({integer} % {'small})
({smallint} + {integer})
({integer} & {integer})
({integer} | {integer})
({integer} # {integer})
(~ {integer})
({integer} << 2)
({integer} >> 1)
abs({integer})
mod({integer}, {'small})
length({text})
char_length({text})
octet_length({text})
bit_length({text})
length(normalize({text}, NFC))
position({bytea} in {bytea})
ascii({text})
strpos({text}, {text})
position({'text} in {text})
cardinality({bigint[]})
array_length({bigint[]}, 1)
array_upper({bigint[]}, 1)
array_position({bigint[]}, 4)
array_length({bigint[][]}, 2)
array_lower({bigint[][]}, 2)
array_ndims({bigint[][]})
cardinality({bigint[][]})
({date} - {'date})
num_nulls({integer}, {text})
{smallint}::integer
{boolean}::integer
gcd({integer}, {integer})
json_array_length('[1, 2]'::json)
regexp_count({text}, {'regex}, {'small}, {'flags})
regexp_instr({text}, {'regex}, {'small}, {'small}, 1, {'flags}, 1)
cardinality(regexp_split_to_array({text}, {'regex}))
({integer} - {smallint})
mod({smallint}, {'small})
lcm({'small}, {'small})
width_bucket({numeric}, -2, 2.5, 4)
sign({integer})::integer
"""
_SMALLINT = """
{'small}::smallint
(- {smallint})
abs({smallint})
({smallint} / {'small}::smallint)
({smallint} & {smallint})
"""
_BIGINT = """
({integer} + {'bigint})
({integer}::bigint * 3)
{integer}::bigint
({bigint[]})[1]
({bigint[]})[{integer}]
({bigint[][]})[1][2]
({bigint[][]})[{'small}][{integer}]
abs({integer}::bigint)
count_of({integer})
bit_count({bytea})
({bigint} / 7)
({bigint} % {'bigint})
({bigint} & {integer})
(~ {bigint})
({bigint} >> 3)
mod({bigint}, {'small})
gcd({integer}, {'bigint})
"""
_NUMERIC = """
({numeric} + {numeric})
({numeric} - {integer})
({numeric} * {'small})
(- {numeric})
({numeric} / {'small})
({numeric} % 3)
round({numeric})
round({numeric}, 1)
trunc({numeric}, 2)
floor({numeric})
ceil({numeric})
abs({numeric})
sign({numeric})
mod({numeric}, 2.5)
{integer}::numeric
{integer}::numeric(8,2)
{bigint}::numeric
extract(year FROM {timestamp})
extract(second FROM {timestamp})
extract(epoch FROM {timestamptz})
extract(dow FROM {date})
extract(isodow FROM {date})
extract(week FROM {date})
extract(isoyear FROM {date})
extract(quarter FROM {timestamp})
extract(century FROM {date})
extract(doy FROM {date})
extract(millisecond FROM {timestamp})
extract(decade FROM {date})
extract(millennium FROM {timestamp})
extract(isoyear FROM {timestamptz})
extract(julian FROM {date})
extract(hour FROM {interval})
extract(epoch FROM {interval})
width_of({numeric})
(({numeric} / 8) / {'small})
({integer} / 2.0)
({bigint} % 2.5)
({numeric} % 0.7)
({numeric} * 0.5)
div({numeric}, 1.5)
div({bigint}, {'small})
mod({numeric}, {'small})
trunc({numeric})
trunc({integer}, 1)
round({integer}, 1)
round({numeric}, -1)
factorial({'small})
greatest({numeric}, {integer})
coalesce({numeric}, {bigint})
(CASE WHEN {boolean} THEN {integer} ELSE {numeric} END)
"""
_DOUBLE = """
({double precision} + {'double})
({double precision} * {'double})
(- {double precision})
({double precision} / {'double})
abs({double precision})
floor({double precision})
ceil({double precision})
round({double precision})
trunc({double precision})
sign({double precision})
{real}::double precision
{integer}::double precision
{numeric}::double precision
date_part('hour', {timestamp})
sqrt(abs({integer})::double precision)
pi()
({real} + {double precision})
({real} * {integer})
({numeric} + {double precision})
coalesce({double precision}, {numeric})
greatest({real}, {double precision})
trunc({real})
ceil({real})
floor({smallint})
round({integer})
sign({integer})
power({'small}, 2)
"""
_REAL = """
({real} * 2)
(- {real})
{integer}::real
abs({real})
({real} + {real})
coalesce({real}, {integer})
greatest({real}, {numeric})
nullif({real}, {numeric})
{numeric}::real
"""
_TEXT = """
({text} || {text})
({text} || {integer})
lower({text})
upper({text})
initcap({text})
btrim({text})
ltrim({text}, 'aA')
rtrim({text})
trim(both 'a' from {text})
trim(leading from {text})
left({text}, {integer})
right({text}, {integer})
lpad({text}, 5, 'xy')
rpad({text}, 3)
repeat({text}, {'small})
reverse({text})
replace({text}, 'a', {text})
translate({text}, 'abc', 'xy')
substring({text} from {'small} for 2)
substring({text} from -1 for 3)
substr({text}, {integer})
overlay({text} placing 'zz' from 2 for 1)
split_part({text}, 'b', {'small})
concat({text}, {integer}, {boolean})
concat_ws('-', {text}, {integer}, {date})
md5({text})
quote_ident({text})
quote_literal({text})
quote_nullable({text})
format('%s|%I|%L', {integer}, 'a b', {text})
chr(65 + abs({'small}))
to_hex(255)
regexp_replace({text}, {'regex}, '<\\1\\&>', 'g')
regexp_replace({text}, {'regex}, {text}, {'small}, {'small}, {'flags})
regexp_substr({text}, {'regex}, {'small}, {'small}, {'flags}, 1)
(regexp_match({text}, {'regex}, {'flags}))[1]
substring({text} from {'regex})
reverse({text} || {text})
encode({bytea}, {'form})
convert_from(convert_to({text}, 'UTF8'), 'UTF8')
array_to_string({bigint[]}, ',', '*')
array_to_string({bigint[][]}, ',', '*')
array_dims({bigint[][]})
{bigint[][]}::text
{integer}::text
{bigint}::text
{numeric}::numeric(12,3)::text
{double precision}::text
{boolean}::text
{date}::text
{timestamp}::text
{timestamptz}::text
{uuid}::text
{bytea}::text
{bigint[]}::text
{text}::varchar(2)::text
to_char({timestamp}, 'YYYY-MM-DD HH24:MI:SS.US')
to_char({date}, 'FMDay, DDth Mon YYYY Q WW IYYY-IW J')
to_char({timestamp}, 'HH12:MI AM D DDD CC')
to_char({timestamp}, 'FMYYYY YYY Y,YYY BC a.d. IYYY-IDDD FMDD FF3 SSSS RM TZ')
to_char({timestamptz}, 'FMMonth DAY dy HH24:MI:SS.MS TZ OF "at" J Q')
array_to_string(string_to_array({text}, 'b'), '-')
{interval}::text
to_char({integer}, 'FM0999')
to_char({numeric}, '999,990.99')
to_char({integer}, 'S999')
to_char({numeric}, 'FM999999990.00')
pg_typeof({integer} + {numeric})::text
json_typeof({json})
jsonb_typeof({jsonb})
({jsonb} ->> 'b')
({json} ->> 'a')
({json} #>> ARRAY['c', '1'])
"""
_DATE = """
({date} + {'small})
({date} - {'small})
{'timestamp}::date
make_date(2020, 2, 1 + abs({'small}))
"""
_TIMESTAMP = """
({'timestamp} + interval '1 day')
({'timestamp} - interval '1 month')
({'timestamp} + {interval})
date_trunc('month', {timestamp})
date_trunc('hour', {timestamp})
date_trunc('week', {'timestamp})
date_trunc('decade', {timestamp})
date_trunc('century', {'timestamp})
date_trunc('quarter', {date})::timestamp
{'date}::timestamp
{'timestamp}::timestamp(1)
({'timestamp}::timestamptz AT TIME ZONE 'Europe/Oslo')
({timestamptz} AT TIME ZONE 'UTC')
make_timestamp(2020, 2, 1 + abs({'small}), 1, 2, 3.5)
date_bin('15 minutes', {'timestamp}, timestamp '2001-01-01')
"""
_TIMESTAMPTZ = """
date_trunc('day', {timestamptz})
({'timestamp}::timestamptz + interval '2 hours')
{'timestamp}::timestamptz
{'timestamp}::timestamptz(0)
({'timestamp} AT TIME ZONE 'America/New_York')
to_timestamp({'small})
"""
_INTERVAL = """
({interval} * 2)
(- {interval})
({'timestamp} - {'timestamp})
age({'timestamp}, {'timestamp})
make_interval(days => abs({'small}))
"""
_INTERVAL_SUMS = """
({interval} + {interval})
({interval} - {interval})
({'small} * interval '1 day')
justify_hours({interval})
justify_days({interval})
"""
_BYTEA = """
decode('00ff', 'hex')
({bytea} || {bytea})
sha256({bytea})
trim(both {bytea} from {bytea})
sha512({bytea})
substring({bytea} from {'small} for 2)
"""
_ARRAY = """
array_append({bigint[]}, 7)
array_prepend(7, {bigint[]})
array_prepend({integer}, {bigint[]})
({bigint} || {bigint[]})
({bigint[]} || {bigint[]})
array_cat({bigint[]}, {bigint[]})
array_remove({bigint[]}, 4)
array_replace({bigint[]}, 4, 5)
({bigint[]})[1:1]
ARRAY[{bigint}, {bigint}]
ARRAY({rows of bigint} ORDER BY 1)
"""
_MATRIX = """
ARRAY[[{bigint}, {bigint}], [{bigint}, 7]]
ARRAY[ARRAY[{bigint}], ARRAY[{bigint}]]
(ARRAY[[{bigint}], [4]] || ARRAY[[{bigint}]])
(ARRAY[[{bigint}, 2]] || ARRAY[{bigint}, NULL])
array_cat(ARRAY[[1, {bigint}]], NULL)
({bigint[][]})[1:1]
({bigint[][]})[:2][2:]
({bigint[][]})[{'small}:][1]
array_replace({bigint[][]}, 4, {bigint})
trim_array(ARRAY[[{bigint}], [{bigint}]], 1)
ARRAY(SELECT ARRAY[{bigint}, 1])
array_fill({bigint}, ARRAY[2, 2])
"""
_JSON = """
json_build_object('k', {integer}, 'l', {text}::text)
json_build_array({integer}, {text}::text, NULL)
to_json({text}::text)
to_json({bigint[]})
to_json({bigint[][]})
({json} -> 'c')
({json} #> ARRAY['c', '0'])
json_strip_nulls({json})
({json} -> 1)
"""
_JSONB = """
{json}::jsonb
to_jsonb({bigint[]})
jsonb_build_array({integer}, {text}::text, NULL)
jsonb_build_object('k', {integer}, 'a', {jsonb})
({jsonb} || {jsonb})
({jsonb} -> 'a')
({jsonb} -> 0)
({jsonb} #> ARRAY['a', '-1'])
({jsonb})['a']
jsonb_strip_nulls({jsonb})
"""
_TIME = """
{'timestamp}::time
({time} + interval '90 minutes')
make_time(abs({'small}), 2, 3.5)
"""
_TEXTS = """
ARRAY[{text}, {text}]
string_to_array({text}, 'b', {'text})
({text[]} || {text})
regexp_split_to_array({text}, {'regex}, {'flags})
array_append({text[]}, {text})
({text[]})[2:]
ARRAY({rows of text} ORDER BY 1)
"""
_UUID = """
'6F1B3B0E6A0A4A519D0C3F5F2F9B8A01'::uuid
"""
FORMS: Mapping[str, Sequence[Form]] = {
    "boolean": (
        *_comparisons(),
        *forms(_BOOLEAN) * 4,
        *forms(_ROWS_NULL, "ROW") * 4,
        *forms(_ROWS_IN, "rows in") * 4,
        *forms(_PATTERNS) * 3,
        *forms(_ARRAY_PATTERNS, "like any"),
        *forms(_SUBQUERIES, "subquery") * 3,
    ),
    "integer": (*forms(_INTEGER), *forms("(+ {integer})", "names")),
    "smallint": forms(_SMALLINT),
    "bigint": forms(_BIGINT.replace("count_of({integer})", "length({text})::bigint")),
    "numeric": forms(_NUMERIC.replace("width_of({numeric})", "{numeric}::numeric(20,5)")),
    "double precision": forms(_DOUBLE),
    "real": forms(_REAL),
    "text": forms(_TEXT),
    "date": forms(_DATE),
    "timestamp": forms(_TIMESTAMP),
    "timestamptz": forms(_TIMESTAMPTZ),
    "interval": (*forms(_INTERVAL), *forms(_INTERVAL_SUMS, "interval sums")),
    "bytea": forms(_BYTEA),
    "bigint[]": forms(_ARRAY),
    "bigint[][]": forms(_MATRIX),
    "json": forms(_JSON),
    "jsonb": forms(_JSONB),
    "uuid": forms(_UUID),
    "time": forms(_TIME),
    "text[]": forms(_TEXTS),
}
RISKY: Mapping[str, Sequence[Form]] = {name: forms(text) for name, text in RISKY_TEXTS.items()}
GENERIC = forms(_ANY_TYPE)
GENERIC_ORDERED = forms(_ORDERED)
GENERIC_ROWS = forms("({rows of @} ORDER BY 1 LIMIT 1)\n({rows of @} ORDER BY 1 DESC LIMIT 1)")
NOT_COMPARABLE = frozenset({"json", "bigint[][]"})
ONE_FORM = frozenset(
    {
        *("integer", "smallint", "bigint", "text", "boolean", "date", "timestamp", "timestamptz"),
        *("uuid", "bytea", "time"),
    }
)
"""Types whose equal values are the same; a numeric, an interval or a document is not."""
