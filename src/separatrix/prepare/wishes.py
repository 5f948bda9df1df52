"""What a user asks for when columns are prepared, beside what they hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, Literal

from ..argument_types import is_listed
from ..errors import InputError, InputTypeError, UnknownNameError, did_you_mean, one_of

KINDS = ("number", "category", "ordered", "levels", "hash", "date", "text", "text hash", "drop")
SHAPES = ("line", "log", "root", "squash", "spline", "bins")

ManyLevels = Literal["target", "hash"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is asked for.

    Attributes
    ----------
    kinds : {column: one of KINDS}
    shapes : {column: one of SHAPES}; "auto" has splines and bins for all columns of numbers
    drop, keep : columns to leave out; columns not to leave out whatever they look like
    orders : {column: levels in their order}
    references : {column: level that the others are compared with}
    units : {column: (unit, how many of it a coefficient is for)}
    interactions : pairs of columns
    many_levels : "target" (shares of the classes) or "hash"
    most_levels, most_words : columns that a category, and a text, may become
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    shapes: Mapping[str, str] | Literal["auto"] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    references: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    interactions: tuple[tuple[str, str], ...] = ()
    many_levels: ManyLevels = "target"
    most_levels: int = 40
    most_words: int = 2_000

    def check(self, names: Iterable[str]) -> None:
        """Raise an error for a column that is not there, and for kinds and shapes that do not exist."""
        known = list(names)
        there = set(known)
        for kind in self.kinds.values():
            if kind not in KINDS:
                raise one_of("kind", kind, KINDS)
        for shape in {} if self.shapes == "auto" else self.shapes.values():
            if shape not in SHAPES:
                raise one_of("shape", shape, SHAPES)
        asked = [*self.kinds, *self.drop, *self.keep, *self.orders, *self.references, *self.units, *sum(self.interactions, ())]
        for name in [*asked, *(() if self.shapes == "auto" else self.shapes)]:
            if name not in there:
                listed = ", ".join(repr(own) for own in known[:8]) + (", …" if len(known) > 8 else "")
                raise UnknownNameError(f"Column {name!r} is not in the table.{did_you_mean(name, known)} It has {listed}; use these.")

    def check_steps(self, kinds: Mapping[str, str], levels: Mapping[str, Iterable[str]]) -> None:
        """Raise an error for a wish that the kind of its column cannot meet: it would be left unheard."""
        shapes = {} if self.shapes == "auto" else self.shapes
        for what, names in (("shapes", shapes), ("units", self.units)):
            for name in names:
                if kinds[name] != "number":
                    raise InputError(f"{what} names column {name!r}, which is no number but of kind {kinds[name]!r}; leave it out.")
        for one, two in self.interactions:
            if one == two or "drop" in (kinds[one], kinds[two]):
                raise InputError(f"The interaction of {one!r} and {two!r} needs two columns that are kept; leave it out.")
        both = set(self.drop) & set(self.keep)
        if both:
            raise InputError(f"Column {min(both)!r} is in drop and in keep; leave it in one of them.")
        for name, order in self.orders.items():
            if len(set(order)) < len(order):
                raise InputError(f"orders[{name!r}] has a level twice; list every level once, the lowest first.")
            lost = [level for level in levels.get(name, ()) if level not in order]
            if lost:
                raise InputError(f"orders[{name!r}] lacks the level {lost[0]!r}; list all levels of the column, the lowest first.")

    def shape_of(self, name: str) -> str | None:
        """Return the shape asked for a column: a name, "auto", or None."""
        return "auto" if self.shapes == "auto" else self.shapes.get(name)


def known_wishes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return wishes given by name, or refuse a name that is none."""
    known = [*Wishes.__dataclass_fields__]
    for name in given:
        if name not in known:
            raise UnknownNameError(f"{name!r} is not a wish for columns.{did_you_mean(name, known)} Use one of {', '.join(known)}.")
    return dict(given)


def listed_names(columns: Iterable[Any]) -> tuple[str, ...]:
    """Return names given one by one, or in lists."""
    return tuple(name for given in columns for name in names_of(given, "columns"))


def names_of(given: Any, parameter: str) -> tuple[str, ...]:
    """Return names given as a list, or one name."""
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if not is_listed(given) or not all(isinstance(name, str) for name in given):
        raise InputTypeError(f"{parameter}={given!r:.60} must be a list of names of columns.")
    return tuple(given)


def mapping_of(given: Any, parameter: str) -> dict[str, Any]:
    """Return {column: value}, or refuse what is none."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputTypeError(f"{parameter}={given!r:.60} must be a dict {{column: value}}.")
    return {str(name): value for name, value in given.items()}


def pairs_of(given: Any) -> tuple[tuple[str, str], ...]:
    """Return pairs of names."""
    if given is None:
        return ()
    if not is_listed(given):
        raise InputTypeError(f"interactions={given!r:.60} must be a list of pairs of columns, such as [('age', 'sex')].")
    pairs = tuple(tuple(pair) for pair in given if is_listed(pair))
    if len(pairs) != len(list(given)) or any(len(pair) != 2 or not all(isinstance(name, str) for name in pair) for pair in pairs):
        raise InputError(f"interactions={given!r:.60} must be a list of pairs of columns, such as [('age', 'sex')].")
    return pairs


def wishes_of(
    *,
    kinds: Any = None,
    shapes: Any = None,
    drop: Any = None,
    keep: Any = None,
    orders: Any = None,
    references: Any = None,
    units: Any = None,
    interactions: Any = None,
    many_levels: Literal["target", "hash"] = "target",
    most_levels: int = 40,
    most_words: int = 2_000,
) -> Wishes:
    """Return what a user asks for, checked as far as that is possible without the table."""
    if most_levels < 2 or most_words < 1:
        raise InputError(f"most_levels={most_levels} and most_words={most_words} must be at least 2 and 1.")
    if many_levels not in ("target", "hash"):
        raise one_of("many_levels", many_levels, ["target", "hash"])
    return Wishes(
        mapping_of(kinds, "kinds"),
        "auto" if isinstance(shapes, str) and shapes == "auto" else mapping_of(shapes, "shapes"),
        names_of(drop, "drop"),
        names_of(keep, "keep"),
        {name: names_of(levels, f"orders[{name!r}]") for name, levels in mapping_of(orders, "orders").items()},
        {name: str(level) for name, level in mapping_of(references, "references").items()},
        {name: unit_of(given) for name, given in mapping_of(units, "units").items()},
        pairs_of(interactions),
        many_levels,
        most_levels,
        most_words,
    )


def unit_of(given: Any) -> tuple[str, float]:
    """Return a unit and how many of it a coefficient is for, or refuse what is none."""
    if isinstance(given, str):
        return given, 1.0
    try:
        unit, per = given
        if not 0 < float(per) < inf:
            raise ValueError
        return str(unit), float(per)
    except (TypeError, ValueError):
        raise InputError(
            f"units={given!r:.60} must be a unit, or (unit, how many of it a coefficient is for), such as ('years', 10)."
        ) from None
