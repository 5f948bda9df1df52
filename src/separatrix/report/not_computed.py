"""A fact that nobody has computed yet, and the call that would."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NotComputed:
    """What a report cannot say, why, and what to type so that it could.

    Attributes
    ----------
    what : the fact that is missing
    why : a sentence
    call : code that computes it; empty where nothing would

    Examples
    --------
    >>> print(NotComputed("Probabilities", "LinearSVC has no predict_proba.", "compare(table, models=[CalibratedClassifier(LinearSVC())])"))
    Probabilities: not computed. LinearSVC has no predict_proba. Type: compare(table, models=[CalibratedClassifier(LinearSVC())])
    """

    what: str
    why: str
    call: str = ""

    def __str__(self) -> str:
        return f"{self.what}: not computed. {self.why}" + (f" Type: {self.call}" if self.call else "")
