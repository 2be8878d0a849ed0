"""HTML reports about models, groups and second cohorts, and lists."""

from bicneuron.report._lists import PatternLists, pattern_lists
from bicneuron.report._model import write_report
from bicneuron.report._records import pattern_records
from bicneuron.report._replication import replication_records, write_replication_report
from bicneuron.report._subgroups import write_subgroup_report

__all__ = [
    "PatternLists",
    "pattern_lists",
    "pattern_records",
    "replication_records",
    "write_replication_report",
    "write_report",
    "write_subgroup_report",
]
