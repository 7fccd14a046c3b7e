"""Small statements over the Postgres wire beyond the lookup of one key."""

from __future__ import annotations

from tests.bench import data
from tests.bench.clients import pgbench_tps
from tests.bench.harness import Line, Measured, by_turns
from tests.bench.setting import Setting

KEYS = tuple("abcdefghij")
"""Variables of a script with ten keys."""
_COLUMNS = "id, visits, score, seen, city"
_LISTED = ", ".join(f":{key}" for key in KEYS)
TEN_KEYS = f"SELECT {_COLUMNS} FROM {data.STORE} WHERE id IN ({_LISTED})\n"
PAGE = f"SELECT {_COLUMNS} FROM {data.STORE} WHERE id > :a ORDER BY id LIMIT 20\n"
GROUPED = (
    f"SELECT city, count(*) AS users, sum(visits)::bigint AS visits FROM {data.STORE}"
    f" WHERE id IN ({_LISTED}) GROUP BY city ORDER BY city\n"
)
CATALOG = "SELECT relname, relkind FROM pg_catalog.pg_class WHERE relname = 'users' ORDER BY 1\n"
LOOKUP = f"SELECT {_COLUMNS} FROM {data.STORE} WHERE id = :a\n"
BOUNDED = LOOKUP.replace("\n", " WITH BOUND (visits[0] >= 1)\n")


def ten_keys(setting: Setting) -> Line:
    """Ten keys by `IN`, one client, prepared once."""
    return _measured(setting, "ten keys by IN, pg wire", TEN_KEYS, TEN_KEYS, least=0.5)


def page(setting: Setting) -> Line:
    """The twenty rows after a key, in key order."""
    return _measured(setting, "page of 20, pg wire", PAGE, PAGE, least=0.25)


def grouped(setting: Setting) -> Line:
    """Ten rows grouped: the minimum cost of a statement that DuckDB composes."""
    return _measured(setting, "ten rows grouped, pg wire", GROUPED, GROUPED)


def grouped_new(setting: Setting) -> Line:
    """The same with a new text each time, which is planned and bound anew."""
    return _measured(
        setting, "ten rows grouped, new text", _quoted(GROUPED), _quoted(GROUPED), simple=True
    )


def catalog(setting: Setting) -> Line:
    """A catalog statement, of the kind that tools send."""
    return _measured(setting, "a relation of pg_class", CATALOG, CATALOG)


def bounded(setting: Setting) -> Line:
    """One key with a bound that is met; the other server looks it up without one."""
    return _measured(setting, "bounded lookups, pg wire", BOUNDED, LOOKUP, least=0.5)


def script_text(statement: str, keys: int) -> str:
    """Return a pgbench script that draws a statement's keys."""
    last = data.FIRST_KEY + keys - 1
    drawn = [name for name in KEYS if f":{name}" in statement]
    return "".join(f"\\set {name} random({data.FIRST_KEY}, {last})\n" for name in drawn) + statement


def _quoted(statement: str) -> str:
    """Return keys as literals; the simple protocol puts the numbers into the text."""
    for name in KEYS:
        statement = statement.replace(f":{name},", f"':{name}',").replace(
            f":{name})", f"':{name}')"
        )
    return statement


def _measured(
    setting: Setting,
    work: str,
    mine: str,
    theirs: str,
    *,
    simple: bool = False,
    least: float | None = None,
) -> Line:
    protocol = "simple" if simple else "prepared"
    scripts = [
        setting.script(f"{side}.pgbench", script_text(text, setting.keys))
        for side, text in (("ours", mine), ("rival", theirs))
    ]
    ours, rival = by_turns(
        *(
            lambda target=target, script=script: pgbench_tps(
                target, script, clients=1, protocol=protocol, seconds=setting.seconds
            )
            for target, script in zip(setting.pair, scripts, strict=True)
        ),
        rounds=setting.rounds,
    )
    return Measured(
        work=work,
        unit="statements/s",
        ours=ours,
        rival=rival,
        rival_name="PostgreSQL",
        ratio_least=least,
    )
