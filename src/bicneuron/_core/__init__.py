"""Kernels: arrays in, arrays out. No scikit-learn, no I/O, no creation of random generators."""
