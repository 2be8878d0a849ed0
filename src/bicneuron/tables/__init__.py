"""Read tables of many formats as named columns of numbers, and write tables."""

from bicneuron.tables._read import check_readable, read_table
from bicneuron.tables._roles import Table
from bicneuron.tables._steps_json import describe_steps, steps_from_json, steps_to_json
from bicneuron.tables._write import check_writable, write_table

__all__ = [
    "Table",
    "check_readable",
    "check_writable",
    "describe_steps",
    "read_table",
    "steps_from_json",
    "steps_to_json",
    "write_table",
]
