"""The rows of a table under other classes: what one of several two-class machines is fitted on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .source import Block, Source


class Recoded(Source):
    """The rows of a source with other class codes and without names of columns; rows of some classes may be left out.

    Parameters
    ----------
    source : labelled rows
    codes : (K,) new code of each of its classes, −1 to leave its rows out
    classes : labels of the new codes

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> rows = Recoded(as_source([[1.0], [2.0], [3.0]], ["ham", "junk", "spam"]), np.array([0, -1, 1]), np.array([0, 1]))
    >>> [(block.X.tolist(), block.codes.tolist()) for block in rows.blocks()]
    [([[1.0], [3.0]], [0, 1])]
    """

    classes: NDArray[Any]

    def __init__(self, source: Source, codes: NDArray[np.integer], classes: NDArray[Any]) -> None:
        self.source, self.codes, self.classes = source, codes.astype(np.int32), classes
        self.n_features, self.n_jobs = source.n_features, source.n_jobs
        self.n_rows = source.n_rows if (codes >= 0).all() else None
        self.origin = None if source.origin is None else (*source.origin, tuple(codes.tolist()))

    def blocks(self) -> Iterator[Block]:
        """Yield the rows that stay, block by block."""
        start = 0
        for block in self.source.blocks():
            assert block.codes is not None
            codes = self.codes[block.codes]
            kept = codes >= 0
            if not kept.all():
                block = Block(block.X[kept], None, None if block.weight is None else block.weight[kept])
                codes = codes[kept]
            if len(codes):
                yield Block(block.X, codes, block.weight, start)
                start += len(codes)

    def with_classes(self, classes: Any) -> Source:
        """Return the same rows: their classes stay."""
        if not np.array_equal(classes, self.classes):
            raise InputError(f"These rows have the classes {self.classes.tolist()}; {np.asarray(classes).tolist()} are others.")
        return self

    def refuse_nonfinite(self) -> None:
        """Raise the error that names the first NaN or infinity, by its row and column in the table."""
        self.source.refuse_nonfinite()
