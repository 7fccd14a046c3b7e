"""Statements of the kind that Spark runs, and some that it must be spared.

Forms are texts with the types of their operands in braces. One in twenty has a function or clause
that means something else in Spark, or does not exist there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.fuzz.grammar.vocabulary import quoted
from tests.fuzz.world import STORES, relation_columns

_SORTS = (
    *("integer", "bigint", "smallint", "numeric", "double precision", "text", "boolean", "date"),
    *("timestamp", "timestamptz", "uuid"),
)
_ORDERED = "integer|bigint|smallint|numeric|double precision|text|date|timestamp|timestamptz"
_CONSTANTS: Mapping[str, Sequence[str]] = {
    "integer": ("0", "1", "(-3)", "7", "2147483647", "NULL::integer"),
    "bigint": ("0::bigint", "9223372036854775807", "(-30)::bigint", "NULL::bigint"),
    "smallint": ("3::smallint", "(-1)::smallint"),
    "numeric": ("0.5", "1.500", "(-2.25)", "999999999.999", "0.0"),
    "double precision": (
        "0.5::double precision",
        "'NaN'::double precision",
        "1e10",
        "-0.0::float8",
    ),
    "text": ("'a'", "''", "'Abc'", "'ä'", "'note 2'", "'it''s'", "NULL::text"),
    "boolean": ("true", "false", "NULL::boolean"),
    "date": ("'2020-02-29'::date", "date '0001-01-01'", "'1969-12-31'::date"),
    "timestamp": ("'2020-02-29 23:59:59.5'::timestamp", "timestamp '1970-01-01 00:00:00'"),
    "timestamptz": ("'2020-01-01 02:00:00+00'::timestamptz", "'1970-01-01 00:00:00Z'::timestamptz"),
    "uuid": ("'6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a02'::uuid",),
}
_ARITHMETIC = "({0} + {0})\n({0} - {0})\n({0} * {0})\n(- {0})\nabs({0})"
_GENERIC = """
coalesce({0}, {0})
nullif({0}, {0})
(CASE WHEN {boolean} THEN {0} ELSE {0} END)
(CASE WHEN {boolean} THEN {0} END)
(CASE {text} WHEN {text} THEN {0} END)
(SELECT max({0}) FROM r0 AS z)
"""
_EXTREMES = "greatest({0}, {0})\nleast({0}, {0}, {0})"
_FORMS: Mapping[str, str] = {
    "integer": f"""
{_ARITHMETIC}
({{integer}} / {{integer}})
({{integer}} % {{integer}})
length({{text}})
char_length({{text}})
octet_length({{text}})
{{smallint}}::integer
{{numeric}}::integer
CAST({{bigint}} AS integer)
""",
    "bigint": f"{_ARITHMETIC}\n({{bigint}} % {{integer}})\n({{bigint}} / {{integer}})\n"
    "{integer}::bigint\n{numeric}::bigint\n({integer} + {bigint})",
    "smallint": "{integer}::smallint\n({smallint} + {smallint})",
    "numeric": f"{_ARITHMETIC}\n({{numeric}} + {{integer}})\n{{integer}}::numeric(10,2)\n"
    "{numeric}::numeric(12,1)\nextract(year FROM {date})\nextract(hour FROM {timestamp})",
    "double precision": f"{_ARITHMETIC}\n({{double precision}} / {{double precision}})\n"
    "{integer}::double precision\n{numeric}::float8",
    "text": """
({text} || {text})
left({text}, {integer})
right({text}, 2)
left({text}, 1)
substring({text} FROM 2 FOR 3)
substring({text}, 2)
substr({text}, 1, 2)
replace({text}, {text}, 'x')
replace({text}, 'b', {text})
{integer}::text
{bigint}::text
""",
    "boolean": """
