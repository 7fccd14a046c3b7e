"""Reads the sources of a streaming query, and what Spark thinks of it, from its analysed plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame

from stategate.stores.spark.plan_nodes import Node, analyzed, iterated, leaves

_WITHOUT_TOPICS = {"RatePerMicroBatchProvider", "RateStreamProvider", "TextSocketSourceProvider"}
_KAFKA = "KafkaSourceProvider"
_CLIENT = "kafka."
"""The prefix of options that are settings of a Kafka client."""
_CHECKED = "spark.sql.streaming.unsupportedOperationCheck"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of a query."""

    name: str
    """Spark's name: `kafka`, `rate`, `FileSource[path]`, or the name of a Python source."""
    has_topics: bool | None
    """Whether its offsets are of topics; None if only the offsets show it."""
    topics: frozenset[str] = frozenset()
    """The topics that it reads, if the query names them."""
    assigned: bool = False
    """Whether the query names its topics' partitions, so other sources may read the rest."""


def sources_of(frame: DataFrame) -> tuple[Source, ...]:
    """Return the sources of a streaming DataFrame, in the order of Spark's offset log."""
    return tuple(
        _source(leaf)
        for leaf in leaves(analyzed(frame))
        if leaf.nodeName().startswith("StreamingRelation")
    )


def kafka_clients(frame: DataFrame) -> list[dict[str, str]]:
    """Return the settings of the Kafka clients of a query, one for each of its Kafka sources."""
    return [
        {
            name.removeprefix(_CLIENT): options.get(name)
            for name in iterated(options.asCaseSensitiveMap().keySet())
            if name.startswith(_CLIENT)
        }
        for leaf in leaves(analyzed(frame))
        if leaf.nodeName() == "StreamingRelationV2"
        and leaf.source().isDefined()
        and leaf.source().get().getClass().getSimpleName() == _KAFKA
        for options in [leaf.extraOptions()]
    ]


def check_output_mode(frame: DataFrame, mode: str) -> None:
    """Make sure that Spark allows an output mode for a query, as its start does.

    Raises:
        AnalysisException: it does not; the message is Spark's.
    """
    if frame.sparkSession.conf.get(_CHECKED) != "true":
        return
    jvm: Any = frame.sparkSession._jvm
    modes = jvm.org.apache.spark.sql.streaming.OutputMode
    checker = jvm.org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
    checker.checkForStreaming(analyzed(frame), getattr(modes, mode.capitalize())())


def _source(leaf: Node) -> Source:
    """Return the source of a leaf of the plan, by its provider: its name may be any alias."""
    name: str = leaf.sourceName()
    if leaf.nodeName() != "StreamingRelationV2":
        return Source(name=name, has_topics=False if name.startswith("FileSource[") else None)
    provider = leaf.source()
    kind = provider.get().getClass().getSimpleName() if provider.isDefined() else ""
    if kind != _KAFKA:
        return Source(name=name, has_topics=False if kind in _WITHOUT_TOPICS else None)
    options = leaf.extraOptions()
    subscribed: str = options.get("subscribe") or ""
    return Source(
        name=name,
        has_topics=True,
        topics=frozenset(topic.strip() for topic in subscribed.split(",") if topic.strip()),
        assigned=options.get("assign") is not None,
    )
