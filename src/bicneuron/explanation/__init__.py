"""Explanations of predictions, as plain values: a model gives `ScoredRows`, these the rest."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
