"""What groups are tied to beside classes: numbers and survival, and effects on them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
