"""Cross-validated scores of classifiers, coherence of blocks, and recovery of biclusters."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
