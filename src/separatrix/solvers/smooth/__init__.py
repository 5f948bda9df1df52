"""Smooth losses with an L2 penalty or none: Newton, L-BFGS in whitened coordinates, dual coordinates, likelihoods."""
