"""Which road a search takes: the cheapest exact one the model declares."""

from __future__ import annotations

from typing import Any

from .search_likelihood import criterion_road
from .search_metric import Metric
from .search_roads import AlgebraRoad, RefitRoad, Road
from .search_splits import SearchRows


def choose_road(model: Any, rows: SearchRows, metric: Any, exhaustive: bool, refits: int, n_jobs: int | None) -> tuple[Road, str]:
    """Return the road for a model and the name of the metric.

    A model declares `_subset_scores(training, rows)` where updates are exact and `_ranked_columns` where candidates can be ranked.
    """
    if metric in ("aic", "bic"):
        return criterion_road(model, rows, metric, n_jobs), metric
    chosen = Metric(metric, model)
    if hasattr(model, "_subset_scores"):
        model._check_params()
        held = [rows.dense[split.test] for split in rows.splits]
        engine = model._subset_scores(rows.training(model._summary_kind()), held)
        if engine is not None:
            return AlgebraRoad(engine, rows, chosen), chosen.name
    return RefitRoad(model, rows, chosen, n_jobs), chosen.name
