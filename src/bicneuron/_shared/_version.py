"""The version, which is written into files and pages."""

__version__ = "0.1.0.dev0"
