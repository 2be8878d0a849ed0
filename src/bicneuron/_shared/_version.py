"""The version, and modules that may not be installed; importing this is fast."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0.dev0"


def import_extra(module: str, message: str) -> Any:
    """Import an optional module; the message says how to install it where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(message) from error
