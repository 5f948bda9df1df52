"""Random shapes: ours beside every peer that can, `python -m benchmarks shapes [--seed S] [--minutes M]`."""
