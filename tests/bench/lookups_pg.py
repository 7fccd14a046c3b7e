"""Lookups of one key over the Postgres wire: prepared, and with a new text each time.

Each row has been looked up once before, on both sides, as on a server that has been up for a while.
The first lookup of a row has a line of its own.
"""

from __future__ import annotations

from tests.bench import data
from tests.bench.clients import PgTarget, pgbench_tps
from tests.bench.harness import Line, Measured, by_turns
from tests.bench.setting import Setting

PREPARED = """\\set id random({first}, {last})
SELECT id, visits, score, seen, city FROM users WHERE id = :id
"""
SIMPLE = PREPARED.replace(":id", "':id'")
"""pgbench puts the number into the text; the quotes make it a key."""


def prepared_1(setting: Setting) -> Line:
    """One client, one statement prepared once."""
    return _measured(setting, "prepared lookups, pg wire, 1 client", PREPARED, 1, "prepared", 1.0)


def prepared_16(setting: Setting) -> Line:
    """Sixteen clients, each with one statement prepared once."""
    return _measured(
        setting, "prepared lookups, pg wire, 16 clients", PREPARED, 16, "prepared", 1.0
    )


def prepared_64(setting: Setting) -> Line:
    """Sixty-four clients, each with one statement prepared once."""
    return _measured(
        setting, "prepared lookups, pg wire, 64 clients", PREPARED, 64, "prepared", 1.0
    )


def prepared_16_first(setting: Setting) -> Line:
    """Sixteen clients, the first lookup of each row."""
    pair = (setting.forgetful, setting.looked_up[1])
    return _measured(
        setting, "first prepared lookups, pg wire, 16 clients", PREPARED, 16, "prepared", pair=pair
    )


def simple_16(setting: Setting) -> Line:
    """Sixteen clients, another text each time."""
    return _measured(setting, "simple-protocol lookups, 16 clients", SIMPLE, 16, "simple", 0.5)


def script_text(template: str, keys: int) -> str:
    """Return a pgbench script that draws from a number of keys."""
    return template.format(first=data.FIRST_KEY, last=data.FIRST_KEY + keys - 1)


def _measured(
    setting: Setting,
    work: str,
    template: str,
    clients: int,
    protocol: str,
    least: float | None = None,
    *,
    pair: tuple[PgTarget, PgTarget] | None = None,
) -> Line:
    script = setting.script(f"{protocol}.pgbench", script_text(template, setting.keys))
    ours, rival = by_turns(
        *(
            lambda target=target: pgbench_tps(
                target, script, clients=clients, protocol=protocol, seconds=setting.seconds
            )
            for target in pair or setting.looked_up
        ),
        rounds=setting.rounds,
    )
    return Measured(
        work=work,
        unit="lookups/s",
        ours=ours,
        rival=rival,
        rival_name="PostgreSQL",
        ratio_least=least,
    )
