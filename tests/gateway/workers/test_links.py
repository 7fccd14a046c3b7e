"""Orders arrive at workers, notes at the supervisor; either side notices the end of the other."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from functools import partial

import pytest

from stategate.gateway.workers.links import Note, Order, SupervisorEnd, WorkerEnd
from tests.support.waiting import WAIT_S

pytestmark = pytest.mark.anyio


class Ends:
    """Both ends of a link, and the orders and notes that have arrived."""

    def __init__(self) -> None:
        one, other = socket.socketpair()
        self.notes: list[Note] = []
        self.orders: list[Order] = []
        self.served: list[tuple[Order, socket.socket]] = []
        self.supervisor = SupervisorEnd(one, self.notes.append)
        self.worker = WorkerEnd(other)
        self.worker.listen(
            serve={
                order: partial(self._serve, order)
                for order in (Order.SERVE_HTTP, Order.SERVE_POSTGRES)
            },
            obey={
                order: partial(self.orders.append, order)
                for order in (Order.RELOAD, Order.STOP, Order.STOP_NOW)
            },
        )

    def _serve(self, order: Order, connection: socket.socket) -> None:
        self.served.append((order, connection))


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 - the test looks from outside
            await asyncio.sleep(0.001)


async def test_connections_and_orders_arrive_in_order() -> None:
    ends = Ends()
    clients = []
    for number in range(20):
        client, accepted = socket.socketpair()
        clients.append(client)
        order = Order.SERVE_HTTP if number % 2 else Order.SERVE_POSTGRES
        with accepted:
            assert ends.supervisor.send(order, accepted)
        assert ends.supervisor.send(Order.RELOAD)
    await until(lambda: len(ends.orders) == 20)
    assert [order for order, _ in ends.served] == [Order.SERVE_POSTGRES, Order.SERVE_HTTP] * 10
    for number, (client, (_, connection)) in enumerate(zip(clients, ends.served, strict=True)):
        connection.setblocking(True)
        client.sendall(b"%d" % number)
        assert connection.recv(10) == b"%d" % number
        client.close()
        connection.close()
    ends.worker.close()
    ends.supervisor.close()


async def test_no_note_is_lost_if_the_supervisor_is_slow() -> None:
    ends = Ends()
    for _ in range(5_000):  # more than the socket holds
        ends.worker.note(Note.CLOSED_HTTP)
    ends.worker.note(Note.READY)
    await until(lambda: ends.notes[-1:] == [Note.READY])
    assert ends.notes == [Note.CLOSED_HTTP] * 5_000 + [Note.READY]
    ends.worker.close()
    ends.supervisor.close()


async def test_a_worker_that_hangs_is_sent_no_more_orders() -> None:
    one, other = socket.socketpair()
    supervisor = SupervisorEnd(one, lambda note: None)
    sent = 0
    while supervisor.send(Order.RELOAD):
        sent += 1
        assert sent < 1_000_000
    supervisor.close()
    other.close()
    assert sent > 0


async def test_the_end_of_the_supervisor_stops_the_worker() -> None:
    ends = Ends()
    ends.supervisor.close()
    await until(lambda: ends.orders == [Order.STOP])
    ends.worker.note(Note.READY)  # no one listens
    ends.worker.close()


async def test_nothing_can_be_sent_to_a_worker_that_has_ended() -> None:
    ends = Ends()
    ends.worker.close()
    await until(lambda: not ends.supervisor.send(Order.RELOAD))
    ends.supervisor.close()


async def test_a_connection_whose_socket_is_lost_has_ended() -> None:
    """So it is for a worker that may open no more files."""
    ends = Ends()
    for order in (Order.SERVE_HTTP, Order.SERVE_POSTGRES, Order.RELOAD):
        assert ends.supervisor.send(order)
    await until(lambda: len(ends.notes) == 2)
    assert ends.notes == [Note.CLOSED_HTTP, Note.CLOSED_POSTGRES]
    assert (ends.served, ends.orders) == ([], [Order.RELOAD])
    ends.worker.close()
    ends.supervisor.close()