({boolean} AND {boolean})
({boolean} OR {boolean})
(NOT {boolean})
({boolean} IS NOT TRUE)
({boolean} IS UNKNOWN)
({text} LIKE 'a%')
({text} NOT LIKE '_b_')
({text} LIKE '%')
starts_with({text}, {text})
({text} IN ({text}, {text}))
({integer} NOT IN (1, {integer}))
({integer} IN (SELECT z.id FROM r0 z WHERE {boolean}))
EXISTS (SELECT 1 FROM r0 z WHERE z.id = {integer})
({integer} BETWEEN {integer} AND {integer})
({any} = {any})
({any} <> {any})
({any} < {any})
({any} >= {any})
({any} IS NULL)
({any} IS NOT NULL)
({any} IS DISTINCT FROM {any})
({any} IS NOT DISTINCT FROM {any})
""",
    "date": "date_trunc('month', {timestamp})::date",
    "timestamp": "date_trunc('day', {timestamp})\ndate_trunc('hour', {timestamp})",
    "timestamptz": "date_trunc('hour', {timestamptz})",
    "uuid": "",
}
_SPARED = {
    "integer": "position({text} IN {text})\nascii({text})\n({integer} # 1)",
    "text": "upper({text})\nreverse({text})\nlpad({text}, 3, 'x')\n{double precision}::text\n"
    "to_char({timestamp}, 'YYYY')\nformat('%s', {text})\nregexp_replace({text}, 'a', 'b')",
    "boolean": "({text} ~ 'a')\n({text} ILIKE 'A%')\n({text} LIKE {text})\n({text} SIMILAR TO 'a')",
    "double precision": "sqrt({double precision})\nln({double precision})",
    "numeric": "round({numeric}, 1)\n({numeric} / {numeric})\nextract(epoch FROM {timestamptz})",
    "timestamp": "({timestamp} + interval '1 day')",
    "timestamptz": "({timestamptz} - interval '1 month')",
    "date": "({date} + 1)\n({date} - 1)",
}
_PLACE = re.compile(r"\{([^}]+)\}")
_SOURCES = (
    *("samples s", "samples s", "notes n", "clicks c", "r0 AS q"),
    *(
        "samples s JOIN notes n ON s.id = n.sample",
        "notes n LEFT JOIN samples s ON s.id = n.sample",
    ),
    *("samples s RIGHT JOIN r0 AS q ON s.id = q.id", "r0 AS q FULL JOIN samples s ON s.i = q.id"),
    *("notes n CROSS JOIN r0 AS q", "r0 AS q JOIN (SELECT id FROM samples) AS d USING (id)"),
    *("clicks c, r0 q", "r0 AS q LEFT JOIN (SELECT id, t FROM samples) AS d USING (id)"),
)
_STORE_OF = {"s": "samples", "n": "notes", "c": "clicks", "q": "r0"}
_AGGREGATES = (
    *("count(*)", "count({any})", "count(DISTINCT {any})", "sum({integer})", "sum({bigint})"),
    *(
        "sum({numeric})",
        "avg({integer})",
        "avg({double precision})",
        "min({least})",
        "max({least})",
    ),
    *("bool_and({boolean})", "bool_or({boolean})", "every({boolean})", "sum(DISTINCT {integer})"),
    *("count(*) FILTER (WHERE {boolean})", "sum({integer}) FILTER (WHERE {boolean})"),
    *("avg({numeric})", "stddev({integer})", "max({text}) || 'x'"),
)
_WINDOWS = (
    *("row_number() OVER (ORDER BY {all})", "rank() OVER (ORDER BY {integer})"),
    *(
        "dense_rank() OVER (PARTITION BY {text} ORDER BY {integer} DESC)",
        "lag({integer}) OVER (ORDER BY {all})",
    ),
    *(
        "sum({integer}) OVER (PARTITION BY {text})",
        "count(*) OVER ()",
        "ntile(2) OVER (ORDER BY {all})",
    ),
    *(
        "max({text}) OVER (ORDER BY {integer} ROWS CURRENT ROW)",
        "min({date}) OVER (ORDER BY {text})",
    ),
)


@dataclass(slots=True)
class Portable:
    """Draws statements."""

    chance: random.Random
    columns: dict[str, list[str]] = field(default_factory=dict)
    """The visible columns by type."""

    def may(self, likely: float) -> bool:
        """Decide."""
        return self.chance.random() < likely

    def statement(self) -> str:
        """Draw a statement."""
        head = ""
        if self.may(0.12):
            head = f"WITH w (id, x) AS ({self._select(['integer', 'text'])}) "
        sorts = [self.chance.choice(_SORTS) for _ in range(self.chance.randint(1, 3))]
        body = self._select(sorts, is_top=True)
        if self.may(0.15):
            word = self.chance.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL"])
            body = f"{self._select(sorts)} {word} {self._select(sorts)}"
            if self.may(0.4):
                body += " ORDER BY 1" if len(sorts) == 1 else ""
        if head:
            body = body.replace("FROM r0 AS q", "FROM r0 AS q JOIN w ON w.id = q.id", 1)
        return head + body

    def draw(self, sort: str, depth: int) -> str:
        """Draw an expression of a type."""
        named = self.columns.get(sort, [])
        if depth <= 0 or self.may(0.25):
            if named and self.may(0.75):
                return self.chance.choice(named)
            return self.chance.choice(_CONSTANTS[sort])
        texts = (_FORMS[sort] + _GENERIC.replace("{0}", f"{{{sort}}}")).split("\n")
        if sort in _ORDERED.split("|"):
            texts += _EXTREMES.replace("{0}", f"{{{sort}}}").split("\n")
        if self.may(0.04) and sort in _SPARED:
            texts = _SPARED[sort].split("\n")
        texts = [text.replace("{0}", f"{{{sort}}}") for text in texts if text]
        return self._filled(self.chance.choice(texts), depth - 1)

    def _filled(self, form: str, depth: int) -> str:
        any_one = self.chance.choice(_SORTS)
        least = self.chance.choice(_ORDERED.split("|"))

        def drawn(found: re.Match[str]) -> str:
            sort = {"any": any_one, "least": least}.get(found[1], found[1])
            if sort == "all":
                return ", ".join(name for names in self.columns.values() for name in names)
            return self.draw(sort, depth)

        return _PLACE.sub(drawn, form)

    def _select(self, sorts: Sequence[str], *, is_top: bool = False) -> str:
        source = self.chance.choice(_SOURCES)
        self.columns = {}
        of = {store.name: relation_columns(store) for store in STORES}
        for alias in re.findall(r"\b([snqc])\b(?!\.)", source):
            for name, sort in of[_STORE_OF[alias]]:
                if sort in _SORTS:
                    self.columns.setdefault(sort, []).append(f"{alias}.{quoted(name)}")
        where = f" WHERE {self.draw('boolean', 2)}" if self.may(0.5) else ""
        body = f" FROM {source}{where}"
        if is_top and self.may(0.35):
            return self._grouped(body)
        listed = [self.draw(sort, 2) for sort in sorts]
        if is_top and self.may(0.15):
            listed.append(self._filled(self.chance.choice(_WINDOWS), 0))
        if not is_top:
            return f"SELECT {', '.join(listed)}{body}"
        if self.may(0.1):
            return f"SELECT {self.chance.choice(['*', 'DISTINCT 1'])}{body}"
        distinct = self.chance.choice(["", "", "", "DISTINCT "])
        order = ""
        if self.may(0.5):
            word = self.chance.choice(["", " DESC", " NULLS FIRST", " DESC NULLS LAST"])
            order = " ORDER BY " + ", ".join(f"{at + 1}{word}" for at in range(len(listed)))
            order += self.chance.choice(
                ["", " LIMIT 3", " LIMIT 2 OFFSET 1", " OFFSET 2", " LIMIT 0"]
            )
        return f"SELECT {distinct}{', '.join(listed)}{body}{order}"

    def _grouped(self, body: str) -> str:
        keys = [self.draw(self.chance.choice(_SORTS), 1) for _ in range(self.chance.randint(0, 2))]
        found = [
            self._filled(self.chance.choice(_AGGREGATES), 1)
            for _ in range(self.chance.randint(1, 3))
        ]
        tail = ""
        if keys:
            places = [str(at + 1) for at in range(len(keys))]
            word = self.chance.choice(["{}", "{}", "{}", "ROLLUP ({})"])
            tail = f" GROUP BY {word.format(', '.join(places))}"
        if self.may(0.25):
            tail += f" HAVING {self.chance.choice(['count(*) > 1', 'max(1) IS NOT NULL'])}"
        if keys and self.may(0.4):
            tail += " ORDER BY " + ", ".join(places)
        return f"SELECT {', '.join([*keys, *found])}{body}{tail}"
