"""Read tables of many formats as named columns of numbers, and write tables."""

from typing import Any

from bicneuron.tables._files import write_table
from bicneuron.tables._questions import Question
from bicneuron.tables._roles import check, read_table
from bicneuron.tables._table import Settings, Table

__all__ = [
    "Question",
    "Settings",
    "Table",
    "TableEncoder",
    "check",
    "read_table",
    "write_table",
]


def __getattr__(name: str) -> Any:
    if name == "TableEncoder":  # loads scikit-learn, which takes longer than to refuse a table
        from bicneuron.tables._encoder import TableEncoder

        return TableEncoder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
