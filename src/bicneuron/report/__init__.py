"""HTML for people: one page about a fitted model, and explanations of single rows."""

from bicneuron.report._explanation_html import explanation_html
from bicneuron.report._write import write_report

__all__ = ["explanation_html", "write_report"]
