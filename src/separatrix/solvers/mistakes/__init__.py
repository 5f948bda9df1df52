"""Perceptrons: learning from mistakes, row by row or in batches."""
