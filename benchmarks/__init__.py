"""Speed and memory: ratios measured side by side in one run, with their bounds.

python -m benchmarks [QUESTION ...] [--size tiny|usual|full] [--json FILE]
"""
