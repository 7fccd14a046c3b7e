"""Asks Kafka for the ids of topics: a topic that is created again under its name has another id.

Spark's offsets show that only if an offset goes back. The new topic may have more records by then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from pyspark.sql import DataFrame

from stategate.stores.spark.plans import Source, kafka_clients

_logger = logging.getLogger(__name__)
_TIMEOUT_S = 10
_GONE = "UnknownTopicOrPartitionException"

Answer: TypeAlias = Callable[[], Mapping[str, str]]
"""Waits for topic → id; topics whose ids are not known are left out."""

_admins: dict[tuple[tuple[str, str], ...], Any] = {}
"""Kafka's clients by their settings: one for each cluster, kept as long as the driver runs."""


class TopicIds:
    """The ids of the topics of one query; none without Kafka, or with several clusters."""

    def __init__(
        self, jvm: Any, clients: Sequence[Mapping[str, str]], sources: Sequence[Source]
    ) -> None:
        self._jvm = jvm
        self._named = frozenset[str]().union(*(source.topics for source in sources))
        self._all_kafka = len(clients) == len(sources)
        clusters = {each.get("bootstrap.servers") for each in clients}
        self._settings = clients[0] if len(clusters) == 1 else None

    @staticmethod
    def of(frame: DataFrame, sources: Sequence[Source]) -> TopicIds:
        """Return the ids of the topics that a DataFrame reads."""
        return TopicIds(frame.sparkSession._jvm, kafka_clients(frame), sources)

    def ask(self, topics: Iterable[str]) -> Answer:
        """Ask for the ids of a query's inputs, and return what waits for the answer.

        Inputs that may be of sources other than Kafka are left out.
        """
        wanted = sorted({*topics} if self._all_kafka else {*topics} & self._named)
        if self._settings is None or not wanted:
            return _nothing
        try:
            answers = self._describe(self._settings, wanted)
        except Exception as error:  # of py4j; a TypeError for a class that the connector lacks
            return _unknown(wanted, error)
        return lambda: self._ids(wanted, answers)

    def _describe(self, settings: Mapping[str, str], topics: Sequence[str]) -> Any:
        key = tuple(sorted(settings.items()))
        if key not in _admins:
            given = self._jvm.java.util.HashMap()
            for name, value in key:
                given.put(name, value)
            _admins[key] = self._jvm.org.apache.kafka.clients.admin.Admin.create(given)
        names = self._jvm.java.util.ArrayList()
        for topic in topics:
            names.add(topic)
        return _admins[key].describeTopics(names).topicNameValues()

    def _ids(self, topics: Sequence[str], answers: Any) -> Mapping[str, str]:
        seconds = self._jvm.java.util.concurrent.TimeUnit.SECONDS
        found = {}
        for topic in topics:
            try:
                found[topic] = str(answers.get(topic).get(_TIMEOUT_S, seconds).topicId().toString())
            except Exception as error:  # of py4j, with the text of Kafka's
                if _GONE not in str(error):
                    return _unknown(topics, error)()
        return found


def _nothing() -> Mapping[str, str]:
    return {}


def _unknown(topics: Sequence[str], error: Exception) -> Answer:
    """Log that topics are not checked. Offsets still show a topic that goes back."""
    _logger.warning("the ids of topics cannot be had topics=%s error=%s", topics, error)
    return _nothing


NO_IDS = TopicIds(None, (), ())
"""Of a query without topics."""
