"""Solved at once from a summary: discriminants, least squares, shrinkage."""
