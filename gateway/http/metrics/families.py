"""One metric with its samples, as text for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable


class Family:
    """One metric with its samples, as text.

    Args:
        name: ends with the unit, and a counter's then with `_total`.
        kind: gauge, counter or histogram.
        about: its description.
    """

    __slots__ = ("_head", "_lines", "_name", "_openmetrics_head")

    def __init__(self, name: str, kind: str, about: str) -> None:
        self._name = name
        self._head = f"# HELP {name} {about}\n# TYPE {name} {kind}\n"
        # In OpenMetrics `_total` is part of the sample's name, not of the metric's.
        bare = name.removesuffix("_total")
        self._openmetrics_head = f"# HELP {bare} {about}\n# TYPE {bare} {kind}\n"
        self._lines: list[str] = []

    def add(self, labels: str, value: float, suffix: str = "") -> None:
        """Add one sample, with labels from `label_text`."""
        self._lines.append(f"{self._name}{suffix}{labels} {value}\n")

    def add_all(self, labels: Iterable[str], values: Iterable[float]) -> None:
        """Add one sample for each of the labels."""
        name = self._name
        self._lines += [f"{name}{each} {v}\n" for each, v in zip(labels, values, strict=True)]

    def text(self, *, openmetrics: bool) -> str:
        """Return head and samples; an empty text if there are no samples."""
        if not self._lines:
            return ""
        return (self._openmetrics_head if openmetrics else self._head) + "".join(self._lines)


def label_text(**values: str) -> str:
    """Format labels as they follow a metric's name."""
    return "{" + ",".join(f'{name}="{escaped(value)}"' for name, value in values.items()) + "}"


def escaped(value: str) -> str:
    """Return the value of a label as it stands between quotes."""
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def gauge(name: str, about: str, value: float) -> Family:
    """Return a gauge with one sample."""
    return _single(name, "gauge", about, value)


def counter(name: str, about: str, value: float) -> Family:
    """Return a counter with one sample."""
    return _single(name, "counter", about, value)


def _single(name: str, kind: str, about: str, value: float) -> Family:
    family = Family(name, kind, about)
    family.add("", value)
    return family
