"""Modules that not every installation has."""

from importlib import import_module
from typing import Any


def import_extra(module: str, message: str) -> Any:
    """Import an optional module; the message says how to install it where it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(message) from error
