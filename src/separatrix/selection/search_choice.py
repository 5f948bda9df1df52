"""Which road a search takes: the cheapest exact one the model declares."""

from __future__ import annotations

from typing import Any

from .search_likelihood import criterion_road
from .search_metric import Metric
from .search_ranked import RankedRoad
from .search_roads import AlgebraRoad, RankedAlgebraRoad, RefitRoad, Road
from .search_splits import SearchRows


def choose_road(model: Any, rows: SearchRows, metric: Any, exhaustive: bool, refits: int, n_jobs: int | None) -> tuple[Road, str]:
    """Return the road for a model and the name of the metric.

    A model declares `_subset_scores(training, rows)` where updates are exact, `_subset_fits(X, codes, …)` where many fits run side by side,
    and `_column_ranks(X, codes, weight, columns)` where candidates can be ranked.
    """
    if isinstance(metric, str) and metric in ("aic", "bic"):
        return criterion_road(model, rows, metric, n_jobs), metric
    chosen = Metric(metric, model)
    if hasattr(model, "_subset_scores"):
        model._check_given()
        held = [rows.dense[split.test] for split in rows.splits]
        engine = model._subset_scores(rows.training(model._summary_kind()), held)
        if engine is not None:
            return AlgebraRoad(engine, rows, chosen), chosen.name
    keep = None if exhaustive else int(refits)
    if hasattr(model, "_subset_fits"):
        model._check_given()
        fits = model._subset_fits(rows.dense, rows.codes, rows.weight, rows.classes, [(s.train, s.test) for s in rows.splits])
        if fits is not None:
            return RankedAlgebraRoad(fits, rows, chosen, keep), chosen.name
    if hasattr(model, "_column_ranks") and keep is not None:
        return RankedRoad(model, rows, chosen, n_jobs, keep), chosen.name
    return RefitRoad(model, rows, chosen, n_jobs), chosen.name
