"""Which road a search takes: the cheapest exact one among the model's abilities."""

from __future__ import annotations

from typing import Any

from ..abilities import abilities_of
from .search_likelihood import criterion_road
from .search_metric import Metric
from .search_ranked import RankedRoad
from .search_roads import AlgebraRoad, RankedAlgebraRoad, RefitRoad, Road
from .search_splits import SearchRows


def choose_road(model: Any, rows: SearchRows, metric: Any, exhaustive: bool, refits: int, n_jobs: int | None) -> tuple[Road, str]:
    """Return the road for a model and the name of the metric: updates where exact, fits side by side, ranked refits, refits."""
    if isinstance(metric, str) and metric in ("aic", "bic"):
        return criterion_road(model, rows, metric, n_jobs), metric
    chosen = Metric(metric, model)
    abilities = abilities_of(model)
    if abilities.subsets:
        held = [rows.dense[split.test] for split in rows.splits]
        engine = abilities.subsets.scores(rows.training(abilities.subsets.kind), held)
        return AlgebraRoad(engine, rows, chosen), chosen.name
    keep = None if exhaustive else int(refits)
    if abilities.subset_fits:
        splits = [(s.train, s.test) for s in rows.splits]
        fits = abilities.subset_fits.fits(rows.dense, rows.codes, rows.weight, rows.classes, splits)
        if fits is not None:
            return RankedAlgebraRoad(fits, rows, chosen, keep), chosen.name
    if abilities.ranking and keep is not None:
        return RankedRoad(model, abilities.ranking, rows, chosen, n_jobs, keep), chosen.name
    return RefitRoad(model, rows, chosen, n_jobs), chosen.name
