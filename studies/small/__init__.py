"""The study "small": a few patterns beside rivals that use as many columns."""
