"""Penalties that set coefficients to zero, and paths over their strength."""
