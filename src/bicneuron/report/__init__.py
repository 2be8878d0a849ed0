"""HTML pages about models, groups and second cohorts, and their patterns as lists and records."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
