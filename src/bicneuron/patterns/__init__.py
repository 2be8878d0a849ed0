"""The pattern: one value for biclusters, groups, contrastive pairs and the parts of networks."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
