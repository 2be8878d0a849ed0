"""HTML pages about models, groups and second cohorts, and their patterns as lists and records."""

from bicneuron.report._lists import PatternLists, pattern_lists
from bicneuron.report._page import write_report
from bicneuron.report._records import pattern_records

__all__ = ["PatternLists", "pattern_lists", "pattern_records", "write_report"]
