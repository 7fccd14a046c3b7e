"""SQLAlchemy 2 by four drivers: reflection, Core, ORM, server-side cursors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from tests.clients.programs.asking import LOGIN_SQL, asks, lists, logs_in, named
from tests.clients.programs.steps import ROOT_CERTIFICATE, URL, expect, login_url, main, step

DRIVERS = ("psycopg2", "psycopg", "pg8000")
STORES = ["clicks_hourly", "numbers", "orders", "prices", "users"]


def by_each_driver(body: Callable[[sa.Engine], None]) -> None:
    for driver in DRIVERS:
        engine = sa.create_engine(URL.replace("postgresql", f"postgresql+{driver}"))
        try:
            body(engine)
        except Exception as error:
            raise AssertionError(f"by {driver}") from error
        finally:
            engine.dispose()


@step
def inspects() -> None:
    by_each_driver(_inspect)


def _inspect(engine: sa.Engine) -> None:
    inspector = sa.inspect(engine)
    expect(sorted(inspector.get_table_names()), STORES)
    expect(inspector.get_view_names(), [])
    assert {"public", "stategate"} <= set(inspector.get_schema_names())
    assert "stores" in inspector.get_view_names(schema="stategate")
    expect(
        inspector.get_pk_constraint("clicks_hourly")["constrained_columns"],
        ["page", "window_start"],
    )
    expect(inspector.get_pk_constraint("prices")["constrained_columns"], ["item", "valid_from"])
    types = {column["name"]: column["type"] for column in inspector.get_columns("users")}
    expect(
        {name: str(kind) for name, kind in types.items()},
        {
            **{"name": "TEXT", "active": "BOOLEAN", "tiny": "SMALLINT", "small": "SMALLINT"},
            **{"age": "INTEGER", "visits": "BIGINT", "score": "REAL", "mean": str(types["mean"])},
            **{"balance": "NUMERIC(18, 2)", "city": "TEXT", "token": "BYTEA", "born": "DATE"},
            **{"wakes": "TIME", "local": "TIMESTAMP", "seen": "TIMESTAMP", "device": "UUID"},
            "profile": "JSON",
        },
    )
    expect(inspector.get_foreign_keys("orders"), [])
    expect(inspector.get_unique_constraints("orders"), [])
    expect(inspector.get_check_constraints("orders"), [])
    expect([index["name"] for index in inspector.get_indexes("orders")], [])
    comment = inspector.get_table_comment("orders")["text"]
    expect((comment or "").partition(", from")[0], "keyvalue store, 4 partitions")
    expect(inspector.has_table("orders"), True)
    expect(inspector.has_table("nothing"), False)


@step
def reflects_and_selects() -> None:
    by_each_driver(_reflect)


def _reflect(engine: sa.Engine) -> None:
    metadata = sa.MetaData()
    metadata.reflect(engine)
    expect(sorted(metadata.tables), STORES)
    users, orders = metadata.tables["users"], metadata.tables["orders"]
    with engine.connect() as connection:
        total = (
            sa.select(users.c.name, sa.func.sum(orders.c.amount))
            .join(orders, orders.c.customer == users.c.name)
            .where(orders.c.number.in_([1, 2]), users.c.name.like("%a"))
            .group_by(users.c.name)
            .order_by(users.c.name)
        )
        expect([*map(tuple, connection.execute(total))], [("ada", Decimal("76.50"))])
        row = connection.execute(sa.select(users).where(users.c.name == "ada")).mappings().one()
        expect(row["balance"], Decimal("1234.50"))
        cte = sa.select(orders.c.customer, sa.func.count().label("n")).group_by(orders.c.customer)
        found = connection.execute(sa.select(sa.func.max(cte.cte("counts").c.n))).scalar_one()
        expect(found, 4)
        exists = sa.select(sa.exists().where(orders.c.customer == "bob"))
        expect(connection.execute(exists).scalar_one(), True)


@step
def streams() -> None:
    def stream(engine: sa.Engine) -> None:
        with engine.connect().execution_options(stream_results=True) as connection:
            rows = connection.execute(sa.text("SELECT id FROM numbers"))
            expect(sum(1 for _ in rows), 20_000)

    by_each_driver(stream)


class Base(DeclarativeBase):
    """The root of mapped classes."""


class Order(Base):
    """A row of `orders`."""

    __tablename__ = "orders"
    customer: Mapped[str] = mapped_column(primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    amount: Mapped[Decimal]
    note: Mapped[str | None]


@step
def maps() -> None:
    def load(engine: sa.Engine) -> None:
        with Session(engine) as session:
            order = session.get(Order, ("bob", 2))
            assert order is not None
            expect((order.amount, order.note), (Decimal("50.75"), "order 2 of bob"))
            many = session.scalars(sa.select(Order).where(Order.note.is_not(None))).all()
            expect(len(many), 3)

    by_each_driver(load)


@step
def isolation_levels() -> None:
    def read(engine: sa.Engine) -> None:
        options: dict[str, Any] = {"isolation_level": "REPEATABLE READ"}
        with engine.connect().execution_options(**options) as connection:
            expect(connection.get_isolation_level(), "REPEATABLE READ")
            expect(connection.execute(sa.text("SELECT count(*) FROM users")).scalar_one(), 5)

    by_each_driver(read)


@step
def pre_ping() -> None:
    engine = sa.create_engine(URL, pool_pre_ping=True, pool_size=1, max_overflow=0)
    for _ in range(3):
        with engine.connect() as connection:
            expect(connection.execute(sa.text("SELECT 1")).scalar_one(), 1)
    engine.dispose()


@step
async def asynchronously() -> None:
    engine = create_async_engine(URL.replace("postgresql", "postgresql+asyncpg"))
    async with engine.connect() as connection:
        query = sa.text("SELECT word FROM numbers WHERE id = :id")
        expect((await connection.execute(query, {"id": 8})).scalar_one(), "word 1")
        names = await connection.run_sync(lambda each: sa.inspect(each).get_table_names())
        expect(sorted(names), STORES)
        columns = await connection.run_sync(lambda each: sa.inspect(each).get_columns("prices"))
        expect(str(columns[-1]["type"]), "ARRAY")
    await engine.dispose()


def _asking(driver: str) -> Callable[[str, Sequence[object]], list[Any]]:
    def ask(sql: str, parameters: Sequence[object]) -> list[Any]:
        text, values = named(sql, parameters)
        engine = sa.create_engine(URL.replace("postgresql", f"postgresql+{driver}"))
        try:
            with engine.connect() as connection:
                return [*map(tuple, connection.execute(sa.text(text), values))]
        finally:
            engine.dispose()

    return ask


def _listing(driver: str) -> Callable[[], dict[str, list[str]]]:
    def reflect() -> dict[str, list[str]]:
        metadata = sa.MetaData()
        metadata.reflect(sa.create_engine(URL.replace("postgresql", f"postgresql+{driver}")))
        return {name: [*table.columns.keys()] for name, table in metadata.tables.items()}

    return reflect


for each in DRIVERS:
    asks(f"SQLAlchemy by {each}")(_asking(each))
    lists(f"SQLAlchemy by {each}")(_listing(each))


@asks("SQLAlchemy by asyncpg")
async def ask_asynchronously(sql: str, parameters: Sequence[object]) -> list[Any]:
    text, values = named(sql, parameters)
    engine = create_async_engine(URL.replace("postgresql", "postgresql+asyncpg"))
    async with engine.connect() as connection:
        rows = [*map(tuple, await connection.execute(sa.text(text), values))]
    await engine.dispose()
    return rows


@lists("SQLAlchemy by asyncpg")
async def reflect_asynchronously() -> dict[str, list[str]]:
    engine = create_async_engine(URL.replace("postgresql", "postgresql+asyncpg"))
    metadata = sa.MetaData()
    async with engine.connect() as connection:
        await connection.run_sync(metadata.reflect)
    await engine.dispose()
    return {name: [*table.columns.keys()] for name, table in metadata.tables.items()}


@logs_in("SQLAlchemy by psycopg")
def log_in(password: str) -> list[Any]:
    options = {"sslmode": "verify-full", "sslrootcert": ROOT_CERTIFICATE}
    scheme = "postgresql+psycopg"
    url = login_url(password, scheme=scheme, channel_binding="require", **options)
    with sa.create_engine(url, poolclass=sa.NullPool).connect() as connection:
        return [*map(tuple, connection.execute(sa.text(LOGIN_SQL)))]


if __name__ == "__main__":
    main()
