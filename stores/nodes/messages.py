"""The messages of nodes to each other: requests about the replicas of a node, and its replies."""

from __future__ import annotations

from typing import Any, TypeAlias, get_args

from msgspec import Struct

from stategate.stores.nodes.codec import known
from stategate.stores.spec.position import EMPTY, Position, PositionBound
from stategate.stores.spec.query import Query
from stategate.stores.spec.result import Failure, QueryResult
from stategate.stores.spec.store import PartitionStatus, QueryConfig
from stategate.stores.spec.traces import Trace

VERSION = 2
"""The newest version of these messages that this node speaks. DECISIONS.md says what needs a new
one."""
LEAST_VERSION = 2
"""The oldest version that it speaks. Two nodes talk in the newest one that both speak."""
MINOR = 3
"""Grows with each addition, and never goes back, also with a new version. Nodes say it when they
meet: a sender of what is new has to ask it, and to do without. All of 0.1.0 is known to each."""


@known
class Ask(Struct, frozen=True):
    """Ask partitions of a store; `Answers` replies."""

    store: str
    """Its address, which names its incarnation, too; as in all other requests."""
    targets: tuple[tuple[int, Query[Any], QueryConfig | None], ...]
    """Each partition, its query, and how to ask it; None for the default."""
    trace: Trace | None = None
    """The trace that the answers belong to, of the statement that asks."""


@known
class FirstRows(Struct, frozen=True):
    """A `FirstRowsQuery` on its way, with the seconds that are left instead of a local time."""

    of: Query[Any]
    count: int
    left_s: float | None
    """None if there is no limit."""


@known
class ReadStream(Struct, frozen=True):
    """Read a stream that an answer has opened; `Batches` replies."""

    stream: int
    """Its number on this connection."""
    read: int = 1
    """Counts how often the stream is read; a higher number begins at its first row again."""


@known
class Reduce(Struct, frozen=True):
    """Reduce streams that answers have opened; `Reduced` replies.

    It is sent again until the reduction is complete.
    """

    streams: tuple[int, ...]
    """Their numbers on this connection."""
    how: Any
    """The description, of a known type; see `stategate.stores.spec.reductions`."""


@known
class Release(Struct, frozen=True):
    """Release streams, held epochs and followed keys, and end waits; there is no reply."""

    streams: tuple[int, ...] = ()
    holds: tuple[int, ...] = ()
    waits: tuple[int, ...] = ()
    """The numbers of their requests on this connection."""
    logs: tuple[int, ...] = ()
    """The numbers of followed keys on this connection."""


@known
class AskStatuses(Struct, frozen=True):
    """Ask for the status of each replica of a store; `Statuses` replies."""

    store: str


@known
class HoldEpoch(Struct, frozen=True):
    """Keep an epoch of a partition; `HeldEpoch` replies."""

    store: str
    partition: int
    epoch: int | None


@known
class AskHold(Struct, frozen=True):
    """Ask whether an epoch is still kept; `HeldEpoch` replies."""

    hold: int


@known
class FollowKeys(Struct, frozen=True):
    """Record the keys that epochs of a partition change from now on; `Followed` replies."""

    store: str
    partition: int


@known
class AskKeys(Struct, frozen=True):
    """Ask which keys have changed between two epochs; `Keys` replies."""

    log: int
    """The number of `Followed`."""
    after: int
    up_to: int


@known
class WaitForBound(Struct, frozen=True):
    """Wait until a partition meets a bound; `Met` replies."""

    store: str
    partition: int
    bound: PositionBound
    timeout_s: float


@known
class Answer(Struct, frozen=True):
    """The answer of one partition."""

    epoch: int
    position: Position = EMPTY
    info: tuple[str, ...] = ()
    value: Any = None
    """The result of the query; `Opened` for a stream."""
    failed: tuple[str, str, bool] | None = None
    """For a failure: its reason, its message, and whether the replica restores."""

    @staticmethod
    def of(result: QueryResult[Any]) -> Answer:
        """Return a result whose value is no stream as it travels."""
        if isinstance(result, Failure):
            failed = (result.reason.value, result.message, result.restoring)
            return Answer(result.epoch, result.position, result.info, failed=failed)
        return Answer(result.epoch, result.position, result.info, result.value)


