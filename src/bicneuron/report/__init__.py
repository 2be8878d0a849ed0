"""One page about a fitted model."""

from bicneuron.report._write import write_report

__all__ = ["write_report"]
