"""What is done with a column: a kind of step per file. A step is a value: it holds what was learned, and no code."""

from .base import Step
from .categories import Category
from .dates import Dates
from .dropped import Dropped
from .hashed import Hashed
from .hashed_words import HashedWords
from .numbers import Numbers
from .ordered import Ordered
from .target_statistics import TargetStatistics
from .words import Words

__all__ = ["STEPS", "Category", "Dates", "Dropped", "Hashed", "HashedWords", "Numbers", "Ordered", "Step", "TargetStatistics", "Words"]

_KINDS: tuple[type[Step], ...] = (Category, Dates, Dropped, Hashed, HashedWords, Numbers, Ordered, TargetStatistics, Words)
STEPS: dict[str, type[Step]] = {own.kind: own for own in _KINDS}
"""Every kind of step by its name, as recipes write it."""
