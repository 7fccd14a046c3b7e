"""connectorx: COPY in binary and cursors of rows, partitioned reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import connectorx as cx

from tests.clients.programs.asking import LOGIN_SQL, asks, inlined, logs_in, rows_of
from tests.clients.programs.steps import ROOT_CERTIFICATE, URL, expect, login_url, main, step

PROTOCOLS = ("binary", "cursor", "csv", "simple")


def read(sql: str, *, protocol: str = "binary", **options: Any) -> Any:
    return cx.read_sql(URL, sql, return_type="arrow", protocol=protocol, **options)


@step
def reads_by_each_protocol() -> None:
    for protocol in PROTOCOLS:
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


def _asking(protocol: str) -> Callable[[str, Sequence[object]], list[tuple[object, ...]]]:
    def ask(sql: str, parameters: Sequence[object]) -> list[tuple[object, ...]]:
        return rows_of(read(inlined(sql, parameters), protocol=protocol).to_pydict())

    return ask


for each in PROTOCOLS:
    asks(f"connectorx {each}")(_asking(each))


@logs_in("connectorx binary")
def log_in(password: str) -> list[tuple[object, ...]]:
    url = login_url(password, sslmode="require", sslrootcert=ROOT_CERTIFICATE)
    return rows_of(cx.read_sql(url, LOGIN_SQL, return_type="arrow").to_pydict())


if __name__ == "__main__":
    main()
