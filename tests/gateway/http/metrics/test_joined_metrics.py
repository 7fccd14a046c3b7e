"""The metrics of several processes are one text, in which each sample names its process."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from stategate.gateway.http.metrics.joining import joined

ONE = """# HELP rows Rows read.
# TYPE rows counter
rows_total{store="a b{c"} 3
rows_total{store="x"} 4
# HELP ready Whether it answers.
# TYPE ready gauge
ready 1
"""
OTHER = """# HELP ready Whether it answers.
# TYPE ready gauge
ready 0
# HELP rows Rows read.
# TYPE rows counter
rows_total{store="x"} 5
"""


def samples(text: str) -> set[tuple[str, str, str, float]]:
    return {
        (each.name, each.labels["worker"], each.labels.get("store", ""), each.value)
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def test_samples_of_a_metric_stand_together_with_the_worker_as_a_label() -> None:
    text = joined({0: ONE, 1: OTHER})
    assert samples(text) == {
        ("rows_total", "0", "a b{c", 3.0),
        ("rows_total", "0", "x", 4.0),
        ("rows_total", "1", "x", 5.0),
        ("ready", "0", "", 1.0),
        ("ready", "1", "", 0.0),
    }
    assert text.count("# TYPE rows ") == text.count("# TYPE ready ") == 1
    assert text.index('worker="1",store="x"') < text.index("# HELP ready")


def test_the_end_mark_of_openmetrics_comes_once_and_last() -> None:
    text = joined({0: ONE + "# EOF\n", 1: OTHER + "# EOF\n"})
    assert text.count("# EOF") == 1
    assert text.endswith("# EOF\n")