@known
class Opened(Struct, frozen=True):
    """A stream that can be read."""

    stream: int
    """Its number on this connection."""
    rows_in_memory: int | None
    has_rows: bool


@known
class Answers(Struct, frozen=True):
    """The answers of partitions, in the order of the targets."""

    answers: tuple[Answer, ...]


@known
class Batches(Struct, frozen=True):
    """Rows of a stream. An Arrow stream follows the message, unless no rows are left."""

    is_last: bool


@known
class Reduced(Struct, frozen=True):
    """What streams came to. An Arrow stream follows the message."""

    rows: tuple[int, ...] | None
    """How many rows were read of each stream; None if the node needs more time: ask again."""


@known
class Statuses(Struct, frozen=True):
    """The status of each replica of a store on a node."""

    replicas: tuple[PartitionStatus, ...]


@known
class HeldEpoch(Struct, frozen=True):
    """An epoch of a partition that is kept, or cannot be."""

    hold: int
    """Its number on this connection; -1 if it cannot be kept."""
    epoch: int = -1
    is_held: bool = False
    is_missed: bool = False
    committed_ms: int | None = None
    """When it was committed; None if it is yet to come, or not kept."""


@known
class Followed(Struct, frozen=True):
    """Whether the keys of a partition are recorded."""

    log: int
    """Its number on this connection; -1 if the partition is not here."""


@known
class Keys(Struct, frozen=True):
    """The changed keys between two epochs."""

    columns: tuple[list[Any], ...] | None
    """The values of each key column; none if no key has changed; None if they are not known."""
    is_followed: bool = True
    """Whether the log is still there: not after its connection was lost."""


@known
class Met(Struct, frozen=True):
    """Whether a bound was met."""

    is_met: bool


@known
class Refused(Struct, frozen=True):
    """Why a request has no other reply."""

    message: str
    is_unreadable: bool = False
    """Whether the node cannot read its rows, such as those of a damaged file: another copy may."""


@known
class Holding(Struct, frozen=True):
    """The replicas of a store on a node, by their partitions."""

    store: str
    """Its address, which names its incarnation, too."""
    running: tuple[int, ...]
    """Those that answer."""
    restoring: tuple[int, ...] = ()


@known
class Announcement(Struct, frozen=True):
    """What a node says about itself, to all others: when it changes, and as a sign of life."""

    node: str
    holdings: tuple[Holding, ...] = ()
    zone: str = ""
    weight: float = 1.0
    is_leaving: bool = False
    """Whether it is about to stop; others take over what no other node holds."""
    product: str = ""
    """The version of Stategate that it runs."""
    layout: str = ""
    """What its placement follows from; see `View.layout`."""
    sees: tuple[str, ...] = ()
    """The other nodes that it can ask."""
    run: int = 0
    """Another number each time it is started."""
    sees_runs: tuple[int, ...] = ()
    """The runs of the nodes that it can ask; 0 for one that has said nothing yet."""


@known
class Heard(Struct, frozen=True):
    """How much of what the other node has sent has arrived; before an announcement, if it is more.

    It tells a long request on a narrow link from one that vanishes.
    """

    count: int
    """Bytes of this connection, with those of the handshake."""


Request: TypeAlias = (
    Ask
    | ReadStream
    | Reduce
    | Release
    | AskStatuses
    | HoldEpoch
    | AskHold
    | FollowKeys
    | AskKeys
    | WaitForBound
)
Reply: TypeAlias = (
    Answers | Batches | Reduced | Statuses | HeldEpoch | Followed | Keys | Met | Refused
)
REQUESTS: tuple[type[Request], ...] = get_args(Request)
REPLIES: tuple[type[Reply], ...] = get_args(Reply)
