"""Kernels on arrays: numpy and numba only, no scikit-learn, no files, no random state."""
