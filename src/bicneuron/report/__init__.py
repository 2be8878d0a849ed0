"""HTML reports about fitted models and groups, and explanations of rows as HTML."""

from bicneuron.report._explanation_html import explanation_html
from bicneuron.report._subgroups import write_subgroup_report
from bicneuron.report._write import write_report

__all__ = ["explanation_html", "write_report", "write_subgroup_report"]
