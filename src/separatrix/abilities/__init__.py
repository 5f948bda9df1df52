"""What a model can do beyond fit and predict: one typed page. Rooms above `models` read this page and never a model's private names."""

from .page import Abilities, Refused, abilities_of, offered, unless

__all__ = ["Abilities", "Refused", "abilities_of", "offered", "unless"]
