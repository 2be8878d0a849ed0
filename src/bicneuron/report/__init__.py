"""One page about a fitted model."""
