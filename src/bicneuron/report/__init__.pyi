from ._lists import PatternLists as PatternLists
from ._lists import pattern_lists as pattern_lists
from ._page import write_report as write_report
from ._records import pattern_records as pattern_records
