"""Hinge losses: machines with a margin, primal and dual."""
