"""What every estimator shares with scikit-learn: input checks, seeds and private names."""
