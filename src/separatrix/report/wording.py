"""Numbers and labels as sentences say them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any

PERCENT = {"error", "balanced_accuracy", "accuracy", "balanced accuracy"}
"""Metrics that are shares of rows, which people read in per cent."""
NAMES = {
    "error": "error rate",
    "auc": "area under the ROC curve",
    "roc_auc": "area under the ROC curve",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "balanced_accuracy": "balanced accuracy",
}


def percent(share: float, digits: int = 1) -> str:
    """Return a share in per cent.

    Examples
    --------
    >>> percent(0.1734), percent(0.00012)
    ('17.3 %', '0.012 %')
    """
    if not isfinite(share):
        return "–"
    value = 100.0 * share
    return f"{value:.2g} %" if 0 < abs(value) < 0.1 else f"{value:.{digits}f} %"


def metric_name(metric: str) -> str:
    """Return how a metric is called in a sentence.

    Examples
    --------
    >>> metric_name("auc"), metric_name("f1_macro")
    ('area under the ROC curve', 'f1_macro')
    """
    return NAMES.get(metric, metric)


def metric_value(metric: str, value: float) -> str:
    """Return the value of a metric as people read it.

    Examples
    --------
    >>> metric_value("error", 0.174), metric_value("auc", 0.91234), metric_value("auc", float("nan"))
    ('17.4 %', '0.912', '–')
    """
    if not isfinite(value):
        return "–"
    return percent(value) if metric in PERCENT else f"{value:.3f}"


def span(metric: str, interval: tuple[float, float]) -> str:
    """Return an interval in words.

    Examples
    --------
    >>> span("error", (0.16, 0.19)), span("auc", (0.9, 0.95))
    ('16.0 to 19.0 %', '0.900 to 0.950')
    """
    low, high = (metric_value(metric, end) for end in interval)
    return f"{low.removesuffix(' %')} to {high}" if low.endswith("%") and high.endswith("%") else f"{low} to {high}"


def count(n: float, noun: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> count(1, "row"), count(50_000, "row"), count(2, "class")
    ('1 row', '50,000 rows', '2 classes')
    """
    plural = noun if n == 1 else f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{n:,.0f} {plural}" if float(n).is_integer() else f"{n:,.1f} {plural}"


def said(label: Any, most: int = 60) -> str:
    """Return a label in quotation marks, shortened where it is long.

    Examples
    --------
    >>> said("yes"), said(3), said("a" * 90, 5)
    ("'yes'", "'3'", "'aaaa…'")
    """
    text = " ".join(str(label).split())
    return f"'{text if len(text) <= most else text[: most - 1] + '…'}'"


def listing(texts: Sequence[str]) -> str:
    """Return texts as a list in a sentence.

    Examples
    --------
    >>> listing(["LDA"]), listing(["LDA", "QDA", "Fisher"])
    ('LDA', 'LDA, QDA and Fisher')
    """
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"
