"""Studies of questions that the paper leaves open: ``python -m studies discovery --seed 7``."""
