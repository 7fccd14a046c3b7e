"""The same statement in other texts: with named parameters, with tags, with void arguments."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote

from stategate.planner.commands.subscribe import CHANGE_COLUMNS
from stategate.planner.engine import QueryError, Session, number_parameters, tags_of
from stategate.planner.sql import SqlEngine
from stategate.planner.values.catalog_types import VOID
from stategate.planner.values.statement import StatementKind, Subscribe
from stategate.stores.spec.schema import DataType
from tests.fuzz.ways.asked import (
    Answer,
    Asked,
    Difference,
    counted,
    differs,
    executed,
    session_of,
    shown,
    values_of,
)

_PLACE = re.compile(r"\$(\d+)")
_VALUES = ("00-4bf9-01", "it's 100%", "é", "a,b='c'", "", "*\\")
_DAMAGE = ("", "", "", "", ", SNAPSHOT, SNAPSHOT", ", x", " = 2")
_CALLS: Mapping[str, tuple[str, ...]] = {
    "upper": ("t",),
    "left": ("t", "2"),
    "coalesce": ("t", "u::text", "'x'"),
    "concat": ("i", "(t)", "n"),
    "abs": ("(i + (b - b))",),
    "array_length": ("ARRAY[i, i]", "1"),
    "mod": ("i", "nullif(s, 0)"),
    "now": (),
}


def other_texts(
    engine: SqlEngine, asked: Asked, wanted: Answer, chance: random.Random
) -> Difference | None:
    """Return how a statement differs in another text; what it is worth in its own is known."""
    ways: Mapping[str, Callable[[], Answer | None]] = {
        "named parameters": lambda: _named(engine, asked, wanted, chance),
        "tags": lambda: _tagged(engine, asked, chance),
    }
    for way, ask in ways.items():
        given = ask()
        if given is not None and (how := differs(given, wanted)) is not None:
            return way, how, f"ours: {shown(given, wanted)}\njudge: {shown(wanted, given)}"
    misread = _subscribe(engine, asked, chance)
    return None if misread is None else ("SUBSCRIBE", *misread)


def _named(engine: SqlEngine, asked: Asked, wanted: Answer, chance: random.Random) -> Answer | None:
    """Return the answer to a text with `:name`; None if the statement has no parameters."""
    sql, texts = asked.sent()
    if not texts or "'$" in sql or ":name" in sql:
        return None
    long = chance.random() < 0.5
    names = {str(n): f"{'value_' if long else 'p'}{n}" for n in range(1, len(texts) + 1)}
    named = _PLACE.sub(lambda place: f":{names[place[1]]}", sql)
    by_name = dict(zip(names.values(), texts, strict=True))
    is_whole = not isinstance(wanted, str)  # otherwise the text may end within a string
    if is_whole and (refused := _refusal(named, {*by_name}, chance)) is not None:
        return refused
    numbered = number_parameters(named, by_name.keys())
    try:
        session = session_of(engine, asked)
        statement = engine.prepare(numbered.sql, session)
        values = values_of(statement, [by_name[name] for name in numbered.names])
        return counted(executed(engine, statement, values, session))
    except QueryError as error:
        return error.sqlstate


def _refusal(named: str, names: set[str], chance: random.Random) -> str | None:
    """Return what is said of a text with a name that has no value, or with a number, if wrong."""
    drawn = chance.random()
    text, wanted = (f"SELECT $1, {named}", "42601") if drawn < 0.1 else (named, "42P02")
    given = names if drawn < 0.1 else {*sorted(names)[1:]}
    if drawn > 0.2 or "[" in named or "{" in named:
        return None
    try:
        number_parameters(text, given)
    except QueryError as error:
        return None if error.sqlstate == wanted else error.sqlstate
    return "a name without a value is taken"


def _tagged(engine: SqlEngine, asked: Asked, chance: random.Random) -> Answer | None:
    """Return the answer to a text with tags at its end."""
    sql, texts = asked.sent()
    tags = {f"key {n}": chance.choice(_VALUES) for n in range(chance.randint(1, 3))}
    listed = ",".join(f"{quote(key)}='{quote(value)}'" for key, value in tags.items())
    tagged = f"{sql} /*{listed}*/"
    if tags_of(tagged) != tags:
        return f"tags {dict(tags_of(tagged))}"
    try:
        session = session_of(engine, asked)
        statement = engine.prepare(tagged, session)
        return counted(executed(engine, statement, values_of(statement, texts), session))
    except QueryError as error:
        return error.sqlstate


def _subscribe(engine: SqlEngine, asked: Asked, chance: random.Random) -> tuple[str, str] | None:
    """Return how the SUBSCRIBE of a statement is misread."""
    sql, _ = asked.sent()
    token, snapshot = chance.choice([None, "it's"]), chance.choice([None, True, False])
    options = []
    if snapshot is not None:
        words = {True: (" = TRUE", "", " ON", " = 1"), False: (" = FALSE", " OFF", " = 0")}
        options.append(f"SNAPSHOT{chance.choice(words[snapshot])}")
    if token is not None:
        quoted = token.replace("'", "''")
        after = f"AFTER{chance.choice([' =', ''])} '{quoted}'"
        options.insert(chance.randint(0, len(options)), after)
    damage = chance.choice(_DAMAGE) if options else ""
    head = chance.choice(["SUBSCRIBE", "SUBSCRIBE TO"])
    text = f"{head} ({sql})" + (f" WITH ({', '.join(options)}{damage})" if options else "")
    session = session_of(engine, asked)
    try:
        query = engine.prepare(sql, session)
    except QueryError:
        return None
    try:
        statement = engine.prepare(text, session)
    except QueryError as error:
        is_right = damage or query.kind is not StatementKind.SELECT
        return None if is_right else (error.sqlstate, f"{text}\n{error.message}")
    wanted = Subscribe(token=token, snapshot=snapshot is not False)
    if damage or statement.row_command != wanted or statement.parameters != query.parameters:
        return "options", f"{text}\n{statement.row_command}"
    columns = (*CHANGE_COLUMNS, *query.columns)
    return None if statement.columns == columns else ("columns", f"{text}\n{statement.columns}")


def void_arguments(engine: SqlEngine, chance: random.Random) -> Difference | str:
    """Call functions with arguments of type void among theirs; return how the rows differ."""
    call = chance.choice([*_CALLS])
    plain = [*_CALLS[call]]
    drawn, types = list(plain), list[DataType | None]()
    for _ in range(chance.randint(1, 3)):
        types.append(VOID)
        drawn.insert(chance.randint(0, len(drawn)), f"${len(types)}")
    where = " WHERE id = 3" if chance.random() < 0.5 else ""
    texts = [f"SELECT {call}({', '.join(each)}) FROM samples{where}" for each in (drawn, plain)]
    session = Session()
    try:
        with_void = engine.prepare(texts[0], session, parameter_types=types)
        rows = counted(executed(engine, with_void, (None,) * len(types), session))
        wanted = counted(executed(engine, engine.prepare(texts[1], session), (), session))
    except QueryError as error:
        return "void arguments", error.sqlstate, f"{texts[0]}\n{error.message}"
    if call != "now" and rows != wanted:
        return "void arguments", "rows", f"{texts[0]}\n{shown(rows, wanted)}"
    return "void arguments"
