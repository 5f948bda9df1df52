"""All compiled code. Imports numpy, numba and progress only; nothing here knows what a model is.

Importing this package imports no kernel and not numba: each kernel file is imported where it is first needed.
`python -m separatrix.kernels` compiles them all into the disk cache.
"""
