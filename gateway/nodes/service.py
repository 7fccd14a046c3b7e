"""The part of a gateway that makes it one node of several: it answers, asks, places and leaves.

Connections live in the event loop. A thread of its own compares what this node holds with what it
should, because opening a database takes long.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from stategate.gateway.access.tls import Tls, trusting_context
from stategate.gateway.addresses import Address, parse_address
from stategate.gateway.busy_poll import BusyPoll
from stategate.gateway.errors import GatewayError, SettingsError
from stategate.gateway.nodes.counts import MeasuredPeer, UnreadableCopies
from stategate.gateway.nodes.handshake import (
    SPOKEN,
    Handshake,
    HandshakeError,
    Hello,
    Spoken,
    new_instance,
    read_secret,
)
from stategate.gateway.nodes.link import NodeLink
from stategate.gateway.nodes.peers import Peer, peers_of
from stategate.gateway.nodes.replicas import make
from stategate.gateway.nodes.server import NodeServer
from stategate.gateway.settings import Settings
from stategate.gateway.statement_threads import StatementThreads
from stategate.gateway.thread_settings import thread_count
from stategate.stores.hosting.host import Host
from stategate.stores.nodes.answering import cannot_reduce
from stategate.stores.nodes.cluster import Cluster
from stategate.stores.nodes.handover import (
    Held,
    announcement,
    changes,
    may_answer,
    may_leave,
)
from stategate.stores.nodes.links import Link
from stategate.stores.nodes.messages import Announcement
from stategate.stores.nodes.placement import Node
from stategate.stores.nodes.view import View, with_zone
from stategate.stores.spec.catalog import NodeStatus
from stategate.stores.spec.reductions import Reduce
from stategate.stores.spec.schema import StoreSchema
from stategate.stores.spec.store import Role
from stategate.stores.spec.traces import OnRead

logger = logging.getLogger(__name__)

_STEP_S = 0.1
"""How often a node compares what it holds with what it should."""
_PEERS_S = 1.0
"""How often a file or a name of peers is read again."""
_FORGET_S = 60.0
"""How long a node keeps its place after its address has gone: it is probably being restarted."""
_REQUESTS_QUEUE_MAX = 10_000
"""Requests of all other nodes that wait for a thread."""
_SETTLE_S = 2.0
"""How long a node waits at its start for those whose names only they know."""


class NodeService:
    """This node among others.

    Args:
        settings: those of the gateway.
        tls: the certificate; None for connections without TLS.
        product: the version of Stategate.
        busy_poll: keeps the event loop awake while nodes ask each other.
        spoken: the versions of the messages that the node speaks.

    Raises:
        SettingsError: the peers, the secret or the certificates cannot be used.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        tls: Tls | None,
        product: str,
        busy_poll: BusyPoll,
        spoken: Spoken = SPOKEN,
    ) -> None:
        self._settings, self._tls, self._product = settings, tls, product
        self._spoken = spoken
        self._busy_poll = busy_poll
        if settings.users and settings.auth != "trust" and not settings.nodes_secret:
            raise SettingsError(
                "nodes would be let in without a password, though there are users",
                hint="Set nodes_secret, the same for all nodes.",
            )
        self._secret = read_secret(settings.nodes_secret)
        self._instance = new_instance()
        self._peers = peers_of(settings.peers)
        authorities = Path(settings.nodes_ca) if settings.nodes_ca else None
        self._trusting = None if tls is None else trusting_context(authorities)
        node = Node(name=settings.node, zone=settings.zone, weight=settings.weight)
        self.view = View(node, copies=settings.copies)
        self.links: dict[str, Link] = {}
        """The nodes that can be asked, by name."""
        self._overdue: Counter[str] = Counter()
        self._counting = threading.Lock()
        self.unreadable = UnreadableCopies()
        self._host: Host | None = None
        self._server: NodeServer | None = None
        self._threads = StatementThreads(
            count=thread_count(settings.threads), queue_max=_REQUESTS_QUEUE_MAX
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._listed: dict[Address, Peer] = {}
        self._places: dict[Address, NodeLink] = {}
        self._said: dict[str, Node] = {}
        """Nodes whose names only they know, by name."""
        self._gone_since: dict[str, float] = {}
        self._own = Announcement(settings.node)
        self.is_leaving = False
        """Whether the node is about to stop."""
        self._stopping, self._changed = threading.Event(), threading.Event()
        self._placer = threading.Thread(target=self._run, name="place-partitions", daemon=True)

    def attach(
        self, host: Host, reduce: Reduce = cannot_reduce, on_read: OnRead | None = None
    ) -> Cluster:
        """Take the replicas of this node; return the stores of all nodes.

        Args:
            host: the replicas.
            reduce: reduces their rows before they are sent to other nodes.
            on_read: takes the reads of traced statements; None if they are not recorded here.
        """
        self._host = host
        host.editions.may_answer = lambda store: may_answer(
            self.view, self._settings.node, store.schema
        )
        self._server = NodeServer(
            lambda: host.editions.stores,
            threads=self._threads,
            handshake=partial(self._handshake, asks=False),
            announcement=lambda: self._own,
            reduce=reduce,
            tls=lambda: None if self._tls is None else self._tls.nodes_context(),
            on_answered=self._busy_poll.answered,
            on_read=on_read,
        )
        return Cluster(
            host,
            node=self._settings.node,
            links=self.links,
            holders=self.view.order,
            homes=self.view.homes,
            statuses=self._statuses,
            on_overdue=self._note_overdue,
            on_unreadable=self.unreadable.note,
        )

    def measured(self) -> Sequence[MeasuredPeer]:
        """Return all other nodes that have been connected, by name, for metrics."""
        answered = {} if self._server is None else dict(self._server.answered)
        links = {link.name: link for link in tuple(self._places.values()) if link.name}
        versions = {each.name: each.version for each in self._statuses()}
        return [
            MeasuredPeer(
                name=name,
                is_connected=link.is_open,
                version=versions.get(name, ""),
                counts=link.counts,
                overdue=self._overdue[name],
                answered=answered.get(name, 0),
            )
            for name, link in sorted(links.items())
            if name != self._settings.node
        ]

    def _statuses(self) -> Sequence[NodeStatus]:
        """Return the status of each node, with the usual time of its replies."""
        usual = {link.name: link.counts.usual_s for link in tuple(self._places.values())}
        found = []
        for status in self.view.statuses(self._own):
            usual_s = usual.get(status.name)
            reply_ms = None if usual_s is None else round(usual_s * 1000, 3)
            found.append(replace(status, reply_ms=reply_ms))
        return found

    def _note_overdue(self, node: str) -> None:
        with self._counting:
            self._overdue[node] += 1

    def placement(self, schema: StoreSchema) -> Mapping[int, Role]:
        """Return the partitions of a store that this node is to hold; see `Placement`."""
        return self.view.roles(schema)

    # In the event loop

    async def start(self) -> str:
        """Answer other nodes, and connect to them; return the address, HOST:PORT.

        Raises:
            ServeError: the address is in use or not of this machine.
            SettingsError: the peers cannot be read.
        """
        self._loop = asyncio.get_running_loop()
        assert self._server is not None, "attach comes first"
        try:
            found = await asyncio.to_thread(self._peers)
        except OSError as error:
            logger.warning("peers cannot be read yet: %s", error)
            found = {}
        address = await self._server.start(parse_address("nodes", self._settings.nodes))
        self._set_peers(found)
        self._placer.start()
        return address

    async def leave(self, *, within_s: float) -> None:
        """Let others take over what only this node has."""
        self.is_leaving = True
        self.view.leave()
        self._changed.set()
        until_s = time.monotonic() + within_s
        while time.monotonic() < until_s:
            is_idle = self._server is None or self._server.is_idle
            if is_idle and await asyncio.to_thread(self._may_leave):
                return
            await asyncio.sleep(_STEP_S)
        logger.warning("some partitions are only on this node, or are still read by others")

    async def stop(self) -> None:
        """Ask and answer no more."""
        self._stopping.set()
        self._changed.set()
        if self._server is not None:
            await self._server.stop()
        for link in tuple(self._places.values()):
            await link.close()
        if self._placer.is_alive():
            await asyncio.to_thread(self._placer.join)
        self._threads.close()

    def on_connected(self, link: NodeLink, peer: Hello) -> None:
        """See `LinkWatcher`."""
        listed = self._listed.get(link.address)
        if listed is not None and listed.node is not None and listed.node.name != peer.node:
            raise HandshakeError(f"it is node {peer.node}, not {listed.node.name}")
        other = self.links.get(peer.node)
        if other is not None and other is not link:
            raise HandshakeError(f"node {peer.node} is connected at another address")
        self.links[peer.node] = link
        self.view.connected(peer.node)
        self._changed.set()
        logger.info("node found node=%s", peer.node)

    def on_announced(self, link: NodeLink, announcement: Announcement) -> None:
        """See `LinkWatcher`."""
        if announcement.node != link.name:
            return
        # Most announcements are signs of life only.
        if self.view.heard(announcement):
            self._changed.set()
        listed = self._listed.get(link.address)
        if listed is not None and listed.node is None:
            said = with_zone(Node(name=announcement.node), announcement)
            if self._said.get(announcement.node) != said:
                self._said[announcement.node] = said
                self._set_members()

    def on_lost(self, link: NodeLink) -> None:
        """See `LinkWatcher`."""
        listed = self._listed.get(link.address)
        name = link.name or (listed and listed.node and listed.node.name)
        if name and self.links.get(name) in {link, None}:
            self.links.pop(name, None)
            self.unreadable.forget(name)
            self.view.lost(name, link.why_lost)
            self._changed.set()

    def _set_peers(self, found: Mapping[Address, Peer]) -> None:
        self._listed = dict(found)
        for address, peer in found.items():
            is_own = peer.node is not None and peer.node.name == self._settings.node
            if address not in self._places and not is_own:
                self._places[address] = NodeLink(
                    address,
                    handshake=partial(self._handshake, asks=True),
                    watcher=self,
                    tls=self._trusting,
                    server_name=peer.server_name,
                    on_sent=self._busy_poll.answered,
                )
        for address in self._places.keys() - found.keys():
            link = self._places.pop(address)
            asyncio.get_running_loop().create_task(link.close())
        self._set_members()

    def _set_members(self) -> None:
        """Tell the view who the nodes are: those that are listed, and those that said so."""
        listed = [peer.node for peer in self._listed.values() if peer.node is not None]
        now = time.monotonic()
        there = {link.name for link in self._places.values() if link.name}
        for name in tuple(self._said):
            if name in there:
                self._gone_since.pop(name, None)
            elif now - self._gone_since.setdefault(name, now) > _FORGET_S:
                del self._said[name], self._gone_since[name]
        self.view.set_members([*listed, *self._said.values()])
        self._changed.set()

    def _handshake(self, *, asks: bool) -> Handshake:
        settings = self._settings
        return Handshake(
            cluster=settings.cluster,
            node=settings.node,
            secret=self._secret,
            asks=asks,
            instance=self._instance,
            spoken=self._spoken,
            product=self._product,
        )

    # In threads

    def settle(self) -> None:
        """Wait a moment for nodes whose names only they know, since placement follows from them."""
        until_s = time.monotonic() + _SETTLE_S
        while time.monotonic() < until_s and any(
            peer.node is None and not self._is_known(address)
            for address, peer in tuple(self._listed.items())
        ):
            time.sleep(0.02)

    def _is_known(self, address: Address) -> bool:
        link = self._places.get(address)
        return link is None or link.name in self._said or link.is_self

    def _may_leave(self) -> bool:
        return may_leave(self.view, self._held())

    def _run(self) -> None:
        read_s = time.monotonic()
        while not self._stopping.is_set():
            self._changed.wait(_STEP_S)
            self._changed.clear()
            try:
                self._step()
                if time.monotonic() - read_s > _PEERS_S:
                    read_s = time.monotonic()
                    self._read_peers()
            except Exception:  # the outermost loop of this thread
                logger.exception("partitions cannot be placed now")
                self._stopping.wait(_PEERS_S)

    def _step(self) -> None:
        """Change what this node holds, and tell the others."""
        host = self._host
        assert host is not None, "attach comes first"
        held = self._held()
        if not self._stopping.is_set():
            make(host, changes(self.view, held))
        own = self._announcement(host.editions.held())
        if own != self._own and self._loop is not None and self._server is not None:
            self._own = own
            if not self._stopping.is_set():
                self._loop.call_soon_threadsafe(self._server.announce)

    def _held(self) -> dict[str, tuple[StoreSchema, Held]]:
        assert self._host is not None, "attach comes first"
        return {name: (store.schema, store.statuses()) for name, store in self._host.stores.items()}

    def _announcement(self, stores: Mapping[str, tuple[StoreSchema, Held]]) -> Announcement:
        node = self.view.members[self._settings.node]
        return announcement(self.view, node, stores, product=self._product)

    def _read_peers(self) -> None:
        try:
            found = self._peers()
        except (OSError, GatewayError) as error:
            logger.warning("peers cannot be read, keeping those known: %s", error)
            return
        if self._loop is None or self._stopping.is_set():
            return
        if found != self._listed:
            self._loop.call_soon_threadsafe(self._set_peers, found)
        elif self._said:
            self._loop.call_soon_threadsafe(self._set_members)
