"""Joins and aggregates like those of TPC-H give the rows that DuckDB gives."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from decimal import Decimal

import pytest

from stategate.stores.spec.schema import Row, Value
from tests.planner.sides import Sides, build
from tests.support.stores import keyvalue

REGION = keyvalue("region", {"r_regionkey": "integer"}, {"r_name": "text"})
NATION = keyvalue(
    "nation", {"n_nationkey": "integer"}, {"n_name": "text", "n_regionkey": "integer"}
)
SUPPLIER = keyvalue(
    "supplier",
    {"s_suppkey": "integer"},
    {"s_name": "text", "s_nationkey": "integer", "s_acctbal": "decimal(12,2)"},
)
CUSTOMER = keyvalue(
    "customer",
    {"c_custkey": "integer"},
    {
        "c_name": "text",
        "c_nationkey": "integer",
        "c_mktsegment": "text",
        "c_acctbal": "decimal(12,2)",
        "c_phone": "text",
    },
)
PART = keyvalue(
    "part", {"p_partkey": "integer"}, {"p_name": "text", "p_brand": "text", "p_size": "integer"}
)
ORDERS = keyvalue(
    "orders",
    {"o_orderkey": "bigint"},
    {
        "o_custkey": "integer",
        "o_orderdate": "date",
        "o_orderpriority": "text",
        "o_totalprice": "decimal(12,2)",
    },
)
LINEITEM = keyvalue(
    "lineitem",
    {"l_orderkey": "bigint", "l_linenumber": "integer"},
    {
        "l_partkey": "integer",
        "l_suppkey": "integer",
        "l_quantity": "decimal(12,2)",
        "l_extendedprice": "decimal(12,2)",
        "l_discount": "decimal(4,2)",
        "l_tax": "decimal(4,2)",
        "l_returnflag": "text",
        "l_linestatus": "text",
        "l_shipdate": "date",
        "l_commitdate": "date",
        "l_receiptdate": "date",
        "l_shipmode": "text",
    },
)
SCHEMAS = (REGION, NATION, SUPPLIER, CUSTOMER, PART, ORDERS, LINEITEM)
FIRST_DAY, DAYS = 8035, 2400
"""The day 1992-01-01, and the number of days with orders."""


def money(dice: random.Random, most: int) -> Decimal:
    return Decimal(dice.randrange(most * 100)).scaleb(-2)


def line(dice: random.Random, order: int, number: int, ordered: int) -> Row:
    shipped = ordered + dice.randrange(1, 120)
    return (
        order,
        number,
        dice.randrange(40),
        dice.randrange(20),
        Decimal(dice.randrange(1, 51)),
        money(dice, 90_000),
        Decimal(dice.randrange(11)).scaleb(-2),
        Decimal(dice.randrange(9)).scaleb(-2),
        dice.choice("ANR"),
        dice.choice("OF"),
        shipped,
        ordered + dice.randrange(30, 90),
        shipped + dice.randrange(1, 30),
        dice.choice(["MAIL", "SHIP", "AIR", "RAIL"]),
    )


def rows() -> dict[str, list[Row]]:
    dice = random.Random(7)
    regions = ["AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST"]
    segments = ["BUILDING", "MACHINERY", "AUTOMOBILE", "FURNITURE"]
    orders: list[Row] = []
    lines: list[Row] = []
    for key in range(800):
        day = FIRST_DAY + dice.randrange(DAYS)
        priority = dice.choice(["1-URGENT", "2-HIGH", "5-LOW"])
        orders.append((key, dice.randrange(90), day, priority, money(dice, 300_000)))
        lines += [line(dice, key, n, day) for n in range(dice.randrange(1, 6))]
    return {
        "region": list(enumerate(regions)),
        "nation": [(i, f"NATION {i}", i % 5) for i in range(15)],
        "supplier": [(i, f"Supplier {i}", i % 15, money(dice, 9000)) for i in range(20)],
        "customer": [
            (
                i,
                f"Customer {i}",
                i % 15,
                dice.choice(segments),
                money(dice, 9000),
                f"{10 + i % 25}-1",
            )
            for i in range(120)
        ],
        "part": [
            (i, dice.choice(["green", "red"]) + f" part {i}", f"Brand#{i % 5}", i % 50)
            for i in range(40)
        ],
        "orders": orders,
        "lineitem": lines,
    }


QUERIES = {
    "pricing summary": """SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice),
        sum(l_extendedprice * (1 - l_discount)), avg(l_quantity), avg(l_discount), count(*)
        FROM lineitem WHERE l_shipdate <= date '1998-12-01' - interval '90 days'
        GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    "shipping priority": """SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue,
        o_orderdate FROM customer, orders, lineitem WHERE c_mktsegment = 'BUILDING'
        AND c_custkey = o_custkey AND l_orderkey = o_orderkey AND o_orderdate < date '1995-03-15'
        AND l_shipdate > date '1995-03-15' GROUP BY l_orderkey, o_orderdate
        ORDER BY revenue DESC, o_orderdate LIMIT 10""",
    "order priority": """SELECT o_orderpriority, count(*) FROM orders WHERE EXISTS (SELECT *
        FROM lineitem WHERE l_orderkey = o_orderkey AND l_commitdate < l_receiptdate)
        GROUP BY o_orderpriority ORDER BY o_orderpriority""",
    "local supplier volume": """SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
        FROM customer JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
        JOIN supplier ON l_suppkey = s_suppkey AND c_nationkey = s_nationkey
        JOIN nation ON s_nationkey = n_nationkey JOIN region ON n_regionkey = r_regionkey
        WHERE r_name = 'ASIA' GROUP BY n_name ORDER BY revenue DESC""",
    "forecast": """SELECT sum(l_extendedprice * l_discount) FROM lineitem
        WHERE l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
    "volume shipping": """SELECT supp, cust, y, sum(volume) FROM (SELECT n1.n_name AS supp,
        n2.n_name AS cust, CAST(extract(year FROM l_shipdate) AS integer) AS y,
        l_extendedprice * (1 - l_discount) AS volume FROM supplier, lineitem, orders, customer,
        nation n1, nation n2 WHERE s_suppkey = l_suppkey AND o_orderkey = l_orderkey
        AND c_custkey = o_custkey AND s_nationkey = n1.n_nationkey
        AND c_nationkey = n2.n_nationkey) q GROUP BY supp, cust, y ORDER BY supp, cust, y""",
    "market share": """SELECT CAST(extract(year FROM o_orderdate) AS integer) AS y, sum(CASE WHEN
        n_name = 'NATION 3' THEN l_extendedprice ELSE 0 END) / sum(l_extendedprice) FROM orders
        JOIN lineitem ON l_orderkey = o_orderkey JOIN supplier ON s_suppkey = l_suppkey
        JOIN nation ON n_nationkey = s_nationkey GROUP BY 1 ORDER BY 1""",
    "returned items": """SELECT c_custkey, c_name, sum(l_extendedprice * (1 - l_discount)) AS lost,
        c_acctbal FROM customer, orders, lineitem WHERE c_custkey = o_custkey
        AND l_orderkey = o_orderkey AND l_returnflag = 'R' GROUP BY c_custkey, c_name, c_acctbal
        ORDER BY lost DESC, c_custkey LIMIT 20""",
    "shipping modes": """SELECT l_shipmode, sum(CASE WHEN o_orderpriority = '1-URGENT' THEN 1 ELSE 0
        END) AS high, sum(CASE WHEN o_orderpriority <> '1-URGENT' THEN 1 ELSE 0 END) AS low
        FROM orders, lineitem WHERE o_orderkey = l_orderkey AND l_shipmode IN ('MAIL', 'SHIP')
        GROUP BY l_shipmode ORDER BY l_shipmode""",
    "customer distribution": """SELECT n, count(*) FROM (SELECT c_custkey, count(o_orderkey) AS n
        FROM customer LEFT JOIN orders ON c_custkey = o_custkey GROUP BY c_custkey) q
        GROUP BY n ORDER BY count(*) DESC, n DESC""",
    "promotion effect": """SELECT 100.00 * sum(CASE WHEN p_name LIKE 'green%' THEN l_extendedprice
        ELSE 0 END) / sum(l_extendedprice) FROM lineitem, part WHERE l_partkey = p_partkey""",
    "top supplier": """WITH revenue AS (SELECT l_suppkey AS s, sum(l_extendedprice) AS total
        FROM lineitem GROUP BY l_suppkey) SELECT s_suppkey, s_name, total FROM supplier, revenue
        WHERE s_suppkey = s AND total = (SELECT max(total) FROM revenue)""",
    "small orders": """SELECT sum(l_extendedprice) / 7.0 FROM lineitem l, part WHERE
        p_partkey = l_partkey AND l_quantity < (SELECT 0.6 * avg(l_quantity) FROM lineitem
        WHERE l_partkey = p_partkey)""",
    "large orders": """SELECT c_name, o_orderkey, sum(l_quantity) FROM customer, orders, lineitem
        WHERE o_orderkey IN (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey
        HAVING sum(l_quantity) > 150) AND c_custkey = o_custkey AND o_orderkey = l_orderkey
        GROUP BY c_name, o_orderkey ORDER BY 3 DESC, 2""",
    "global sales opportunity": """SELECT left(c_phone, 2) AS code, count(*), sum(c_acctbal)
        FROM customer WHERE c_acctbal > (SELECT avg(c_acctbal) FROM customer)
        AND NOT EXISTS (SELECT * FROM orders WHERE o_custkey = c_custkey)
        GROUP BY code ORDER BY code""",
    "ranks": """SELECT * FROM (SELECT o_custkey, o_orderkey, rank() OVER (PARTITION BY o_custkey
        ORDER BY o_totalprice DESC) AS place FROM orders) q WHERE place = 1 ORDER BY o_custkey""",
}


@pytest.fixture(scope="module")
def warehouse() -> Iterator[Sides]:
    both = build(SCHEMAS, rows())
    yield both
    both.engine.close()


@pytest.mark.parametrize("name", QUERIES)
def test_rows_equal_those_of_duckdb(warehouse: Sides, name: str) -> None:
    ours, theirs = warehouse.ours(QUERIES[name]), warehouse.theirs(QUERIES[name])
    assert ours
    assert len(ours) == len(theirs)
    for row, other in zip(ours, theirs, strict=True):
        assert all(is_same(a, b) for a, b in zip(row, other, strict=True)), (row, other)


def is_same(one: Value, other: Value) -> bool:
    """Whether values are equal; our numbers may be exact where DuckDB's are doubles."""
    if isinstance(one, Decimal | float | int) and isinstance(other, Decimal | float | int):
        return math.isclose(float(one), float(other), rel_tol=1e-9)
    return bool(one == other)
