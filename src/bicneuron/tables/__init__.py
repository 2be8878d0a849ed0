"""Tables of users: many formats in, numbers with names out."""

from bicneuron.tables._read import Table, read_table
from bicneuron.tables._steps import steps_from_json, steps_to_json
from bicneuron.tables._write import check_writable, write_table

__all__ = [
    "Table",
    "check_writable",
    "read_table",
    "steps_from_json",
    "steps_to_json",
    "write_table",
]
