"""Is it fast and small enough? Ratios measured side by side in one run, and the bounds they keep.

python -m benchmarks [QUESTION ...] [--size tiny|usual|full] [--json FILE]
"""
