"""Names that are loaded when they are first used: public ones (PEP 562), which keeps imports light, and makers in higher rooms."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from .errors import did_you_mean


def on_first_use(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a module's `__getattr__` for names that live in its submodules.

    Parameters
    ----------
    package : the module's `__name__`
    homes : {name: submodule, relative to the package}

    Examples
    --------
    >>> on_first_use("separatrix", {"Hyperplane": "geometry"})("Hyperplane").__name__
    'Hyperplane'
    """

    def load(name: str) -> Any:
        if name not in homes:
            # Names of Python's own machinery are asked for all the time, and nobody mistypes them.
            meant = "" if name.startswith("_") else did_you_mean(name, homes)
            raise AttributeError(f"module {package!r} has no attribute {name!r}.{meant} It has {', '.join(sorted(homes))}.")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    _keep_names(package, [name for name, home in homes.items() if name == home], load)
    return load


def _keep_names(package: str, names: list[str], load: Callable[[str], Any]) -> None:
    """Let a package keep names that its submodules have too: importing `evaluation.evaluate` would set `evaluate` to that module."""
    if not names:
        return
    kept: dict[str, Any] = {}

    def read(name: str) -> Any:
        if name not in kept:
            load(name)  # which sets it
        return kept[name]

    def write(name: str, value: Any) -> None:
        if not isinstance(value, ModuleType):
            kept[name] = value

    def guard(name: str) -> property:
        return property(lambda _: read(name), lambda _, value: write(name, value))

    guards = {name: guard(name) for name in names}
    sys.modules[package].__class__ = type("Room", (ModuleType,), guards)


def maker(path: str) -> Any:
    """Return what a higher room makes of a value of a lower one, by its place within the package.

    `estimate.chart()` is where a user looks for the chart, and the room of charts stands above that of estimates: an import would point
    upwards. So a method of a lower room names its maker as text, and finds it when it is called.

    Parameters
    ----------
    path : module and name, relative to the package, such as "explaining.explain.explain"

    Examples
    --------
    >>> maker("explaining.explain.explain").__name__
    'explain'
    """
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"{__package__}.{module}"), name)
