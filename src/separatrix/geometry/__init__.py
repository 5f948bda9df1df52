"""Geometry of linear boundaries: arrays in, arrays out, never an estimator."""

from separatrix.geometry.hyperplane import Hyperplane

__all__ = ["Hyperplane"]
