"""Models on sets of columns one move apart: pivots, sweeps, held-out scores without a refit."""
