"""The cases of cursors; `python -m tests.gateway.pgwire.cursor_cases` gets PostgreSQL's answers.

`cases/cursors.json` has walks over a few numbered rows, chosen at random, with the answer of
PostgreSQL 15 at each step: rows and tag, or the error that ended the walk. To make it anew, name a
server in STATEGATE_TEST_POSTGRES (see `test_transcripts`).
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import psycopg

FILE = Path(__file__).parent / "cases" / "cursors.json"
ROWS = (0, 1, 5)
STEPS = 14
WALKS = 60


def _step(chance: random.Random) -> str:
    number = chance.choice([-7, -3, -2, -1, 0, 1, 2, 3, 7])
    where = chance.choice(
        [
            *("NEXT", "PRIOR", "FIRST", "LAST", "ALL", "FORWARD", "BACKWARD", "FORWARD ALL"),
            *("BACKWARD ALL", str(number), f"FORWARD {number}", f"BACKWARD {number}"),
            *(f"ABSOLUTE {number}", f"RELATIVE {number}", "", "NEXT", "2"),
        ]
    )
    verb = chance.choice(["FETCH", "FETCH", "MOVE"])
    return f"{verb} {where} {chance.choice(['FROM', 'IN'])} c"


def _walk(
    connection: psycopg.Connection[tuple[int]], chance: random.Random, rows: int, scroll: str
) -> dict[str, object]:
    steps: list[list[object]] = []
    with connection.transaction(force_rollback=True):
        connection.execute(f"DECLARE c {scroll} CURSOR FOR SELECT generate_series(1, {rows})")
        try:
            for _ in range(STEPS):
                sql = _step(chance)
                cursor = connection.execute(sql)
                given = [number for (number,) in cursor] if cursor.description else []
                steps.append([sql, given, cursor.statusmessage])
        except psycopg.Error as error:
            steps.append([sql, [error.sqlstate, error.diag.message_primary], None])
    return {"rows": rows, "scroll": scroll, "steps": steps}


def main() -> None:
    """Write the file."""
    host, port, user, database = os.environ["STATEGATE_TEST_POSTGRES"].split(":")
    chance = random.Random(20130101)
    with psycopg.connect(host=host, port=int(port), user=user, dbname=database) as connection:
        walks = [
            _walk(connection, chance, rows, scroll)
            for scroll in ("SCROLL", "NO SCROLL")
            for rows in ROWS
            for _ in range(WALKS // len(ROWS))
        ]
    FILE.write_text("[\n" + ",\n".join(json.dumps(each) for each in walks) + "\n]\n")


if __name__ == "__main__":
    main()
