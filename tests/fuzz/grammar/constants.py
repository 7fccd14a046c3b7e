"""The constants of generated expressions, by the type or the kind of place that they fit.

A kind that begins with `'` is a place where SQL needs a constant, or where only some values make
sense.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

_ATOMS = (
    *("a", "b", "c", "ab", "ä", ".", "[ab]", "[^a]", "[a-c]", r"\w", r"\W", r"\d", r"\s", r"\S"),
    *("[[:alpha:]]", "[[:upper:]]", r"[\w%]", "x", " "),
)
_PLACES = ("^", "$", r"\y", r"\m", r"\M", r"\Y", r"\A", r"\Z", "(?=a)", "(?!b)", "(?<=a)", "(?<!a)")
_QUANTIFIERS = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,2}", "{1,2}?", "{2,}", "{0}")
_PREFIXES = ("(?i)", "(?n)", "(?x)", "***=", "***:", "(?p)", "(?w)")
_DEPTH = 4
COUNT = 150


def _expression(chance: Random, depth: int) -> str:
    if depth <= 0 or chance.random() < 0.3:
        return chance.choice(_ATOMS)
    inner = _expression(chance, depth - 1)
    match chance.randrange(8):
        case 0 | 1:
            return inner + _expression(chance, depth - 1)
        case 2 | 3:
            return f"{inner}|{_expression(chance, depth - 1)}"
        case 4:
            return f"({inner})"
        case 5:
            return inner + chance.choice(_PLACES)
        case _:
            return chance.choice(("(", "(?:")) + inner + ")" + chance.choice(_QUANTIFIERS)


def regexes(seed: int = 0) -> list[str]:
    """Return expressions; some have options or a back reference."""
    chance = Random(seed)
    found = []
    for _ in range(COUNT):
        text = _expression(chance, _DEPTH)
        if text.startswith("(") and not text.startswith("(?") and chance.random() < 0.3:
            text += r"\1"
        found.append(chance.choice(_PREFIXES) + text if chance.random() < 0.1 else text)
    return found


CONSTANTS: Mapping[str, Sequence[tuple[str, str]]] = {
    "integer": [("integer", text) for text in ("-3", "-1", "0", "1", "2", "3", "7")],
    "smallint": [("smallint", text) for text in ("-1", "0", "2")],
    "bigint": [("bigint", text) for text in ("-1", "0", "2", "10", "9007199254740993")],
    "numeric": [("numeric", text) for text in ("-2.5", "0", "1.50", "0.001", "100")],
    "double precision": [
        ("double precision", text) for text in ("0.5", "-2.5", "NaN", "Infinity", "1e300", "0")
    ],
    "real": [("real", text) for text in ("0.5", "NaN", "-1.25")],
    "text": [("text", text) for text in ("a", "", "abc", "Zed", "ä", "it's", "a%", "1", "note 2")],
    "boolean": [("boolean", "true"), ("boolean", "false")],
    "date": [("date", text) for text in ("2020-02-29", "1969-12-31", "0001-01-01", "9999-12-31")],
    "timestamp": [
        ("timestamp", text)
        for text in ("2020-02-29 23:59:59.5", "1970-01-01 00:00:00", "9999-12-31 23:59:59.999999")
    ],
    "timestamptz": [
        ("timestamptz", text)
        for text in ("2020-01-01 02:00:00+00", "1970-01-01 01:00:00+01", "1969-12-31 23:00:00+00")
    ],
    "interval": [("interval", text) for text in ("1 day", "1 month 2 days", "-03:30:00", "0")],
    "uuid": [("uuid", "6f1b3b0e-6a0a-4a51-9d0c-3f5f2f9b8a02")],
    "bytea": [("bytea", text) for text in ("\\x00ff", "\\x", "\\x616263")],
    "json": [("json", '{"a": 7, "c": [3, "x"]}'), ("json", "[1]"), ("json", "null")],
    "jsonb": [
        ("jsonb", text)
        for text in (
            *('{"b": 1, "a": [1, 2.0]}', '{"a":[1,2],"b":1.0}', '{"a": 7, "a": "x"}', "[]", "{}"),
            *("1.50", "1.5", "-2", "10", "null", '"a"', '"ä"', "true", '["a", 2]', "[[1], null]"),
        )
    ],
    "bigint[]": [("bigint[]", text) for text in ("{1,2}", "{}", "{4,NULL}")],
    "bigint[][]": [("bigint[][]", text) for text in ("{{1,2},{3,4}}", "{}", "{{4,NULL}}")],
    "text[]": [("text[]", text) for text in ("{a,b}", "{}", "{NULL,ä}", '{"a b",""}')],
    "integer[]": [("integer[]", text) for text in ("{1,2}", "{}", "{NULL,3}")],
    "double precision[]": [("double precision[]", text) for text in ("{0.25,1}", "{}", "{0.5}")],
    "time": [("time", text) for text in ("00:00:00", "23:59:59.999999", "06:30:00.125", "24:00")],
    "'unit": [
        ("text", text)
        for text in (
            *("year", "month", "day", "hour", "minute", "second", "week", "quarter", "decade"),
            *("century", "millennium", "milliseconds", "microseconds", "DAY", "days", "fortnight"),
            *("dow", "isodow", "doy", "isoyear", "epoch", "julian", "timezone", "timezone_hour"),
        )
    ],
    "'zone": [
        ("text", text)
        for text in (
            *("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "+02", "-05:30"),
            *("Asia/Kolkata", "europe/berlin", "nowhere"),
        )
    ],
    "'template of a time": [
        ("text", text)
        for text in (
            *("YYYY-MM-DD HH24:MI:SS", "DD Mon YYYY", "FMDay, DDth", "IYYY-IW-ID", "Q CC J WW"),
            *("HH12:MI:SS.US AM", "TZH:TZM", '"at" SSSS', "Y,YYY", "FF3", "YYYYMMDD", ""),
        )
    ],
    "'stamp": [
        ("text", text)
        for text in (
            *("2020-02-29 23:59:58", "29 Feb 2020", "2020-09-6", "01:02:03.000004 PM", "20200229"),
            *("", "2020-02-30", "x"),
        )
    ],
    "'template of a number": [
        ("text", text)
        for text in ("999.99", "FM0999", "S999", "9,999", "999MI", "PR999", "9.9EEEE", "RN", "L99")
    ],
    "'digits": [("text", text) for text in ("12.5", "-1", "1,234", "", "+7", "x", " 12 ")],
    "'seconds": [("double precision", text) for text in ("0", "59.5", "60", "-1", "NaN", "61")],
    "'charset": [("text", text) for text in ("UTF8", "LATIN1", "utf-8", "nothing")],
    "'encoded": [("text", text) for text in ("00ff", "YWI=", "a\\\\b", "", "0", "\\000")],
    "'count": [("integer", text) for text in ("-1", "0", "1", "3", "5")],
    "'dims": [("integer[]", text) for text in ("{2}", "{2,2}", "{0}", "{1,2}", "{-1}")],
    "'bounds": [("integer[]", text) for text in ("{1}", "{1,1}", "{2,3}")],
    "'pairs": [("text[]", text) for text in ("{a,1,b,NULL}", "{{a,1},{b,2}}", "{}", "{a}")],
    "'steps": [("text[]", text) for text in ("{a}", "{a,0}", "{0}", "{a,-1}", "{}", "{b,c}")],
    "'path": [
        ("jsonpath", text)
        for text in (
            *("$", "$.a", "$.a[*]", "$[0]", "$.** ? (@ == 1)", "strict $.a", "$.a[*] ? (@ > 1)"),
            *("$[last]", "$.size()", "$.a.type()", "$.*", "$ == 1", "exists($.a)", "$.b + 1", "$["),
        )
    ],
    "'treatment": [
        ("text", text)
        for text in ("raise_exception", "use_json_null", "delete_key", "return_target", "x")
    ],
    "'fraction": [("double precision", text) for text in ("0", "0.25", "0.5", "1", "1.5")],
    "'small": [("integer", text) for text in ("1", "2", "3", "5")],
    "'text": [("text", text) for text in ("a", "b", "", "ab")],
    "'bigint": [("bigint", text) for text in ("1", "9007199254740993")],
    "'double": [("double precision", text) for text in ("0.5", "2", "-4")],
    "'date": [("date", text) for text in ("2020-02-29", "1999-12-31")],
    "'timestamp": [
        ("timestamp", text) for text in ("2020-01-31 23:59:59.5", "1999-12-31 12:30:00")
    ],
    "'time": [
        ("text", text)
        for text in (
            *("2020-02-29 01:02 PM", "0044-03-15 BC", "20200229", "2/29/2020", "99-1-1", "1-1-1"),
            *("2020-02-29 23:59:60", "2020-02-29T01:02:03.1234567+02:30", "12345-06-07", "epoch"),
            *("2020-02-29 12:00 am CET", "2020-02-30", "0000-01-01", "2020-01-01 25:00", ""),
        )
    ],
    "'length": [
        ("text", text)
        for text in ("1 day -02:03:04.5", "P1Y2M3DT4H", "1-2", "-1.5 months", "3 days ago", "1e3")
    ],
    "'pattern": [("text", text) for text in ("a%", "%b%", "_b_", "", "%", "A\\_c", "a\\%c", "%ä%")],
    "'regex": [("text", text) for text in ("^a", "b$", "[A-Z]", "^$", "(a|b)+", *regexes())],
    "'similar": [
        ("text", text)
        for text in ("(a|Z)%", "_%", "a+", "[^a]%", "%(ab|b)_?", "\\w%", "a\\%", "", "a{2}b*")
    ],
    "'flags": [("text", text) for text in ("", "i", "n", "x", "s", "p", "w", "q", "c", "ix")],
    "'template": [
        ("text", text)
        for text in ("%s", "%L|%I", "%2$s %1$s", "%%", "%5s|%-5s|", "", "%s%s%s", "%1$I %s")
    ],
    "'form": [("text", text) for text in ("hex", "base64", "escape")],
}
"""Place → the type of the parameter, and its text."""
UNQUOTED = frozenset({"integer"})
"""Types whose constants need neither quotes nor a cast."""
