"""Values by name, of which some take long and are computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class AskedFor(dict[str, T]):
    """A dict in which some values are functions that compute them, called when the value is first looked at.

    Whatever looks at all values (printing, comparing, copying, pickling) computes all; a copy or a pickle is a plain dict.

    Parameters
    ----------
    known : {name: value}, in the order of the dict; those of `later` are placeholders
    later : {name: function without arguments}

    Examples
    --------
    >>> scores = AskedFor({"error": 0.1, "auc": 0.0}, {"auc": lambda: 0.9})
    >>> list(scores), scores["auc"], dict(scores)
    (['error', 'auc'], 0.9, {'error': 0.1, 'auc': 0.9})
    """

    def __init__(self, known: Mapping[str, T], later: Mapping[str, Callable[[], T]]) -> None:
        super().__init__(known)
        self._later = dict(later)

    def __getitem__(self, name: str) -> T:
        if name in self._later:
            self[name] = self._later[name]()
            del self._later[name]
        return super().__getitem__(name)

    def _all(self) -> dict[str, T]:
        return {name: self[name] for name in self}

    def __iter__(self) -> Iterator[str]:
        # Overridden so that dict(…) and {**…} ask for values by name instead of copying placeholders.
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default."""
        if name not in self:
            return default
        return self[name]

    def items(self) -> Any:
        """Return names and values."""
        return self._all().items()

    def values(self) -> Any:
        """Return the values."""
        return self._all().values()

    def copy(self) -> dict[str, T]:
        """Return a plain dict."""
        return self._all()

    def __eq__(self, other: object) -> bool:
        return self._all() == (other.copy() if isinstance(other, AskedFor) else other)

    def __or__(self, other: Any) -> Any:
        return self._all() | dict(other)

    def __ror__(self, other: Any) -> Any:
        return dict(other) | self._all()

    def __repr__(self) -> str:
        return repr(self._all())

    def __reduce__(self) -> Any:
        return dict, (self._all(),)

    __hash__ = None
