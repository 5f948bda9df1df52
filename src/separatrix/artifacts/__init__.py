"""Models that leave the process: the formula of a fitted model, and what is written from it."""
