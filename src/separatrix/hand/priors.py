"""The priors of the classes: shares of the rows, or as given."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..errors import InputError
from .document import Step
from .expressions import Frac, Num, Sym, row
from .small_data import fraction


def priors_step(
    classes: Sequence[Any], tags: Sequence[str], codes: Sequence[int], priors: Sequence[Any] | None
) -> tuple[Step, list[Fraction]]:
    """Return the step of the priors, and the priors."""
    names, n = [Sym("π", tag) for tag in tags], len(codes)
    if priors is None:
        counts = [list(codes).count(k) for k in range(len(classes))]
        parts = [row(name, "=", Frac(count, n), "=", Fraction(count, n)) for name, count in zip(names, counts)]
        why = "How likely each class is before a row is seen: its share of the rows."
        return Step("The priors", why, tuple(parts)), [Fraction(count, n) for count in counts]
    shares = [fraction(share) for share in priors]
    if len(shares) != len(classes) or min(shares) <= 0 or sum(shares) != 1:
        raise InputError(f"priors={list(priors)!r} must be {len(classes)} positive numbers that sum to 1, one for each of {list(classes)}.")
    parts = [row(name, "=", Num(share)) for name, share in zip(names, shares)]
    return Step("The priors", "How likely each class is before a row is seen: given.", tuple(parts)), shares
