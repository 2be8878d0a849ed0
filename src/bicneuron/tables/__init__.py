"""Read tables of many formats as named columns of numbers, and write tables."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
