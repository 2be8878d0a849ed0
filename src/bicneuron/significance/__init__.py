"""How sure is it? Significance and stability of patterns."""

from bicneuron.significance._test import Significance, significance_test

__all__ = ["Significance", "significance_test"]
