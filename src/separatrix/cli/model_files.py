"""Model files as commands are given them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

from ..errors import did_you_mean

SUFFIX = ".sptx"


def model_argument(name: str = "model") -> Callable[[Any], Any]:
    """Return the decorator for an argument that names a model file."""
    return click.argument(name, metavar=name.upper(), type=click.Path())


def read_model(path: str) -> Any:
    """Return what a model file holds; one that is not there is an error that names the one probably meant."""
    require_file(path)
    from ..artifacts.contents import read

    return read(path)


def fitted_model(contents: Any) -> Any:
    """Return the fitted model of a model file, which takes scikit-learn; of a board the picked one."""
    from ..artifacts.model_file import made

    return made(contents.state)


def formula_of_file(contents: Any) -> Any:
    """Return the formula of the model in a file."""
    from ..artifacts.formula import formula_of

    return formula_of(contents.state)


def require_file(path: str) -> None:
    """Refuse a file that does not exist."""
    if os.path.isfile(path):
        return
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise click.UsageError(f"There is no folder {folder!r}, so no model file {path!r}.")
    there = sorted(name for name in os.listdir(folder) if name.endswith(SUFFIX))
    listed = f" Model files there: {', '.join(there[:8])}." if there else f" There is no file that ends in {SUFFIX} there."
    raise click.UsageError(f"There is no model file {path!r}.{did_you_mean(os.path.basename(path), there)}{listed}")


def require_output(path: str, suffix: str | None = None) -> None:
    """Refuse, before any work is done, a file that could not be written."""
    folder = os.path.dirname(os.path.abspath(path))
    if suffix is not None and not path.endswith(suffix):
        raise click.UsageError(f"{path!r} does not end in {suffix}; name the file {os.path.splitext(path)[0] + suffix!r}.")
    if os.path.isdir(path):
        raise click.UsageError(f"{path!r} is a folder; name a file in it.")
    if not os.path.isdir(folder):
        raise click.UsageError(f"{path!r} cannot be written: there is no folder {folder!r}; make it first, or name another.")
    if not os.access(folder, os.W_OK):
        raise click.UsageError(f"{path!r} cannot be written: the folder {folder!r} may not be written to; name another.")
