"""Commands about the session, clause by clause: transactions, settings, cursors, COPY, locks."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from tests.fuzz.grammar.vocabulary import ZONES

_LEVELS = ("SERIALIZABLE", "REPEATABLE READ", "READ COMMITTED", "READ UNCOMMITTED")
_BOOLEANS = ("on", "off", "true", "NO", "1", "0", "'t'", "tr", "maybe", "2", "DEFAULT", "''")
_TIMES = ("0", "'10min'", "600000", "'1h'", "'0.5d'", "-1", "abc", "'90000 ms'", "'9 weeks'", "1e6")
_SETTINGS: Mapping[str, Sequence[str]] = {
    **dict.fromkeys(("enable_seqscan", "Enable_HashJoin", "escape_string_warning"), _BOOLEANS),
    **dict.fromkeys(("default_transaction_deferrable", "transaction_deferrable"), _BOOLEANS),
    **dict.fromkeys(("statement_timeout", "lock_timeout"), _TIMES),
    "idle_in_transaction_session_timeout": _TIMES,
    "work_mem": ("'64MB'", "4096", "'1GB'", "64", "63", "'1 TB'", "1.5", "'1.5MB'", "-1", "x"),
    "random_page_cost": ("1", "1.5", "-1", "'2e0'", "x", "DEFAULT", "'NaN'"),
    "geqo_threshold": ("2", "1", "12", "2147483648", "0x10", "1.4"),
    "client_min_messages": ("notice", "'WARNING'", "debug", "info", "error", "loud", "DEFAULT"),
    "TimeZone": (*(f"'{zone}'" for zone in ZONES), "UTC", "2", "-3.5", "'+05:30'", "'Nowhere'"),
    "DateStyle": (
        "'ISO, DMY'",
        "ISO, YMD",
        "'ymd'",
        "US",
        "'ISO, ISO'",
        "x",
        "DEFAULT",
        "european",
    ),
    "IntervalStyle": ("postgres", "'POSTGRES'", "x", "DEFAULT"),
    "extra_float_digits": ("1", "3", "4", "DEFAULT"),
    "application_name": ("'me'", "you", "''", "1", "a, b", "DEFAULT"),
    "search_path": ("public", '"$user", public', "'public'", "DEFAULT"),
    "default_transaction_isolation": (*(f"'{each}'" for each in _LEVELS), "serializable", "'x'"),
    "transaction_isolation": ("'serializable'", "'read committed'", "'x'", "DEFAULT"),
    "client_encoding": ("UTF8", "'utf-8'", "DEFAULT"),
    "standard_conforming_strings": ("on", "true", "DEFAULT"),
    "bytea_output": ("hex", "DEFAULT"),
    **dict.fromkeys(("my.x", "my.y.z", '"My".x'), ("1", "'a b'", "''", "a, b", "DEFAULT", "1.50")),
    **dict.fromkeys(("max_connections", "no_such_setting", "is_superuser"), ("1", "on")),
}
_SHOWN = (
    *("transaction_isolation", "TRANSACTION ISOLATION LEVEL", "TIME ZONE", "session_authorization"),
    *(
        "transaction_read_only",
        "is_superuser",
        "server_encoding",
        "integer_datetimes",
        "my.nothing",
    ),
)


def words(chance: random.Random, texts: Sequence[str]) -> str:
    """Return one of some texts, in lower case now and then."""
    text = chance.choice(texts)
    return text.lower() if chance.random() < 0.1 and '"' not in text else text


def _maybe(chance: random.Random, *texts: str) -> str:
    """Return nothing, or a blank and one of the texts."""
    return f" {chance.choice(texts)}" if chance.random() < 0.4 else ""


# Transactions


def _modes(chance: random.Random, likely: float) -> str:
    levels = [f"ISOLATION LEVEL {level}" for level in _LEVELS]
    found = [
        chance.choice(each)
        for each in (levels, ["READ ONLY"], ["DEFERRABLE", "NOT DEFERRABLE"])
        if chance.random() < likely
    ]
    if found and chance.random() < 0.05:
        found.append(found[0])
    return chance.choice([", ", " "]).join(found)


def begin(chance: random.Random) -> str:
    """Draw a BEGIN."""
    word = words(chance, ["BEGIN", "BEGIN", "BEGIN WORK", "BEGIN TRANSACTION", "START TRANSACTION"])
    return f"{word} {_modes(chance, 0.2)}".strip()


def transaction(chance: random.Random, names: Sequence[str]) -> str:
    """Draw a command about the transaction; `names` are those of savepoints."""
    name, work = chance.choice(names), _maybe(chance, "WORK", "TRANSACTION")
    ends = [f"{each}{work}{_maybe(chance, 'AND CHAIN', 'AND NO CHAIN')}" for each in _ENDS]
    found = [
        *(begin(chance), chance.choice(ends), f"SAVEPOINT {name}", f"SAVEPOINT {name}"),
        f"RELEASE{_maybe(chance, 'SAVEPOINT')} {name}",
        *[f"ROLLBACK{work} TO{_maybe(chance, 'SAVEPOINT')} {name}"] * 2,
        f"SET TRANSACTION {_modes(chance, 0.5)}".strip(),
        f"SET SESSION CHARACTERISTICS AS TRANSACTION {_modes(chance, 0.5) or 'READ ONLY'}",
        chance.choice(["COMMIT PREPARED 'x'", "ROLLBACK PREPARED 'x'"]),
    ]
    return words(chance, found)


_ENDS = ("COMMIT", "END", "ROLLBACK", "ABORT")


# Settings


def setting(chance: random.Random) -> str:
    """Draw SET, RESET, SHOW, or the functions that do the same."""
    name = chance.choice([*_SETTINGS])
    value = chance.choice(_SETTINGS[name])
    scope = chance.choice(["", "", "", " SESSION", " LOCAL", " LOCAL"])
    shown = chance.choice([name, name, *_SHOWN])
    plain = name.replace('"', "")
    text = value if value.startswith("'") else f"'{value}'"
    if name == "search_path":  # the function takes it as one text, in which words are names
        text = "'public'"
    local = chance.choice(["true", "false"])
    found = [
        *[f"SET{scope} {name} {chance.choice(['TO', '='])} {value}"] * 4,
        *[f"SHOW {shown}"] * 3,
        chance.choice([f"RESET {shown}", f"RESET {name}", "RESET ALL"]),
        f"SET{scope} {_special(chance)}",
        f"SELECT set_config('{plain}', {text}, {local})",
        f"SELECT current_setting('{plain}'{chance.choice(['', ', true'])})",
    ]
    return words(chance, found)


def _special(chance: random.Random) -> str:
    """Draw a setting with syntax of its own."""
    zone = chance.choice(
        [
            *(f"'{ZONES[0]}'", "LOCAL", "DEFAULT", "3", "-4.5", "'PST8PDT'", "INTERVAL '2' HOUR"),
            *("INTERVAL '-03:30' HOUR TO MINUTE", "INTERVAL '1 day'", "INTERVAL(0) '05:00'", "x"),
        ]
    )
    return chance.choice(
        [
            *(f"TIME ZONE {zone}", f"TIME ZONE {zone}", f"TIME ZONE {zone}", "NAMES 'UTF8'"),
            *(
                "SCHEMA 'public'",
                "NAMES",
                "NAMES DEFAULT",
                "SESSION AUTHORIZATION DEFAULT",
                "ROLE NONE",
            ),
        ]
    )


# Cursors


def declare(chance: random.Random, name: str, *, binary: bool) -> str:
    """Draw a DECLARE up to its query; it says whether the cursor can go back."""
    options = ["BINARY"] * binary
    options += [chance.choice(["INSENSITIVE", "ASENSITIVE"])] * (chance.random() < 0.2)
    options += [chance.choice(["SCROLL", "SCROLL", "NO SCROLL"])]
    if chance.random() < 0.05:
        options += ["NO SCROLL"]
    chance.shuffle(options)
    hold = chance.choice(["", "", " WITH HOLD", " WITHOUT HOLD"])
    return f"DECLARE {name} {' '.join(options)} CURSOR{hold} FOR"


def fetch(chance: random.Random, name: str) -> str:
    """Draw a FETCH or MOVE, in any direction."""
    count = chance.choice([0, 1, 2, 3, 7, -1, -2, -7])
    sign = chance.choice(["", "", "+"]) if count >= 0 else ""
    direction = chance.choice(
        [
            *("", "NEXT", "PRIOR", "FIRST", "LAST", "ALL", "FORWARD", "BACKWARD", "FORWARD ALL"),
            *("BACKWARD ALL", f"ABSOLUTE {count}", f"RELATIVE {count}", f"{sign}{count}"),
            *(f"FORWARD {count}", f"BACKWARD {count}", "FORWARD 9223372036854775808"),
        ]
    )
    word = words(chance, ["FETCH", "FETCH", "FETCH", "MOVE"])
    place = chance.choice(["", "FROM", "FROM", "IN"])
    return " ".join(part for part in (word, direction, place, name) if part)


# COPY


def copy_tail(chance: random.Random) -> str:
    """Draw the end of COPY … TO STDOUT, with options that may contradict each other."""
    target = chance.choice(["TO STDOUT", "TO STDOUT", "TO STDOUT", "TO STDIN"])
    if chance.random() < 0.25:
        return target
    if chance.random() < 0.35:
        return f"{target}{_maybe(chance, 'WITH')} {_old_options(chance)}".strip()
    options = {
        "format": ["text", "csv", "csv", "csv", "binary", "xml"],
        "delimiter": ["';'", "','", "'|'", "'||'", "'\\'", "E'\\n'", "'a'"],
        "null": ["'-'", "''", "'NULL'", "E'\\n'", "'a;b'"],
        "header": ["", "true", "off", "1", "match", "'x'", "2"],
        "quote": ["'\"'", "''''", "'ab'", "','"],
        "escape": ["'\"'", "'\\'", "'ab'"],
        "force_quote": ["*", "(x0)", "(x0, nothing)", "x0", "(name)"],
        "force_null": ["(x0)"],
        "force_not_null": ["(x0)"],
        "freeze": ["", "false"],
        "encoding": ["'UTF8'", "'utf-8'", "'klingon'", "1"],
        "no_such_option": ["1"],
    }
    likely = {"format": 0.7, "header": 0.4, "delimiter": 0.35, "null": 0.35, "quote": 0.25}
    found = [
        f"{words(chance, [name.upper()])} {chance.choice(values)}".strip()
        for name, values in options.items()
        if chance.random() < likely.get(name, 0.06)
    ]
    if found and chance.random() < 0.05:
        found.append(found[0])
    chance.shuffle(found)
    return f"{target}{_maybe(chance, 'WITH')} ({', '.join(found)})" if found else target


def _old_options(chance: random.Random) -> str:
    """Draw options as they were written before PostgreSQL 9.0."""
    options = [
        *("CSV", "BINARY", "HEADER", "DELIMITER ';'", "DELIMITERS ';'", "NULL AS '-'", "NULL 'x'"),
        *("QUOTE AS ''''", "ESCAPE '\\'", "FORCE QUOTE *", "FORCE QUOTE x0", "DELIMITER AS ','"),
        *("FORCE NOT NULL x0", "FORCE NULL x0", "FREEZE", "ENCODING 'UTF8'", "OIDS"),
    ]
    picked = chance.sample(options, chance.randint(0, 3))
    return " ".join([*["CSV"] * (chance.random() < 0.6 and "CSV" not in picked), *picked])


# Locks


def lock_table(chance: random.Random) -> str:
    """Draw a LOCK of a relation."""
    share = "IN ACCESS SHARE MODE"
    mode = chance.choice(
        [share, share, share, "IN EXCLUSIVE MODE", "", "IN SHARE MODE", "IN X MODE"]
    )
    relation = chance.choice(["notes", "public.notes", "ONLY notes", "notes, r0"])
    word = chance.choice(["LOCK TABLE", "LOCK"])
    return f"{word} {relation} {mode}{_maybe(chance, 'NOWAIT')}".strip()


def advisory(chance: random.Random, *, waits: bool) -> str:
    """Draw a call about an advisory lock; `waits` also draws those that wait."""
    keys = [str(chance.randint(1, 2)) for _ in range(chance.choice([1, 1, 2]))]
    listed = ", ".join(keys) if chance.random() < 0.95 else "NULL"
    heads = ["pg_try_advisory_{}lock", "pg_try_advisory_{}lock", "pg_advisory_un{}lock"]
    heads += ["pg_advisory_{}lock"] * waits
    head = chance.choice(heads)
    scope = chance.choice(["", "xact_"]) if "un" not in head else ""
    kind = chance.choice(["", "", "shared"])
    if head == "pg_advisory_un{}lock":
        name = f"pg_advisory_unlock{'_shared' * bool(kind)}"
        return f"SELECT {chance.choice([f'{name}({listed})', 'pg_advisory_unlock_all()'])}"
    middle = scope + ("lock_shared" if kind else "lock")
    name = head.replace("{}lock", middle)
    return f"SELECT {name}({listed})"
