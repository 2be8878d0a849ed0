"""Tables of users: many formats in, numbers with names out."""

from bicneuron.tables._read import Table, read_table
from bicneuron.tables._write import check_writable, write_table

__all__ = ["Table", "check_writable", "read_table", "write_table"]
