"""Hand calculation: small data worked out step by step, in exact fractions."""

from .document import Worked
from .work import worked

__all__ = ["Worked", "worked"]
