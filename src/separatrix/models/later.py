"""Fitted attributes that cost more than the fit, and are computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any


class Computed(Enum):
    """When the value of an attribute is computed."""

    LATER = "later"


class Later:
    """An attribute whose value, where a fit leaves `Computed.LATER`, is computed from the model once it is asked for.

    Examples
    --------
    >>> class Model:
    ...     covariance_ = Later(lambda model: model.scale * 2)
    >>> model = Model()
    >>> model.scale, model.covariance_ = 3, Computed.LATER
    >>> model.covariance_, vars(model)["covariance_"]
    (6, 6)
    """

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        if model is None:
            return self
        if self.name not in vars(model):
            raise AttributeError(f"{type(model).__name__!r} object has no attribute {self.name!r}", name=self.name, obj=model)
        if vars(model)[self.name] is Computed.LATER:
            vars(model)[self.name] = self.compute(model)
        return vars(model)[self.name]

    def __set__(self, model: Any, value: Any) -> None:
        vars(model)[self.name] = value

    def __delete__(self, model: Any) -> None:
        del vars(model)[self.name]
