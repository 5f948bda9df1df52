"""From summaries and losses to solutions: arrays in, arrays out, never an estimator."""
