"""Neurons: classifiers that are trained on one block of a table, or on many blocks at once."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
