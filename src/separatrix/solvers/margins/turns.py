"""One machine by coordinate descent and Newton's method in turn, each for a share of the time, until one of them arrives.

Nothing that is quickly counted tells how many epochs or products a machine needs: rows that can be separated need a handful of epochs and
thousands of products, overlapping rows with high costs the other way round. So both are tried, and watched: one that promises to arrive
soon goes on (`course.py`), the other has its turn, and turns become longer. Neither takes much more than the time of the better one. What
the gap needs is shared: the least objective of both with the best multipliers of both. Where a method with a matrix stands ready, whose
seconds are known, it comes as soon as they have taken as long.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from . import dual_svm
from .machine import Ended, Machine
from .newton_products import Products

FIRST = {True: 4.0, False: 10.0}
"""Epochs of the first turn, of a squared hinge and of a hinge."""
PRODUCTS = {True: 60.0, False: 150.0}
"""Epochs that products are worth at the least, for a squared hinge and a hinge."""
LONGER, HOPE = 2.0, 4.0
"""Factor of the turns, and how many of them coordinate descent may promise to need still to have its turn."""
DUAL, CONJUGATE, LAGRANGIAN = "dual coordinate descent", "Newton-CG", "augmented Lagrangian by products"
SOLVERS = (DUAL, CONJUGATE, LAGRANGIAN)


def solve(machine: Machine, seconds: float = np.inf) -> Ended:
    """Minimise the hinge or the squared hinge of rows held in memory; give up after the seconds of another method.

    Examples
    --------
    >>> from separatrix.data import as_source
    >>> from separatrix.solvers.rows import Rows
    >>> rows = Rows.of(as_source([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]))
    >>> found = solve(Machine(rows, np.array([-1.0, 1.0, -1.0, 1.0]), np.ones(4), squared=True))
    >>> found.certificate.theta.round(4).tolist(), found.solver
    ([0.3636, -0.5455], 'Newton-CG')
    """
    turns = Turns(machine)
    while not turns.taken(seconds):
        pass
    return turns.ended()


class Turns:
    """Both walks, and the length of the next turn in seconds."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.descent, self.products = dual_svm.Descent(machine), Products(machine)
        self.epoch = self.descent.each * len(machine.signs)
        self.turn = max(FIRST[machine.squared] * self.epoch, dual_svm.CALL)

    @property
    def arrived(self) -> bool:
        """Whether one of them has arrived."""
        return self.descent.arrived or self.products.arrived

    @property
    def spent(self) -> float:
        """Seconds of both."""
        return self.descent.spent + self.products.spent

    def taken(self, seconds: float) -> bool:
        """Take a turn of both; return whether that was the last one, which it is when they have taken as long as another method does."""
        descent, products, turn = self.descent, self.products, self.turn
        is_first, least = descent.spent == 0.0, PRODUCTS[self.machine.squared] * self.epoch
        if is_first or products.is_over or descent.rise.least(products.value) <= HOPE * turn:
            descent.advance(turn, max(least, turn))
            if is_first and not descent.arrived and descent.is_narrow:
                descent.advance(least)
        if self.arrived or self.spent >= seconds:
            return True
        if is_first:
            products.begin(np.append(descent.walk.w, descent.walk.b), descent.walk.alpha)
        products.advance(max(turn, least))
        self.turn = least if is_first else LONGER * turn
        return self.arrived or self.spent >= seconds or (descent.is_over and products.is_over)

    def ended(self) -> Ended:
        """Return the end of the one that has arrived, or else the better one, and the work of both."""
        descent, products = self.descent, self.products
        # Products may arrive where descent stands, without a step.
        is_first = descent.arrived or (products.spent == 0.0 and not products.arrived)
        first, second = (descent, products) if is_first else (products, descent)
        ended = replace(first.ended(), solver=DUAL if is_first else CONJUGATE if self.machine.squared else LAGRANGIAN)
        if is_first or self.arrived:
            return replace(ended, iterations=ended.iterations + second.iterations, passes=ended.passes + second.passes)
        return ended.better(replace(second.ended(), solver=DUAL))
