"""Attempts to break the package: random input, faults of the machine, long runs.

Not part of the tests, because they take long: ``python -m hardening --help``.
"""
