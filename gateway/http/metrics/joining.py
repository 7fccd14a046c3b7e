"""The metrics of several processes as one text."""

from __future__ import annotations

from collections.abc import Mapping

_END = "# EOF"
"""The last line in OpenMetrics."""


def joined(texts: Mapping[int, str]) -> str:
    """Return metrics of workers as one text, each sample with the label `worker`.

    All samples of a metric must follow its head, so the texts cannot simply be concatenated.

    Args:
        texts: the metrics of each worker, in the same format.
    """
    families: dict[str, tuple[list[str], list[str]]] = {}
    ends = ""
    for worker, text in texts.items():
        label = f'worker="{worker}"'
        heads: list[str] = []
        samples: list[str] = []
        for line in text.splitlines():
            if line == _END:
                ends = f"{_END}\n"
            elif line.startswith("#"):
                name = line.split(" ", 3)[2]
                heads, samples = families.setdefault(name, ([], []))
                if line not in heads:
                    heads.append(line)
            elif line:
                samples.append(_labelled(line, label))
    return (
        "".join(f"{line}\n" for heads, samples in families.values() for line in (*heads, *samples))
        + ends
    )


def _labelled(sample: str, label: str) -> str:
    name, brace, rest = sample.partition("{")
    if brace and " " not in name:
        return f"{name}{{{label},{rest}"
    name, _, value = sample.partition(" ")
    return f"{name}{{{label}}} {value}"
