"""connectorx: COPY in binary and cursors of rows, partitioned reads."""

from __future__ import annotations

from typing import Any

import connectorx as cx

from tests.clients.programs.steps import URL, expect, main, step


def read(sql: str, *, protocol: str = "binary", **options: Any) -> Any:
    return cx.read_sql(URL, sql, return_type="arrow", protocol=protocol, **options)


@step
def reads_by_each_protocol() -> None:
    for protocol in ("binary", "cursor", "csv", "simple"):
        table = read("SELECT id, squared, word FROM numbers", protocol=protocol)
        expect((protocol, table.num_rows, table["word"].null_count), (protocol, 20_000, 20))


@step
def reads_types() -> None:
    table = read(
        "SELECT active, small, age, visits, mean, city, token, born, wakes, local, seen, device"
        " FROM users WHERE name = 'ada'"
    )
    row = table.to_pylist()[0]
    expect([row["active"], row["small"], row["visits"]], [True, 300, 9_000_000_000])
    expect([row["city"], row["token"]], ["London", b"\x00\x01\xfe\xff"])


@step
def reads_partitioned() -> None:
    table = read("SELECT id, word FROM numbers", partition_on="id", partition_num=3)
    expect(table.num_rows, 20_000)


if __name__ == "__main__":
    main()
