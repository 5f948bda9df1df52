"""A formula as JSON: everything that it computes with, for programs in other languages and for people."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..prepare.recipe import Recipe

if TYPE_CHECKING:
    from .formula.parts import Formula

VERSION = 1


def described(formula: Formula, indent: int | None = None) -> str:
    """Return a formula as JSON text.

    The parts are named as in the formula: `inputs` (columns, the recipe, the standardisation), `score` (its family and numbers), `link`,
    `rule`. Arrays are lists; an infinity is "inf" or "-inf", a NaN "nan", as JSON has no such numbers.

    Examples
    --------
    >>> from separatrix import NearestMean
    >>> from separatrix.artifacts.formula import formula_of
    >>> text = described(formula_of(NearestMean().fit([[0.0], [2.0]], ["no", "yes"])))
    >>> json.loads(text)["score"]
    {'family': 'linear', 'coef': [[2.0]], 'intercept': [-2.0]}
    """
    inputs = formula.inputs
    found = {
        "separatrix_formula": VERSION,
        "model": formula.model,
        "classes": _plain(formula.classes),
        "inputs": {
            "columns": inputs.columns,
            "recipe": None if inputs.recipe is None else json.loads(inputs.recipe.to_json(None)),
            "mean": _plain(inputs.mean),
            "scale": _plain(inputs.scale),
        },
        "score": _record(formula.score, "family"),
        "link": None if formula.link is None else _record(formula.link, "kind"),
        "rule": None if formula.rule is None else {"costs": _plain(formula.rule.costs), "names": _plain(formula.rule.names)},
    }
    return json.dumps(found, ensure_ascii=False, indent=indent, allow_nan=False)


def _record(value: Any, what: str) -> dict[str, Any]:
    return {what: type(value).__name__.lower()} | {own.name: _plain(getattr(value, own.name)) for own in fields(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, Recipe):
        return json.loads(value.to_json(None))
    if is_dataclass(value) and not isinstance(value, type):
        return _record(value, "family")
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
