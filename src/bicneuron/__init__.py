"""Classification with contrastive biclusters.

Names are imported when they are first used: scikit-learn and numba alone take longer to import than
many scripts take to run. ``__init__.pyi`` lists them.
"""

import lazy_loader

from bicneuron._shared._version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
