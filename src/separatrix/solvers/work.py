"""Seconds of the operations that solvers are made of, on one core in whole fits, so that the solver with the least work can be chosen.

`python -m benchmarks.bench_work` sets these beside the operations alone on another machine. Only ratios matter, and these differ little
between machines. Solvers of margins count with them (`margins/method.py`, `margins/joint_work.py`), and those of an L1 penalty; what those
of a smooth loss count with was fitted to whole solvers, and stands in `smooth/work.py`.
"""

from __future__ import annotations

ADDED, FACTORED = 6e-11, 1.8e-11
"""Of a Hessian of dense rows, for each n q², and of its factor, for each q³; q = R(p + 1) coefficients."""
MEETING = 1.4e-9
"""Of a meeting of two values in a sparse row, for each pair of scores."""
PASS = 8e-10
"""Of a value and score in a pass for f and its gradient."""
STORED, EPOCH = 2.2e-9, 5.5e-9
"""Of a stored value of sparse rows: with each score, in a product with the Hessian; in an epoch of dual coordinate descent."""
CALL, STEP = 4e-5, 1e-4
"""Of a product, and of a step of Newton's method, however small."""
SPANNED = 1e-10
"""Of the coordinates in the rows' span, for each n²p; a p × p covariance, for each n p², has the same."""
