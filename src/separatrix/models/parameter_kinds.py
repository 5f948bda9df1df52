"""Whether parameters are of the kind that the constructor's annotations say: numbers, whole numbers, switches, choices.

What a number means, and which choices there are, each estimator checks itself; here nothing reaches it that it could not compare.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from ..errors import ParameterError

LARGEST_SEED = 2**32 - 1
CHECKED = {"int", "float", "bool", "str", "None"}


@dataclass(frozen=True, slots=True)
class Kind:
    """Values that a parameter may have, by type; `choices` are the words among them, "" for any."""

    name: str
    types: frozenset[str]
    choices: tuple[str, ...] | None = None

    def holds(self, value: Any) -> bool:
        """Whether a value is of this kind."""
        if value is None:
            return "None" in self.types
        if isinstance(value, str):
            return self.choices is not None or "str" in self.types
        if isinstance(value, bool | np.bool_):
            return bool(self.types & {"bool", "int", "float"})
        if isinstance(value, Integral) and "int" in self.types:
            return -(2**63) <= int(value) < 2**63
        if isinstance(value, Real) and "float" in self.types:
            return not isinstance(value, Integral) or -(2**1023) < int(value) < 2**1023
        return isinstance(value, Integral) and "bool" in self.types and int(value) in (0, 1)

    @property
    def needed(self) -> str:
        """What a value must be, in words."""
        said = ["True or False"] if "bool" in self.types else []
        numbers = {
            (): [],
            ("float",): ["a number"],
            ("int",): ["a whole number"],
            ("float", "int"): ["a whole number", "a share between 0 and 1"],
        }
        said += numbers[tuple(sorted(self.types & {"int", "float"}))]
        said += [repr(choice) for choice in self.choices or ()]
        return " or ".join([*said, *(["a word"] if "str" in self.types else []), *(["None"] if "None" in self.types else [])])


@dataclass(frozen=True, slots=True)
class Seed:
    """What `sklearn.utils.check_random_state` takes."""

    name: str
    needed: str = f"a whole number from 0 to {LARGEST_SEED}, a numpy.random.RandomState or None"

    def holds(self, value: Any) -> bool:
        """Whether a value can seed random numbers."""
        if isinstance(value, int | np.integer):
            return 0 <= int(value) <= LARGEST_SEED
        return value is None or value is np.random or isinstance(value, np.random.RandomState)


def kinds_of(parameters: list[inspect.Parameter]) -> tuple[tuple[Any, Kind | Seed], ...]:
    """Return the default and the kind of each parameter whose annotation says one.

    Examples
    --------
    >>> def init(self, C: float = 1.0, rule: Literal["vote", "all"] = "vote", priors: Any = None): ...
    >>> [kind.needed for _, kind in kinds_of(list(inspect.signature(init).parameters.values())[1:])]
    ['a number', "'vote' or 'all'"]
    """
    found: list[tuple[Any, Kind | Seed]] = []
    for parameter in parameters:
        annotation = str(parameter.annotation)
        words = re.findall(r"Literal\[(.*?)\]", annotation)
        types = {part.strip() for part in re.sub(r"Literal\[.*?\]", "", annotation).split("|")} - {""}
        if parameter.name == "random_state":
            found.append((parameter.default, Seed(parameter.name)))
        elif types <= CHECKED:
            choices = tuple(re.findall(r"['\"](.*?)['\"]", words[0])) if words else None
            found.append((parameter.default, Kind(parameter.name, frozenset(types), choices)))
    return tuple(found)


def check_kinds(values: dict[str, Any], kinds: tuple[tuple[Any, Kind | Seed], ...]) -> None:
    """Raise an error for the first parameter that is not of its kind."""
    for default, kind in kinds:
        value = values.get(kind.name, default)
        if value is not default and not kind.holds(value):
            raise ParameterError(f"{kind.name}={_short(value)} must be {kind.needed}.")
    if values.get("n_jobs") == 0:
        raise ParameterError("n_jobs=0 asks for no thread at all; use 1, 2, …, -1 for all CPUs, or None.")


def _short(value: Any) -> str:
    """Return a value as people can read it in a message, however long it is."""
    if isinstance(value, Integral) and abs(int(value)) >= 10**20:
        return f"{'-' if value < 0 else ''}10**{int(abs(int(value)).bit_length() * 0.30103)}"
    said = repr(value)
    return said if len(said) <= 60 else f"{said[:57]}..."
