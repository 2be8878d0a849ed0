"""Kernels on arrays, array types and the base of values: numpy and numba, no scikit-learn."""
